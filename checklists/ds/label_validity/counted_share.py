"""Right answers among some samples that are divided by the number of all (ds.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: What gives an order of all samples, by which all of them are taken.
_ORDERS = ("permutation", "argsort", "arange", "randperm", "permuted", "shuffle")


def counted_among_all(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where ``(pred[some] == labels[some]).sum()``, at once or by the one value of a name, is divided by ``len(labels)``: the
    share is too small by the samples that were not looked at."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.BinOp):
            array = _counted(node.right) if isinstance(node.op, ast.Div) else ""
            some = _chosen(run_data, file, node.left, array) if array else None
            if some is not None:
                where = place(file, node.lineno)
                says = Text(
                    "{where} 用 {array} 的总数去除只在 {some} 中数出的正确个数：得到的比例偏小",
                    "{where} divides the right answers among {some} by the number of all of {array}: the share comes out too "
                    "small",
                    where=at(where),
                    array=array,
                    some=some,
                )
                advice = Text(
                    "除以参与比较的样本数（或用 .mean()）。",
                    "Divide by the samples that are compared, or take the mean.",
                )
                return says, advice, where
    return None


def _counted(node: ast.expr) -> str:
    """The array whose samples ``len(array)``, ``array.size`` or ``array.shape[0]`` counts; else an empty text."""
    if isinstance(node, ast.Call) and called_name(node) == "len" and len(node.args) == 1:
        held = node.args[0]
    elif isinstance(node, ast.Attribute) and node.attr == "size":
        held = node.value
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        held = node.value.value
    else:
        return ""
    return ast.unparse(held) if isinstance(held, (ast.Name, ast.Attribute)) else ""


def _chosen(run_data: RunData, file: str, node: ast.expr, array: str) -> Optional[str]:
    """By what the samples of an array were chosen that a sum of right answers compares."""
    if isinstance(node, ast.Name):
        node = run_data.source.only_value(file, node.id) or node
    summed = node if isinstance(node, ast.Call) and called_name(node) in ("sum", "count_nonzero") else None
    compared = [one for one in ast.walk(summed) if isinstance(one, ast.Compare)] if summed is not None else []
    for one in compared:
        for side in (one.left, *one.comparators) if isinstance(one.ops[0], ast.Eq) else ():
            if (
                isinstance(side, ast.Subscript)
                and ast.unparse(side.value) == array
                and _selects(run_data, file, side.slice)
            ):
                return ast.unparse(side)
    return None


def _selects(run_data: RunData, file: str, index: ast.expr) -> bool:
    """Whether an index takes a part: a mask or indices by a name that no order of all samples gave, or ``array[:n]``."""
    if isinstance(index, ast.Slice):
        return index.upper is not None and index.lower is None
    if not isinstance(index, ast.Name):
        return False
    value = run_data.source.only_value(file, index.id)
    if value is None:
        return False
    orders = isinstance(value, ast.Call) and called_name(value) in _ORDERS
    return not orders and not isinstance(value, ast.Constant)
