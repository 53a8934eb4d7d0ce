"""Arrays from which the mean is taken and that are divided by the variance in place of the standard deviation (dp.01)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.training.constant_prediction import learnt_well
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, plain_number

_VARIANCES, _DEVIATIONS = ("var", "nanvar"), ("std", "nanstd")
#: Standard deviations of what was standardised lie within this factor of 1.
_UNIT = 3.0


def divided_by_variance(run_data: RunData) -> Optional[Finding]:
    """Problem: the code takes the mean off an array and divides by its variance, a column of the training data has features whose
    standard deviation is three times off 1 or more, and the training did not come td.01.well below a constant prediction; else
    None. What has the deviation s is left with 1/s."""
    places = [] if learnt_well(run_data) or not _off_unit(run_data) else _divisions(run_data)
    if not places:
        return None
    return problem(
        Text(
            "{where} 减去均值后除以方差而不是标准差：标准差为 s 的特征变成标准差 1/s，尺度仍各不相同。",
            "{where} takes the mean off and divides by the variance, not by the standard deviation: what has the deviation s is "
            "left with 1/s, and scales go on to differ.",
            where=at(places[0]),
        ),
        Text(
            "除以标准差（std），不要平方，也不要用 var。", "Divide by the standard deviation: no square, and not var."
        ),
        [run_data.code_at(places, Text("缩放之处", "Where it is scaled"))],
        places,
    )


def _off_unit(run_data: RunData) -> bool:
    columns = [one for dataset in train_sets(run_data) for one in dataset.columns if one.kind == "float"]
    stds = [std for one in columns for std in (one.channels.std or [one.std]) if std]
    return any(not 1 / _UNIT < std < _UNIT for std in stds)


def _divisions(run_data: RunData) -> list[Fact]:
    """Where a difference is divided by a variance."""
    files = {file: None for file, _ in run_data.source.calls_anywhere((*_VARIANCES, *_DEVIATIONS))}
    return [
        place(file, node.lineno)
        for file in files
        for node in run_data.source.nodes(file, ast.BinOp)
        if isinstance(node.op, ast.Div) and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Sub)
        if _is_variance(run_data, file, node.right)
    ]


def _is_variance(run_data: RunData, file: str, node: ast.expr) -> bool:
    """Whether it is a call of ``var``, a name that such a call alone gives its value, or the square of a ``std``."""
    names = _VARIANCES
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and plain_number(node.right) == 2:
        node, names = node.left, _DEVIATIONS
    if isinstance(node, ast.Name):
        stores = [one for one in run_data.source.nodes(file, ast.Assign) if node.id in bound_names(one.targets)]
        node = stores[0].value if len(stores) == 1 and len(stores[0].targets) == 1 else node
    return isinstance(node, ast.Call) and called_name(node) in names
