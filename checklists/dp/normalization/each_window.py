"""Windows of a series that are scaled each by itself, beside targets of the series as it is (dp.01)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import REGRESSION, loss_kind
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_LEVELS, _WIDTHS = ("min", "mean", "median"), ("max", "std", "ptp", "sum")


def each_window_by_itself(run_data: RunData) -> Optional[Finding]:
    """A problem where a regression's inputs are windows ``w = series[a:b]``, each brought to scale by its own statistics and put
    into a list, and its targets single values of that series, of which nothing of the window is taken off: the level
    that is to be told is no longer in the inputs."""
    kind = loss_kind(run_data)
    if kind is None or kind.kind not in REGRESSION:
        return None
    for file in run_data.source.trees:
        for function in run_data.source.nodes(file, ast.FunctionDef):
            line = _scaled_by_themselves(function)
            if line:
                where = place(file, line)
                return problem(
                    Text(
                        "{where} 用每个窗口自己的统计量缩放输入，而目标取自原来的序列：输入中已没有要预测的水平。",
                        "Each window is scaled by its own statistics at {where}, and targets are values of the series as it is: "
                        "the level that they ask for is no longer in the inputs.",
                        where=at(where),
                    ),
                    Text(
                        "用训练集的均值和标准差缩放所有窗口和目标；或目标也按其窗口缩放，预测后再还原。",
                        "Scale all windows and targets by the mean and deviation of the training set; or each target by its "
                        "window, and undo that after the prediction.",
                    ),
                    [run_data.code_at([where], Text("缩放之处", "Where windows are scaled"))],
                    [where],
                )
    return None


def _scaled_by_themselves(function: ast.FunctionDef) -> int:
    """The line; 0 where there is none."""
    series = {
        target.id: ast.unparse(node.value.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript)
        and isinstance(node.value.slice, ast.Slice)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    appended = [
        call.args[0]
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and called_name(call) == "append" and len(call.args) == 1
    ]
    scaled = [(one, name) for one in appended for name in series if _by_itself(one, name)]
    for one, name in scaled:
        whole = series[name]
        others = [other for other in appended if other is not one and _single_value(other, whole)]
        if others and not any(_names(other) & set(series) for other in others):
            return one.lineno
    return 0


def _by_itself(node: ast.expr, name: str) -> bool:
    """``(w - w.min()) / (w.max() - w.min())`` and the like."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div) or not isinstance(node.left, ast.BinOp):
        return False
    taken, width = _own_statistics(node.left, name), _own_statistics(node.right, name)
    return isinstance(node.left.op, ast.Sub) and bool(taken & set(_LEVELS)) and bool(width & set(_WIDTHS))


def _own_statistics(node: ast.expr, name: str) -> set:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return {called_name(one) for one in calls if name in _names(one)}


def _single_value(node: ast.expr, series: str) -> bool:
    """Whether one value of a series is taken, and no difference of two."""
    taken = [one for one in ast.walk(node) if isinstance(one, ast.Subscript) and ast.unparse(one.value) == series]
    return len(taken) == 1


def _names(node: ast.AST) -> set:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
