"""A series that is smoothed over what comes after each value, in a script that forecasts it (td.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_FORECASTS = r"(?i)forecast|look_?back|walk_forward|\bhorizon\b"
#: What smooths to both sides whatever its arguments.
_BOTH_SIDES = ("savgol_filter", "filtfilt", "sosfiltfilt", "gaussian_filter1d", "uniform_filter1d")
_SHOWN = re.compile(r"plot|fill_between|figure|loss|accurac|metric|reward", re.IGNORECASE)


def look_ahead(run_data: RunData) -> Optional[Finding]:
    """A problem where a script that speaks of forecasts smooths with a window about each value: what stands before a day then
    holds what is to be forecast, and at the end of a series, where the forecast is made, it does not."""
    if not run_data.find_lines(_FORECASTS, 1):
        return None
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            if not _centred(call):
                continue
            where = place(file, call.lineno)
            text = run_data.lines(where, 0)
            if text and _SHOWN.search(" ".join(text[1])):
                continue
            return problem(
                Text(
                    "{name} 的平滑窗口以每个值为中心：某天之前的输入已经含有之后的值，而预测最新一天时后面没有值，"
                    "训练与预测的输入因此不同。",
                    "{name} smooths with a window about each value: the inputs before a day already hold values after it, and "
                    "at the end of the series, where a forecast is made, there are none.",
                    name=called_name(call),
                ),
                Text(
                    "只用过去的值平滑，例如 mode='full' 后取前 len(x) 个，或 rolling(window) 而不设 center=True。",
                    "Smooth over past values alone: the first len(x) values of mode='full', or rolling(window) without "
                    "center=True.",
                ),
                [run_data.code_at([where], Text("平滑之处", "Where the series is smoothed"))],
                [where],
            )
    return None


def _centred(call: ast.Call) -> bool:
    """``np.convolve(x, kernel, "same")``, ``x.rolling(n, center=True)`` or a filter of both directions."""
    words = {one.arg: getattr(one.value, "value", None) for one in call.keywords}
    name = called_name(call)
    if name == "convolve":
        return (words.get("mode") or getattr(call.args[2] if len(call.args) > 2 else None, "value", None)) == "same"
    return name in _BOTH_SIDES or (name == "rolling" and words.get("center") is True)
