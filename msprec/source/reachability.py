"""Which classes and functions a script can come to use: the rest of a file is not judged."""

import ast
from collections.abc import Collection, Iterable
from typing import Optional, Union

from msprec.source.module import Module, Scope, fields_of, last_name
from msprec.source.names import words
from msprec.source.project import Project

_PLAIN_DECORATORS = words(
    """
    property staticmethod classmethod abstractmethod wraps dataclass jit ms_function cached_property lru_cache
    cache setter constexpr contextmanager
    """
)
#: Calls that name a class without making it, and which of their arguments are not the class.
_NAME_ONLY = {"isinstance": slice(0, 1), "issubclass": slice(0, 1), "super": slice(1, None)}
_NAMING = {ast.Name, ast.Attribute, ast.Import, ast.ImportFrom}


def reachable(project: Project, entries: Iterable[Module], dead: Collection = ()) -> set:
    """The scopes that a start of the entries may reach, by the names that the code mentions; all, where there is no entry.

    A class brings its methods and bases, an imported module its top level and what its decorators register. What stands
    inside a node of ``dead`` is not followed.
    """
    entries = list(entries)
    if not entries:
        return {scope for module in project.modules.values() for scope in module.scopes.values()}
    found, waiting = set(), [module.scope for module in entries]
    meanings: dict = {}
    while waiting:
        scope = waiting.pop()
        if scope in found:
            continue
        found.add(scope)
        waiting += _inner(scope)
        waiting += _mentioned(project, scope, dead, meanings)
    return found


def _inner(scope: Scope) -> list:
    """Methods of a class, lambdas and functions inside a function; of a module only what a decorator may register."""
    if not isinstance(scope.node, ast.Module):
        return scope.inner
    return [inner for inner in scope.inner if isinstance(inner.node, ast.Lambda) or is_registered(inner.node)]


def is_registered(node: ast.AST) -> bool:
    """Whether a decorator may hand a function or class on, such as to a registry of models."""
    names = {last_name(decorator) for decorator in getattr(node, "decorator_list", ())}
    return bool(names - _PLAIN_DECORATORS)


def _mentioned(project: Project, scope: Scope, dead: Collection, meanings: dict) -> list:
    """The definitions and modules that the scope's own code names; ``meanings``: of the names that were asked for before."""
    found, chains = [], set()
    for node in naming(scope, dead):
        if isinstance(node, ast.Import):
            found += [project.module_of(alias.name, scope.module) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = scope.module.absolute(node.module, node.level)
            found += [project.module_of(home, scope.module)]
            found += [project.module_of(f"{home}.{alias.name}", scope.module) for alias in node.names]
        elif isinstance(node.ctx, ast.Load):
            chain = _chain(node)
            if chain is None or chain not in chains:
                chains.add(chain)
                # a name means one thing wherever it comes from the same scope
                key = (_home(scope, chain), chain) if chain else node
                if key not in meanings:
                    meanings[key] = project.definition(project.qualified(node, scope))
                found.append(meanings[key])
    scopes = [entry.scope if isinstance(entry, Module) else entry for entry in found if entry is not None]
    return [entry for entry in scopes if entry is not None]


def _home(scope: Scope, chain: str) -> Union[Scope, Module]:
    """Where the first name of a chain is bound: its scope, of ``self`` the class, and the module of one that is bound nowhere."""
    name = chain.partition(".")[0]
    own = scope.owner if name in ("self", "cls") else None
    return own or scope.lookup(name)[0] or scope.module


def _chain(node: ast.AST) -> Optional[str]:
    """``a.b.c`` as written; None for an attribute of anything but a name."""
    parts = []
    while node.__class__ is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    if node.__class__ is not ast.Name:
        return None
    return ".".join([node.id, *reversed(parts)])


def naming(scope: Scope, dead: Collection = ()) -> list:
    """The names, attributes and imports in a scope without the scopes inside it, whose decorators, bases and defaults count.

    A class that an annotation, ``isinstance`` or ``super`` names is not used there.
    """
    found, stack = [], _outermost(scope)
    push = stack.append
    while stack:
        node = stack.pop()
        if dead and node in dead:
            continue
        kind = node.__class__
        if kind in _NAMING:
            found.append(node)
        if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
            stack += [*node.decorator_list, *node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]
        elif kind is ast.ClassDef:
            stack += [*node.decorator_list, *node.bases]
        elif kind is ast.Call and node.func.__class__ is ast.Name and node.func.id in _NAME_ONLY:
            stack += [node.func, *node.args[_NAME_ONLY[node.func.id]]]
        elif kind is ast.AnnAssign:
            stack += [part for part in (node.target, node.value) if part is not None]
        elif kind is not ast.Lambda and kind is not ast.Name and kind is not ast.Constant:
            for field in fields_of(kind):
                child = getattr(node, field, None)
                if child.__class__ is list:
                    stack += [part for part in child if isinstance(part, ast.AST)]
                elif isinstance(child, ast.AST):
                    push(child)
    return found


def _outermost(scope: Scope) -> list:
    if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [*scope.node.body, *getattr(scope.node, "bases", [])]
    return list(ast.iter_child_nodes(scope.node))
