"""A metric that is monitored in the wrong sense: the least accuracy, or the largest loss, counts as the best (wi.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.kept_weights import better_way
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place

_MODES = {"min": False, "max": True}


def monitored_the_wrong_way(run_data: RunData) -> Optional[Finding]:
    """A problem where ``monitor`` names an accuracy and ``mode`` is "min", or a loss and "max": as arguments of one call, keys of
    one dictionary, or fields of one class or defaults of one function that no call gives otherwise; None elsewhere."""
    found = next(_contradictions(run_data), None)
    if found is None:
        return None
    metric, mode, where = found
    return problem(
        Text(
            "监控的是 {metric}，却用 mode={mode}：被当作最好的是最差的一次，保留（或据以停止、调整学习率）的就是它。",
            "{metric} is monitored with mode={mode}: what counts as the best is the worst, and weights are kept, the training is "
            "stopped or the rate changed by it.",
            metric=metric,
            mode=mode,
        ),
        Text("改为 mode={mode}。", "Set mode={mode}.", mode="max" if mode == "min" else "min"),
        [run_data.code(where, Text("监控之处", "Where it is monitored"))],
        [where],
    )


def _contradictions(run_data: RunData) -> Iterator[tuple]:
    """``(metric, mode, where the mode stands)``."""
    for file in run_data.source.trees:
        for kind in (ast.Call, ast.Dict, ast.ClassDef, ast.FunctionDef):
            for node in run_data.source.nodes(file, kind):
                told = _constants(node)
                metric, mode = told.get("monitor"), told.get("mode")
                if metric is None or mode is None or mode.value not in _MODES:
                    continue
                if better_way(str(metric.value)) in (None, _MODES[mode.value]):
                    continue
                if isinstance(node, (ast.Call, ast.Dict)) or not _given_otherwise(run_data):
                    yield metric.value, mode.value, place(file, mode.lineno)


def _constants(node: ast.AST) -> dict:
    """The texts that stand beside names in a call, a dictionary, the body of a class or the defaults of a function:
    ``{name: constant}``."""
    pairs: list = []
    if isinstance(node, ast.Call):
        pairs = [(one.arg, one.value) for one in node.keywords]
    elif isinstance(node, ast.Dict):
        pairs = [(one.value, value) for one, value in zip(node.keys, node.values) if isinstance(one, ast.Constant)]
    elif isinstance(node, ast.ClassDef):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        pairs = [(one.target.id, one.value) for one in fields if isinstance(one.target, ast.Name)]
    elif isinstance(node, ast.FunctionDef) and node.args.defaults:
        given = [*node.args.posonlyargs, *node.args.args][-len(node.args.defaults) :]
        pairs = [(one.arg, value) for one, value in zip(given, node.args.defaults)]
    return {name: value for name, value in pairs if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def _given_otherwise(run_data: RunData) -> bool:
    """Whether some call hands over a ``monitor`` or a ``mode`` as a text, so that the defaults of a class may not count."""
    calls = (one for file in run_data.source.trees for one in run_data.source.nodes(file, ast.Call))
    return any({"monitor", "mode"} & _constants(one).keys() for one in calls)
