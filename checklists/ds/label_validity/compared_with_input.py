"""Outputs that are compared with what the network was given, of a network that is taught something else (ds.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name

#: Statistics of a column, and a share of its deviation by which two of them differ at the least where the columns do.
_OF_COLUMNS, _APART = ("mean", "std"), 1e-3
#: Calls that only change the form of what they are given.
_FORMS = ("Tensor", "tensor", "from_numpy", "astype", "asarray", "array", "reshape", "float")
_SQUARES = ("square", "abs", "absolute")


def compared_with_input(run_data: RunData, dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the squared or absolute difference of an output is taken to the array that the network was given for it, and to
    nothing else, while the loss compares outputs of that shape with other numbers than the inputs, as clean pictures are."""
    if not _taught_otherwise(run_data, dataset):
        return None
    for file in run_data.source.trees:
        for store in run_data.source.nodes(file, ast.Assign):
            name = store.targets[0].id if len(store.targets) == 1 and isinstance(store.targets[0], ast.Name) else ""
            given = _given_to_network(run_data, store.value) if name else ""
            held = [one for one in _differences(run_data, file) if name in (one[1], one[2])] if given else []
            others = {other for _, a, b in held for other in (a, b) if other != name}
            if others == {given}:
                return _finding(place(file, held[0][0]), place(file, store.lineno), name, given)
    return None


def _taught_otherwise(run_data: RunData, dataset: Fact) -> bool:
    """Whether the one loss is a regression's of targets of an input's shape, that are no input of the network."""
    losses = run_data.probes.losses
    if len(losses) != 1 or losses[0].kind not in REGRESSION or len(dataset.columns) != 2:
        return False
    one, other = dataset.columns
    if one.shape != other.shape or None in (one.std, other.std, one.mean, other.mean):
        return False
    return any(abs(getattr(one, key) - getattr(other, key)) > _APART * max(one.std, other.std) for key in _OF_COLUMNS)


def _given_to_network(run_data: RunData, value: ast.expr) -> str:
    """``x`` of ``net(Tensor(x)).asnumpy()``, whose callee holds what is made of the trained network's class; else empty."""
    classes = {one.class_ for one in run_data.networks}
    for call in (one for one in ast.walk(value) if isinstance(one, ast.Call)):
        callee = call.func.id if isinstance(call.func, ast.Name) else ""
        made = [
            one.value
            for file in run_data.source.trees
            for one in run_data.source.nodes(file, ast.Assign)
            if callee in bound_names(one.targets)
        ]
        of_network = bool(made) and all(isinstance(one, ast.Call) and called_name(one) in classes for one in made)
        names = _values(call.args[0]) if len(call.args) == 1 else []
        if of_network and len(names) == 1:
            return names[0]
    return ""


def _values(node: ast.expr) -> list:
    """The names in an expression, but those of what it calls; none where it calls what changes values."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    if any(called_name(one) not in _FORMS for one in calls):
        return []
    called = {id(part) for one in calls for part in ast.walk(one.func)}
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and id(one) not in called]


def _differences(run_data: RunData, file: str) -> list:
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


def _finding(compared: Fact, made: Fact, output: str, given: str) -> tuple:
    says = Text(
        "{compared} 把网络的输出 {output} 与送入网络的 {given}（{made}）比较，而训练的目标是另外的数值：得到的误差不是要学的那个",
        "{compared} compares the output {output} with {given}, which the network was given at {made}, and training has other "
        "targets: the error that it tells is not the one that is learnt",
        compared=at(compared),
        made=at(made),
        output=output,
        given=given,
    )
    advice = Text("与目标（如干净的图像）比较。", "Compare with the targets, as the clean pictures are.")
    return says, advice, compared, made
