"""A moving average of the weights that a script keeps in arrays, which hardly left where training began (td.07)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.call_sites import in_loop
from msprec.checklists.common.weights.weight_updates import applied_updates
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, plain_number, target_names

#: Calls that give a parameter a value.
_SETS = ("set_data", "assign", "assign_value", "copy_", "load_param_into_net")


class _Average(NamedTuple):
    """``name`` of the arrays, their ``decay``, where it is written, and where the average is taken."""

    name: str
    decay: float
    written: int
    taken: int


def slow_average(run_data: RunData) -> Optional[Finding]:
    """A problem where ``avg = [d * a + (1 - d) * w for a, w in zip(avg, weights)]`` in a loop has td.07.behind of the weights
    that it began with still in it after all updates, and is put into parameters; else None."""
    updates = applied_updates(run_data)
    for file in run_data.source.trees:
        for one in _averages(run_data, file):
            left = one.decay**updates
            if updates and left >= run_data.limit("td.07.behind") and _put_back(run_data, file, one.name):
                return _finding(run_data, one, left, [place(file, line) for line in (one.written, one.taken)])
    return None


def _averages(run_data: RunData, file: str) -> Iterator[_Average]:
    for store in run_data.source.nodes(file, ast.Assign):
        made = store.value if isinstance(store.value, ast.ListComp) else None
        names = bound_names(store.targets) if made is not None else set()
        if made is None or len(names) != 1 or not in_loop(run_data, place(file, store.lineno)):
            continue
        name, over = next(iter(names)), made.generators[0].iter
        if name not in target_names(over):
            continue
        found = _decay(run_data, file, made.elt)
        if found is not None:
            decay, written = found
            yield _Average(name, decay, written, store.lineno)


def _decay(run_data: RunData, file: str, elt: ast.expr) -> Optional[tuple]:
    """``(decay, the line where it is written)`` of ``d * a + (1 - d) * w``."""
    sides = [elt.left, elt.right] if isinstance(elt, ast.BinOp) and isinstance(elt.op, ast.Add) else []
    if not sides or not all(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) for one in sides):
        return None
    factors = [part for one in sides for part in (one.left, one.right)]  # type: ignore[attr-defined]
    rests = {ast.unparse(one.right) for one in factors if _is_rest(one)}
    for one in factors:
        if ast.unparse(one) in rests:
            value = run_data.source.only_value(file, one.id) if isinstance(one, ast.Name) else one
            number = plain_number(value) if value is not None else None
            if value is not None and number is not None and 0 < number < 1:
                return number, value.lineno
    return None


def _is_rest(node: ast.expr) -> bool:
    """``1 - d``"""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and plain_number(node.left) == 1


def _put_back(run_data: RunData, file: str, name: str) -> bool:
    """Whether a loop over the arrays gives parameters their values."""
    return any(
        name in target_names(loop.iter)
        and any(isinstance(one, ast.Call) and called_name(one) in _SETS for one in ast.walk(loop))
        for loop in run_data.source.nodes(file, ast.For)
    )


def _finding(run_data: RunData, one: _Average, left: float, places: list) -> Finding:
    return problem(
        Text(
            "{where} 的滑动平均 {name} 衰减率为 {decay}，{n} 次更新之后其中仍有 {left} 是训练开始时的权重："
            "平均得太慢，写回网络的几乎是初始权重。",
            "The moving average {name} at {where} has a decay of {decay}: after {n} updates {left} of it are still the weights "
            "that training began with, and these are put into the network.",
            where=at(places[-1]),
            name=one.name,
            decay=one.decay,
            n=applied_updates(run_data),
            left=percent(left),
        ),
        Text(
            "减小衰减率，使 1 ÷（1 − 衰减率）远小于更新次数，或在开头用较小的衰减率。",
            "Lower the decay until 1 / (1 - decay) is far below the number of updates, or begin with a smaller one.",
        ),
        [run_data.code_at(places, Text("衰减率与平均", "The decay, and the average"))],
        places,
    )
