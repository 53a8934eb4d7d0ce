"""What of a project a start of its scripts can come to: branches of constant conditions left out, values at every call."""

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Optional

from msprec.source.module import Binding, Call, Module, Scope, positional, signature_place
from msprec.source.project import Project
from msprec.source.reachability import is_registered, naming, reachable
from msprec.source.values import UNKNOWN, Values, same

_ROUNDS = 3
_DEEPEST = 12
_MOST = 40
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class GivenValue(NamedTuple):
    """A value that reaches an argument, with the file and line that write it down.

    ``indirect``: unknown because what takes it is only called through a variable, so that its default says nothing.
    """

    value: Any
    file: str
    line: int
    indirect: bool = False


class LiveCode:
    """What can happen. What is not known counts as possible: an option of the command line may be set either way.

    A branch that cannot be entered hands no argument on and reaches no function, which may settle further conditions:
    so it is looked at in a few rounds.
    """

    def __init__(self, project: Project, entries: Iterable[Module], command: Optional[list] = None):
        self.project, entries = project, list(entries)
        self._dead, self._methods = {}, None
        for _ in range(_ROUNDS):
            known = {node for nodes in self._dead.values() for node in nodes}
            self.scopes = reachable(project, entries, known)
            self.values = _LiveValues(project, command, self)
            found = {}
            for scope in self.scopes:
                found.setdefault(scope.module, []).extend(_dead_parts(scope, self.values))
            if {node for nodes in found.values() for node in nodes} <= known:
                break
            self._dead = found

    def reaches(self, call: Call) -> bool:
        """Whether a start can come to the call."""
        return call.scope in self.scopes and not any(
            _holds(d, call.node) for d in self._dead.get(call.scope.module, ())
        )

    def given(self, node: ast.AST, scope: Scope, depth: int = 0) -> list:
        """The values that an expression has over all calls that can happen, each as a `GivenValue`; unknown ones too."""
        if depth < _DEEPEST and isinstance(node, (ast.Name, ast.Attribute)):
            bindings = self._bindings(node, scope)
            if bindings and all(b.value is not None or b.kind == "parameter" for b, _ in bindings):
                found = [one for b, home in bindings for one in self._bound(b, home, node, depth + 1)]
                if found:
                    return list(dict.fromkeys(found))[:_MOST]
        value = self.values.of(node, scope)
        return [GivenValue(value if _is_plain(value) else UNKNOWN, scope.module.file, getattr(node, "lineno", 0))]

    def _bindings(self, node: ast.AST, scope: Scope) -> list:
        """(binding, scope) of a name, or of an attribute of ``self``, where an assignment or a parameter gives it."""
        if isinstance(node, ast.Name):
            home, bindings = scope.lookup(node.id)
            pairs = [(binding, home) for binding in bindings]
        elif isinstance(node.value, ast.Name) and node.value.id == "self" and scope.owner is not None:
            pairs = [(binding, home) for home, binding in scope.owner.self_attributes.get(node.attr, [])]
        else:
            return []
        return pairs if all(binding.kind in ("assign", "parameter") for binding, _ in pairs) else []

    def _bound(self, binding: Binding, home: Scope, node: ast.AST, depth: int) -> list:
        if binding.kind == "assign":
            return self.given(binding.value, home, depth)
        target, position = signature_place(home, node.id)
        calls = self.values.calls_of(target) if target is not None else self._method_calls(home)
        if not calls and target is not None and self.values.is_handed_on(target):
            return self._given_by_a_variable(binding, home, node, position, depth)
        if target is None and calls:
            position = _method_position(home, node.id)
        handed = [(_handed(call, node.id, position), call.scope) for call in calls[:_MOST]]
        found = []
        for value, scope in handed:
            if value is not None:
                found += self.given(value, scope, depth)
        if binding.value is not None and (not handed or any(value is None for value, _ in handed)):
            found += self.given(binding.value, home.parent or home, depth)
        return found

    def _given_by_a_variable(
        self, binding: Binding, home: Scope, node: ast.AST, position: Optional[int], depth: int
    ) -> list:
        """The values of a parameter of what only a variable calls (``block(8, rate=0.1)``): by keyword, else the default."""
        by_name, counts = self.values.indirect_calls()
        if position is not None and position < _most_handed(counts, home):
            return [GivenValue(UNKNOWN, home.module.file, getattr(node, "lineno", 0), indirect=True)]
        found = [one for value, scope in by_name.get(node.id, ())[:_MOST] for one in self.given(value, scope, depth)]
        if not found and binding.value is not None:
            found = self.given(binding.value, home.parent or home, depth)
        return [one._replace(indirect=True) if one.value is UNKNOWN else one for one in found]

    def _method_calls(self, home: Scope) -> list:
        """The calls ``self.method(…)`` of a method in its own class."""
        if self._methods is None:
            self._methods = {}
            for call in self.project.calls():
                function = call.node.func
                if isinstance(function, ast.Attribute) and getattr(function.value, "id", None) == "self":
                    self._methods.setdefault((call.scope.owner, function.attr), []).append(call)
        owner = home.parent if home.parent is not None and home.parent.is_class else None
        return [call for call in self._methods.get((owner, home.name), ()) if owner is not None and self.reaches(call)]


