"""One file as scopes, bindings and calls, found in a single pass over its syntax tree."""

import ast
from collections.abc import Collection
from functools import cache
from typing import Any, Optional

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
#: Fields that hold words and numbers, or what a name is for.
_PLAIN = {"ctx", "id", "attr", "arg", "kind", "type_comment", "level", "module"}


class Binding:
    """How a name got its value: ``kind`` is import, def, class, assign, part (of an unpacked value), augment, parameter or other.

    ``value`` is the qualified name of an import, else the node that holds the value (None where there is none).
    """

    __slots__ = ("index", "kind", "node", "value")

    def __init__(self, kind: str, value, node: Optional[ast.AST], index: tuple = ()):
        self.kind, self.value, self.node, self.index = kind, value, node, index


class Scope:
    """A module, class or function with the names that it binds."""

    __slots__ = ("bindings", "inner", "module", "node", "parent", "self_attributes")

    def __init__(self, node: Any, parent: Optional["Scope"], module: "Module"):
        #: An `ast.Module`, `ast.ClassDef`, function or `ast.Lambda`
        self.node, self.parent, self.module = node, parent, module
        self.bindings = {}
        self.inner = []
        self.self_attributes = {}

    @property
    def is_class(self) -> bool:
        """Is it a class, no module and no function?"""
        return isinstance(self.node, ast.ClassDef)

    @property
    def name(self) -> str:
        """The name in its definition; empty for a module."""
        return getattr(self.node, "name", "<lambda>" if isinstance(self.node, ast.Lambda) else "")

    @property
    def qualified(self) -> str:
        """The dotted name of the scope, such as ``models.resnet.Block.__init__``."""
        if self.parent is None:
            return self.module.name
        return f"{self.parent.qualified}.{self.name}"

    @property
    def owner(self) -> Optional["Scope"]:
        """The class that the scope, or a function around it, is a method of."""
        scope = self
        while scope is not None and not scope.is_class:
            scope = scope.parent
        return scope

    def lookup(self, name: str) -> tuple:
        """(scope, bindings) where a name is bound, as Python looks it up; (None, []) for builtins and unknown ones."""
        scope, inside = self, False
        while scope is not None:
            if name in scope.bindings and not (inside and scope.is_class):
                return scope, scope.bindings[name]
            inside = True
            scope = scope.parent
        return None, []

    def bind(self, name: str, binding: Binding) -> None:
        """Adds a binding of the name, after those before it in the file."""
        self.bindings.setdefault(name, []).append(binding)


class Call:
    """A call with the scope that it stands in."""

    __slots__ = ("node", "scope")

    def __init__(self, node: ast.Call, scope: Scope):
        self.node, self.scope = node, scope

    def is_at(self, places: Collection) -> bool:
        """Whether any of its lines is among these ``(file, line)``."""
        lines = range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)
        return any((self.scope.module.file, line) in places for line in lines)


class Module:
    """A parsed file: its dotted name, its scopes by node, its calls in the order of the file, its imports."""

    def __init__(self, name: str, file: str, tree: ast.Module, path: Optional[str] = None, package: bool = False):
        self.name, self.file, self.path, self.tree, self.package = name, file, path, tree, package
        self.scopes, self.calls, self.stars, self.imported = {}, [], [], []
        self.scope = Scope(tree, None, self)
        self.scopes[tree] = self.scope
        _Pass(self).run()

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope that a definition opens; the module's for any other node."""
        return self.scopes.get(node, self.scope)

    def absolute(self, name: Optional[str], level: int) -> str:
        """The module that ``from ..name import`` means."""
        if not level:
            return name or ""
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.package else 0)
        return ".".join(parts[: max(keep, 0)] + ([name] if name else []))


