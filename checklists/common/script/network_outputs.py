"""What a script gives a network outside training, and what it takes the difference of its outputs to (ds.02, dp.02)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from msprec.engine.run_data import RunData
from msprec.source.user_code import bound_names, called_name

#: Calls that only change the form of what they are given.
_FORMS = ("Tensor", "tensor", "from_numpy", "astype", "asarray", "array", "reshape", "float")
_SQUARES = ("square", "abs", "absolute")
#: Attributes that hold a network: ``trainer.net``.
_HOLDS = re.compile(r"(^|_)(net(work)?|model|auto_?encoder)$", re.IGNORECASE)


class Output(NamedTuple):
    """A name that is given once what a network gives, untouched; the array that the network was given, and the line."""

    name: str
    given: str
    line: int


def _plain_outputs(run_data: RunData, file: str) -> Iterator[Output]:
    """The outputs that a file keeps without arithmetic."""
    for store in run_data.source.nodes(file, ast.Assign):
        name = store.targets[0].id if len(store.targets) == 1 and isinstance(store.targets[0], ast.Name) else ""
        value = run_data.source.only_value(file, name) if name else None
        if value is not store.value or value is None or any(isinstance(one, ast.BinOp) for one in ast.walk(value)):
            continue
        given = _given_to_network(run_data, value)
        if given:
            yield Output(name, given, store.lineno)


def _given_to_network(run_data: RunData, value: ast.expr) -> str:
    """``x`` of ``net(Tensor(x)).asnumpy()``, whose callee holds what is made of a network's class, or is an attribute named as
    one; else empty."""
    for call in (one for one in ast.walk(value) if isinstance(one, ast.Call)):
        names = _values(call.args[0]) if len(call.args) == 1 else []
        if len(names) == 1 and _is_network(run_data, call.func):
            return names[0]
    return ""


def _is_network(run_data: RunData, called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return _HOLDS.search(called.attr) is not None
    return isinstance(called, ast.Name) and called.id in run_data.once(_networks_held)


def _networks_held(run_data: RunData) -> set:
    """The names that are given what is made of a network's class, and nothing else in any file."""
    classes = {one.class_ for one in run_data.networks}
    networks: set = set()
    others: set = set()
    for file in run_data.source.trees:
        for one in run_data.source.nodes(file, ast.Assign):
            made = isinstance(one.value, ast.Call) and called_name(one.value) in classes
            (networks if made else others).update(bound_names(one.targets))
    return networks - others


def _values(node: ast.expr) -> list:
    """The names in an expression, but those of what it calls; none where it calls what changes values."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    if any(called_name(one) not in _FORMS for one in calls):
        return []
    called = {id(part) for one in calls for part in ast.walk(one.func)}
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and id(one) not in called]


def compared_outputs(run_data: RunData) -> Iterator[tuple]:
    """``(file, output, differences)`` of each plain output: ``(line, name)`` where its squared or absolute difference is taken to
    what has another name."""
    for file in sorted(run_data.source.trees):
        outputs = list(_plain_outputs(run_data, file))
        differences = _squared_differences(run_data, file) if outputs else []
        for output in outputs:
            held = [(line, (a, b)) for line, a, b in differences if output.name in (a, b)]
            yield file, output, [(line, name) for line, pair in held for name in pair if name != output.name]


def _squared_differences(run_data: RunData, file: str) -> list:
    """``(line, a, b)`` of each ``(a - b) ** 2``, ``abs(a - b)`` and ``square(a - b)`` of two names."""
    squared = [one.left for one in run_data.source.nodes(file, ast.BinOp) if isinstance(one.op, ast.Pow)]
    squared += [call.args[0] for call in run_data.source.calls_named(file, _SQUARES) if call.args]
    found = []
    for one in squared:
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub):
            left, right = one.left, one.right
            if isinstance(left, ast.Name) and isinstance(right, ast.Name):
                found.append((one.lineno, left.id, right.id))
    return found
