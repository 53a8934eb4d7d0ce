"""Which classes and functions a script can come to use: the rest of a file is not judged."""

import ast
from collections.abc import Iterable

from msprec.source.module import Module, Scope
from msprec.source.project import Project

_PLAIN_DECORATORS = {"property", "staticmethod", "classmethod", "abstractmethod", "wraps", "dataclass", "jit",
                     "ms_function", "cached_property", "lru_cache", "cache", "setter", "constexpr", "contextmanager"}  # fmt: skip


def reachable(project: Project, entries: Iterable[Module]) -> set:
    """The scopes that a start of the entries may reach, by the names that the code mentions; all, where there is no entry.

    A class brings its methods and bases, an imported module its top level and what its decorators register.
    """
    entries = list(entries)
    if not entries:
        return {scope for module in project.modules.values() for scope in module.scopes.values()}
    found, waiting = set(), [module.scope for module in entries]
    while waiting:
        scope = waiting.pop()
        if scope in found:
            continue
        found.add(scope)
        waiting += _inner(scope)
        waiting += _mentioned(project, scope)
    return found


def _inner(scope: Scope) -> list:
    """Methods of a class, lambdas and functions inside a function; of a module only what a decorator may register."""
    if not isinstance(scope.node, ast.Module):
        return scope.inner
    return [inner for inner in scope.inner if isinstance(inner.node, ast.Lambda) or _registered(inner.node)]


def _registered(node: ast.AST) -> bool:
    names = {_last(decorator) for decorator in getattr(node, "decorator_list", ())}
    return bool(names - _PLAIN_DECORATORS)


def _last(node: ast.AST) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _mentioned(project: Project, scope: Scope) -> list:
    """The definitions and modules that the scope's own code names."""
    found = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Import):
            found += [project.module_of(alias.name, scope.module) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = scope.module.absolute(node.module, node.level)
            found += [project.module_of(home, scope.module)]
            found += [project.module_of(f"{home}.{alias.name}", scope.module) for alias in node.names]
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            found.append(project.definition(project.qualified(node, scope)))
    scopes = [entry.scope if isinstance(entry, Module) else entry for entry in found if entry is not None]
    return [entry for entry in scopes if entry is not None]


def own_nodes(scope: Scope) -> Iterable[ast.AST]:
    """The nodes of a scope without those of the scopes inside it; their decorators, bases and defaults belong to it."""
    stack = list(ast.iter_child_nodes(scope.node))
    if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        stack = [*scope.node.body, *getattr(scope.node, "bases", [])]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stack += [*node.decorator_list, *node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]
        elif isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases]
        elif not isinstance(node, ast.Lambda):
            stack += ast.iter_child_nodes(node)