class _Pass:
    """The one pass. An explicit stack instead of recursion: generated code nests deeper than Python's limit."""

    def __init__(self, module: Module):
        self.module = module
        self.handlers = {
            ast.Import: self.import_,
            ast.ImportFrom: self.import_from,
            ast.Assign: self.assign,
            ast.AnnAssign: self.annotated,
            ast.AugAssign: self.augmented,
            ast.For: self.target,
            ast.AsyncFor: self.target,
            ast.With: self.with_,
            ast.AsyncWith: self.with_,
            ast.NamedExpr: self.named,
            ast.Call: self.call,
            ast.ExceptHandler: self.handler,
            ast.comprehension: self.target,
            ast.Global: self.global_,
        }

    def run(self) -> None:
        module, handlers = self.module, self.handlers
        stack = [(module.tree, module.scope)]
        pop, push = stack.pop, stack.append
        calls = module.calls
        while stack:
            node, scope = pop()
            kind = node.__class__
            if kind in _SCOPES:
                scope = self.new_scope(node, scope, push)
            elif kind in handlers:
                handlers[kind](node, scope)
            # the children last to first, so that they come off the stack in the order of the file
            for field in reversed(fields_of(kind)):
                child = getattr(node, field, None)
                if child.__class__ is list:
                    for part in reversed(child):
                        if isinstance(part, ast.AST) and part._fields:
                            push((part, scope))
                elif isinstance(child, ast.AST) and child._fields and child.__class__ is not ast.Constant:
                    push((child, scope))
        calls.sort(key=lambda call: (call.node.lineno, call.node.col_offset))

    def new_scope(self, node: ast.AST, outer: Scope, push) -> Scope:
        scope = Scope(node, outer, self.module)
        self.module.scopes[node] = scope
        outer.inner.append(scope)
        if isinstance(node, ast.ClassDef):
            outer.bind(node.name, Binding("class", node, node))
            return scope
        if not isinstance(node, ast.Lambda):
            outer.bind(node.name, Binding("def", node, node))
        for name, default in parameters(node.args):
            scope.bind(name, Binding("parameter", default, node))
        return scope

    def import_(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            self.module.imported.append((alias.name, node.lineno))
            if alias.asname:
                scope.bind(alias.asname, Binding("import", alias.name, node))
            else:
                top = alias.name.split(".")[0]
                scope.bind(top, Binding("import", top, node))

    def import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        home = self.module.absolute(node.module, node.level)
        self.module.imported.append((home, node.lineno))
        for alias in node.names:
            if alias.name == "*":
                self.module.stars.append(home)
            else:
                self.module.imported.append((f"{home}.{alias.name}", node.lineno))
                scope.bind(alias.asname or alias.name, Binding("import", f"{home}.{alias.name}", node))

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self.bind_target(target, node.value, node, scope)

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None or scope.is_class:
            self.bind_target(node.target, node.value, node, scope)

    def augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        self.bind_target(node.target, None, node, scope, "augment")

    def named(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.bind_target(node.target, node.value, node, scope)

    def target(self, node, scope: Scope) -> None:
        self.bind_target(node.target, None, node, scope, "other")

    def with_(self, node, scope: Scope) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self.bind_target(item.optional_vars, item.context_expr, node, scope, "with")

    def handler(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            scope.bind(node.name, Binding("other", None, node))

    def global_(self, node: ast.Global, scope: Scope) -> None:
        for name in node.names:
            self.module.scope.bind(name, Binding("other", None, node))

    def call(self, node: ast.Call, scope: Scope) -> None:
        self.module.calls.append(Call(node, scope))

    def bind_target(self, target, value, node, scope: Scope, kind: str = "assign", index: tuple = ()) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, Binding("part" if index and kind == "assign" else kind, value, node, index))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.bind_parts(target, value, node, scope, kind, index)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, None, node, scope, "other")
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = scope.owner
            if target.value.id in ("self", "cls") and owner is not None:
                owner.self_attributes.setdefault(target.attr, []).append((scope, Binding(kind, value, node, index)))
            else:
                # `args.rate = 0.1`: kept under the dotted name
                home = scope.lookup(target.value.id)[0] or scope
                home.bind(f"{target.value.id}.{target.attr}", Binding(kind, value, node, index))

    def bind_parts(self, target, value, node, scope: Scope, kind: str, index: tuple) -> None:
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        same = same and not any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts])
        for number, part in enumerate(target.elts):
            if same:
                self.bind_target(part, value.elts[number], node, scope, kind, index)
            else:
                self.bind_target(part, value, node, scope, kind, (*index, number))


def parameters(args: ast.arguments) -> list:
    """(name, default or None) of every parameter, in order; ``*args`` and ``**kwargs`` last."""
    plain = positional(args)
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    named = list(zip(plain, defaults))
    named += [(arg.arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)]
    return named + [(arg.arg, None) for arg in (args.vararg, args.kwarg) if arg is not None]


def positional(args: ast.arguments) -> list:
    """The names of the positional parameters."""
    return [arg.arg for arg in (*args.posonlyargs, *args.args)]


def signature_place(home: Scope, name: str) -> tuple:
    """(what is called to hand a parameter over, its position there, None for one by name alone); (None, None) where the calls
    are not told by a name: of a method other than ``__init__``, of a lambda."""
    if isinstance(home.node, ast.Lambda) or not hasattr(home.node, "args"):
        return None, None
    owner = home.parent if home.parent is not None and home.parent.is_class else None
    if owner is not None and home.name != "__init__":
        return None, None
    names = positional(home.node.args)[0 if owner is None else 1 :]
    return owner or home, names.index(name) if name in names else None


@cache
def fields_of(kind: type) -> tuple:
    """The fields of a kind of nodes that may hold others."""
    return () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)  # type: ignore[attr-defined]


def last_name(node: ast.AST) -> str:
    """The last part of a dotted expression, or of what a call calls: ``ops.isnan(x)`` gives isnan; empty for any other."""
    node = node.func if node.__class__ is ast.Call else node  # type: ignore[attr-defined]
    return node.attr if node.__class__ is ast.Attribute else getattr(node, "id", "")  # type: ignore[attr-defined]


def loaded(target: ast.AST) -> ast.AST:
    """The target of ``x += y`` as an expression."""
    made = ast.copy_location(type(target)(**{name: getattr(target, name) for name in target._fields}), target)
    made.ctx = ast.Load()
    return made