class _LiveValues(Values):
    """Constants as the calls that can happen agree on them; a class that is handed on may be called with anything."""

    def __init__(self, project: Project, command: Optional[list], live: LiveCode):
        super().__init__(project, command)
        self._live = live
        self._indirect = None

    def calls_of(self, target: Scope) -> list:
        return [call for call in super().calls_of(target) if self._live.reaches(call)]

    def _option(self, call, depth: int) -> tuple:
        name, value = super()._option(call, depth)
        return name, value if self.command is not None else UNKNOWN

    def _parameter(self, binding: Binding, home: Scope, name: str, depth: int) -> Any:
        value = super()._parameter(binding, home, name, depth)
        if value is UNKNOWN:
            return value
        handed_on, by_name, counts = self._handed_on_calls()
        target, position = signature_place(home, name)
        if target not in handed_on:
            return value
        if position is not None and position < _most_handed(counts, home):
            return UNKNOWN
        return (
            value if all(same(value, self.of(node, scope, depth)) for node, scope in by_name.get(name, ())) else UNKNOWN
        )

    def is_handed_on(self, target: Scope) -> bool:
        """Whether a variable may hold the function or class."""
        return target in self._handed_on_calls()[0]

    def indirect_calls(self) -> tuple:
        """({keyword: [(value, scope)]}, the numbers of positional arguments) of calls through a variable."""
        return self._handed_on_calls()[1:]

    def _handed_on_calls(self) -> tuple:
        if self._indirect is None:
            self._indirect = _handed_on(self.project, self._live), *_indirect_calls(self.project, self._live)
        return self._indirect


def _handed_on(project: Project, live: LiveCode) -> set:
    """Functions and classes that live code names without calling them: in an argument, a table, as a base, by a decorator."""
    called = {call.node.func for module in project.modules.values() for call in module.calls}
    named = [(node, scope) for scope in live.scopes for node in naming(scope) if node not in called]
    found = {
        project.definition(project.qualified(node, scope))
        for node, scope in named
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }
    return {*found, *(scope for scope in live.scopes if is_registered(scope.node))} - {None}


def _indirect_calls(project: Project, live: LiveCode) -> tuple:
    """({keyword: [(value, scope)]}, {positional arguments}) of calls of what was handed on, as far as names tell."""
    by_name, counts = {}, set()
    for call in project.calls():
        function = call.node.func
        name = project.qualified(function, call.scope)
        if call.scope not in live.scopes or (name is not None and name not in ("builtins.dict", "functools.partial")):
            continue
        for keyword in call.node.keywords:
            if keyword.arg is not None:
                by_name.setdefault(keyword.arg, []).append((keyword.value, call.scope))
        if name is None and (isinstance(function, ast.Name) or getattr(function, "attr", "") == "__init__"):
            counts.add(len(call.node.args))
    return by_name, counts


def _most_handed(counts: set, home: Scope) -> int:
    """The most positional arguments of calls through a variable that the signature of ``home`` can take."""
    arguments = home.node.args
    taken = len(positional(arguments)) - (home.parent is not None and home.parent.is_class)
    return max((count for count in counts if arguments.vararg is not None or count <= taken), default=0)


def _method_position(home: Scope, name: str) -> Optional[int]:
    names = positional(home.node.args)[1:]
    return names.index(name) if name in names else None


def _handed(call: Call, name: str, position: Optional[int]) -> Optional[ast.AST]:
    """The expression that a call gives for a parameter, by name or by place; None: none that can be read."""
    for keyword in call.node.keywords:
        if keyword.arg == name:
            return keyword.value
    args = call.node.args
    if position is None or position >= len(args) or any(isinstance(part, ast.Starred) for part in args):
        return None
    return args[position]


def _dead_parts(scope: Scope, values: Values) -> Iterator[ast.AST]:
    """The statements and expressions of a scope that a constant condition keeps from happening."""
    stack = list(scope.node.body) if isinstance(scope.node.body, list) else [scope.node.body]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.If, ast.IfExp)):
            dead = _not_taken(values.of(node.test, scope), node)
            yield from dead
        if isinstance(node, _SCOPES):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            yield from _after_leaving(block, scope, values) if isinstance(block, list) else ()
        stack += list(ast.iter_child_nodes(node))
    yield from _after_leaving(scope.node.body, scope, values) if isinstance(scope.node.body, list) else ()


def _not_taken(value: Any, node: ast.AST) -> list:
    if not _is_plain(value):
        return []
    dead = node.orelse if value else node.body
    return dead if isinstance(dead, list) else [dead]


def _after_leaving(block: list, scope: Scope, values: Values) -> list:
    """What stands in a block after ``if CONSTANT: return``."""
    for number, node in enumerate(block):
        if isinstance(node, ast.If) and node.body and isinstance(node.body[-1], _LEAVES):
            value = values.of(node.test, scope)
            if _is_plain(value) and value:
                return block[number + 1 :]
    return []


def _is_plain(value: Any) -> bool:
    return value is not UNKNOWN and (value is None or isinstance(value, (bool, int, float, str, tuple)))


def _holds(outer: ast.AST, inner: ast.AST) -> bool:
    start, end = (outer.lineno, outer.col_offset), (outer.end_lineno, outer.end_col_offset)
    return start <= (inner.lineno, inner.col_offset) < end
