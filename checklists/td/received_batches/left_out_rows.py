"""Rows of a table that neither part of a split holds, where few are left to train with (td.05)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import learnt_well
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, plain_number, target_names


class _Part(NamedTuple):
    """Rows of an array, ``array[low:high]``, and where they are taken."""

    array: str
    low: float
    high: Optional[float]
    at: Fact


def left_out_rows(run_data: RunData) -> Optional[Finding]:
    """A problem where one array is cut into its first rows and those from a later one on, td.05.left_out times as many lie in
    between as the first part has, which is td.05.few_rows rows at most, nothing takes them, and the training has all but
    learnt the few by heart."""
    for file in sorted(run_data.source.trees) if learnt_well(run_data) else ():
        parts = list(_parts(run_data, file))
        for first in parts:
            rest = [one for one in parts if one.array == first.array and one is not first]
            if first.low or not first.high or first.high > run_data.limit("td.05.few_rows") or not rest:
                continue
            begins = min(one.low for one in rest)
            whole_rows = all(one.low and (one.high is None or one.high > one.low) for one in rest)
            far = begins - first.high >= run_data.limit("td.05.left_out") * first.high
            if whole_rows and far and _is_cut_alone(run_data, file, first.array, 1 + len(rest)):
                return _finding(run_data, file, first, int(begins))
    return None


def _is_cut_alone(run_data: RunData, file: str, array: str, parts: int) -> bool:
    """Whether a file reads an array in its ``parts`` alone, beside its attributes, methods and length."""
    nodes = run_data.source.nodes
    read = [one for one in nodes(file, ast.Name) if one.id == array and isinstance(one.ctx, ast.Load)]
    aside = [one.value for one in nodes(file, ast.Attribute)]
    aside += [given for call in nodes(file, ast.Call) if called_name(call) == "len" for given in call.args]
    return len({id(one) for one in read} - {id(one) for one in aside}) == parts


def _parts(run_data: RunData, file: str) -> Iterator[_Part]:
    """The slices of rows that a file takes of its arrays."""
    for one in run_data.source.nodes(file, ast.Subscript):
        if isinstance(one.value, ast.Name) and isinstance(one.slice, ast.Slice) and one.slice.step is None:
            low, high = (_number(run_data, file, end) for end in (one.slice.lower, one.slice.upper))
            if (one.slice.lower is None) == (low is None) and (one.slice.upper is None) == (high is None):
                yield _Part(one.value.id, low or 0.0, high, place(file, one.lineno))


def _number(run_data: RunData, file: str, node: Optional[ast.expr]) -> Optional[float]:
    """The row number that is written, or that the one value of a name is, of 0 and more."""
    held = run_data.source.only_value(file, node.id) if isinstance(node, ast.Name) else node
    number = plain_number(held) if held is not None else None
    return number if number is not None and number >= 0 else None


def _given_at(run_data: RunData, file: str, where: Fact) -> list:
    """Where the names in a line that are given one number get it."""
    parts = run_data.source.nodes_at(file, where.line, ast.Subscript)
    names = [name for one in parts for name in target_names(one.slice)]
    held = [run_data.source.only_value(file, name) for name in names]
    return [place(file, one.lineno) for one in held if one is not None and plain_number(one) is not None]


def _finding(run_data: RunData, file: str, first: _Part, begins: int) -> Finding:
    places = [*_given_at(run_data, file, first.at), first.at]
    return problem(
        Text(
            "{where} 只取 {array} 的前 {few} 行来训练，而另一部分从第 {begins} 行开始：其间的 {n} 行哪里都没有用到，"
            "训练几乎背下了这几行。",
            "{where} takes the first {few} rows of {array} to train with, and the other part begins at row {begins}: the {n} "
            "rows in between are in neither, and the few have all but been learnt by heart.",
            where=at(first.at),
            array=first.array,
            few=int(first.high or 0),
            begins=begins,
            n=begins - int(first.high or 0),
        ),
        Text("用到另一部分之前的全部行。", "Train with all rows before the other part."),
        run_data.code_at(places, Text("切分之处", "Where rows are taken")),
        places,
    )
