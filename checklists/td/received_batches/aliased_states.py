"""States that a simulation changes in place and a memory keeps by reference: all that was kept becomes the last state (td.05)."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, own_attribute, own_nodes

_KEEPS = ("append", "appendleft", "add", "push", "store", "remember", "put", "insert")
#: What makes an array, which ``+=`` changes in place.
_ARRAY = re.compile(r"\b(np|numpy|rng|random|\w*rng)\.\w+|\.astype\(|\.copy\(")
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)


class _State(NamedTuple):
    """An array of a class's that its methods change in place: where, and the methods that hand it out as it is, each with its
    position in the tuple that it returns (None: alone)."""

    name: str
    line: int
    handed_out_by: dict


def aliased_states(run_data: RunData) -> Optional[Finding]:
    """A problem where an array that a class changes in place is handed out without a copy and put into a container: each element
    then is the same array, which goes on changing."""
    for file in sorted({file for file, _ in run_data.source.grep(_ARRAY)}):
        for node in run_data.source.nodes(file, ast.ClassDef):
            for state in _states(node):
                kept = next(_kept(run_data, node, state), None)
                if kept is not None:
                    taken, stored = kept
                    return _finding(run_data, state, place(file, state.line), taken, stored)
    return None


def _finding(run_data: RunData, state: _State, changed: Fact, taken: Fact, stored: Fact) -> Finding:
    places = [taken, stored, changed]
    return problem(
        Text(
            "{taken} 得到的 {name} 是数组本身而不是副本，{stored} 把它存了起来，而 {changed} 会就地改变它："
            "存下的各个状态其实是同一个数组，都变成最后的值。",
            "What {taken} gets of {name} is the array itself, {stored} keeps it, and {changed} changes it in place: the states "
            "that are kept are one array, and all become what it is last.",
            taken=at(taken),
            name=state.name,
            stored=at(stored),
            changed=at(changed),
        ),
        Text(
            "返回或存入副本：self.{name}.copy()；或者每一步创建新的数组，而不是就地修改。",
            "Return or keep a copy, self.{name}.copy(), or make a new array in each step and change none in place.",
            name=state.name,
        ),
        [run_data.code_at(places, Text("取得、存入与改变之处", "Where it is taken, kept and changed"))],
        places,
    )


def _states(node: ast.ClassDef) -> Iterator[_State]:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    arrays = {
        own_attribute(target)
        for method in methods
        for one in ast.walk(method)
        if isinstance(one, ast.Assign)
        and any(map(own_attribute, one.targets))
        and _ARRAY.search(ast.unparse(one.value))
        for target in one.targets
        if own_attribute(target)
    }
    for method in methods:
        stores = [one for one in ast.walk(method) if isinstance(one, (ast.Assign, ast.AugAssign))]
        anew = {ast.unparse(target) for one in stores if isinstance(one, ast.Assign) for target in one.targets}
        for one in stores if method.name not in ("__init__", "reset") else ():
            for name in sorted(_changed_in(one) & arrays):
                if f"self.{name}" not in anew:
                    yield _State(name, one.lineno, _handed_out(methods, name))


def _handed_out(methods: list, name: str) -> dict:
    """``{method: position}`` of the methods that return the attribute as it is, or what such a method returns alone."""
    found: dict = {}
    held = f"self.{name}"
    for _ in methods:
        given = {held, *(f"self.{method}()" for method, position in found.items() if position is None)}
        found = {m.name: position for m in methods for position in _returned_at(m, given)}
    return found


def _changed_in(store) -> set:
    """The attributes of ``self`` that a statement changes in place: ``self.a[0] = x``, ``self.a += x``."""
    targets = store.targets if isinstance(store, ast.Assign) else [store.target]
    whole = [one for one in targets if isinstance(store, ast.AugAssign)]
    parts = [one.value for one in targets if isinstance(one, ast.Subscript)]
    return set(map(own_attribute, [*whole, *parts])) - {""}


def _returned_at(method: ast.FunctionDef, held: set) -> Iterator[Optional[int]]:
    """Where in what a method returns one of some expressions stands: its position in a tuple, None where it is returned alone."""
    for one in ast.walk(method):
        if isinstance(one, ast.Return) and one.value is not None:
            parts = list(enumerate(one.value.elts)) if isinstance(one.value, ast.Tuple) else [(None, one.value)]
            yield from (position for position, part in parts if ast.unparse(part) in held)


def _kept(run_data: RunData, owner: ast.ClassDef, state: _State) -> Iterator[tuple]:
    """``(where the array is taken, where it is kept)``, within one function outside the class."""
    inside = {id(one) for one in ast.walk(owner)}
    for file in sorted(run_data.source.trees):
        for scope in run_data.source.nodes(file, *_SCOPES):
            if id(scope) in inside:
                continue
            nodes = own_nodes(scope)
            others = _other_objects(nodes, owner.name)
            taken = {
                name: line for one in nodes if isinstance(one, ast.Assign) for name, line in _taken(one, state, others)
            }
            for call in nodes if taken else ():
                if isinstance(call, ast.Call) and called_name(call) in _KEEPS:
                    for name in _handed_on(call):
                        if name in taken:
                            yield place(file, taken[name]), place(file, call.lineno)


def _other_objects(nodes: Sequence, owner: str) -> set:
    """Names of objects that keep no array of the class's: they are of another class, or each round of a loop makes its own."""
    made = [(one, one.value) for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)]
    in_loops = {id(part) for one in nodes if isinstance(one, (ast.For, ast.While)) for part in ast.walk(one)}
    return {
        target.id
        for assign, call in made
        for target in assign.targets
        if isinstance(target, ast.Name) and called_name(call)[:1].isupper()
        if called_name(call) != owner or id(assign) in in_loops
    }


def _taken(node: ast.Assign, state: _State, others: set) -> list:
    """``[(name, line)]`` of what an assignment binds to the array: ``s = env.state``, ``s = env.reset()``."""
    value = node.value
    attribute = value.func if isinstance(value, ast.Call) else value
    if not isinstance(attribute, ast.Attribute) or ast.unparse(attribute.value) in others:
        return []
    read = attribute is value and attribute.attr == state.name
    if not read and (attribute is value or attribute.attr not in state.handed_out_by):
        return []
    position = None if read else state.handed_out_by[attribute.attr]
    bound = [_bound_at(target, position) for target in node.targets]
    return [(name, node.lineno) for name in bound if name]


def _bound_at(target: ast.expr, position: Optional[int]) -> str:
    """The name that takes the value at a position of a returned tuple; of a tuple that is bound whole none."""
    if isinstance(target, (ast.Tuple, ast.List)) and position is not None and position < len(target.elts):
        target, position = target.elts[position], None
    return target.id if isinstance(target, ast.Name) and position is None else ""


def _handed_on(call: ast.Call) -> list:
    """The names that a call is given as they are, also within a tuple or list."""
    parts = [part for one in call.args for part in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]
    return [one.id for one in parts if isinstance(one, ast.Name)]
