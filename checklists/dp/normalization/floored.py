"""Inputs that a division of whole numbers has left with next to nothing (dp.01)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import entering, feature_columns
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.constant_prediction import learnt_well
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import plain_number

#: Of 0 and 1 alone the variance is mean · (1 - mean).
_EXACT = 1e-4


def floored_inputs(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """Problem: a column of inputs holds 0 and 1 alone, or some of its features are constant, and where its values come from an
    array is divided by a number with ``//``, in a training that did not come td.01.well below
    a constant prediction; else None."""
    if learnt_well(run_data):
        return None
    for column in entering(run_data, [one for one in feature_columns(dataset) if one.kind == "float"]):
        says = _left(column)
        lines = (
            [one for where in array_origins(run_data, dataset, column) for one in _divisions(run_data, where)]
            if says
            else []
        )
        if says is not None and lines:
            return problem(
                Text(
                    "{column} {says}：{where} 用整除（//）计算它，小数部分都被丢掉。",
                    "{column} {says}: {where} divides whole numbers (//), and all behind the point is lost.",
                    column=column.name,
                    says=says,
                    where=at(lines[0]),
                ),
                Text("用 / 代替 //；取余数用 %。", "Divide by / in the place of //; a remainder is taken by %."),
                [run_data.code_at(lines, Text("整除之处", "Where whole numbers are divided"))],
                lines,
            )
    return None


def _left(column: Fact) -> Optional[Text]:
    """What is left of a column, where that is 0 and 1 alone or constant features beside others; else None."""
    if None in (column.min, column.max, column.mean, column.std):
        return None
    if (column.min, column.max) == (0, 1) and abs(column.std**2 - column.mean * (1 - column.mean)) < _EXACT:
        return Text("只有 0 和 1 两个值", "holds 0 and 1 alone")
    stds = list(column.channels.std or [])
    constant = sum(std == 0 for std in stds)
    if 0 < constant < len(stds):
        return Text(
            "的 {all} 个特征中有 {n} 个恒定不变",
            "has {n} constant features among {all}",
            n=constant,
            all=len(stds),
        )
    return None


def _divisions(run_data: RunData, where: Fact) -> list:
    """The place, where a line divides something by a number above 1 with ``//`` and does not take an element by it."""
    if not where or not where.file or not where.line:
        return []
    slices = [one.slice for one in run_data.source.nodes_at(where.file, where.line, ast.Subscript)]
    indices = {id(inner) for one in slices for inner in ast.walk(one)}
    for node in run_data.source.nodes_at(where.file, where.line, ast.BinOp):
        divisor = plain_number(node.right)
        if (
            isinstance(node.op, ast.FloorDiv)
            and id(node) not in indices
            and (divisor or 0) > 1
            and not _is_size(node.left)
        ):
            return [place(where.file, where.line)]
    return []


def _is_size(node: ast.expr) -> bool:
    """Whether what is divided is a length or a size of an array."""
    return isinstance(node, ast.Constant) or any(
        (isinstance(one, ast.Attribute) and one.attr in ("shape", "size", "ndim"))
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len")
        for one in ast.walk(node)
    )
