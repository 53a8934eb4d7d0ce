"""Series of (steps, channels) that a reshape has made of (channels, steps) (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

_NAMED = r"\b{}|\bc|channels?|features?|\bdims?|axes|sensors?|signals?|leads?|bands?|\w+\.shape\[-?\d\]"
_RESHAPES = rf"(?i)\b(reshape|view)\(.*({_NAMED})\s*[)\]]*\)"


def reshaped_series(run_data: RunData) -> Optional[Finding]:
    """A problem where the values of a sample, taken in a row, go together with their neighbours whether these are of the same
    step or the next, more than with those of the same channel a step away (by td.05.together), but not where as many values as
    there are steps end; and a reshape to so many channels is written. None of frames that a series was cut into, whose values
    go on from frame to frame."""
    found = run_data.probes.interleaved_series
    told = (found.within_steps, found.across_steps, found.steps_apart, found.at_borders)
    if None in told:
        return None
    within, across, apart, borders = told
    least, margin = min(within, across), run_data.limit("td.05.together")
    beside = abs(within - across) <= margin and least >= max(apart, borders) + margin and least >= 2 * margin
    places = run_data.find_lines(_RESHAPES.format(found.channels), 3) if beside else []
    if not places:
        return None
    return problem(
        Text(
            "序列的形状是 ({steps}, {channels})，数值却按 ({channels}, {steps}) 排列：相邻的值（相关系数 {within}，跨步 {across}"
            "）比同一通道相邻两步的值（{apart}）更相关。reshape 不移动数值，各步与各通道被打乱。",
            "The series have the shape ({steps}, {channels}), and their values lie as those of ({channels}, {steps}) do: "
            "neighbours go together (a correlation of {within} within a step, {across} from one to the next) more than two steps "
            "of one channel ({apart}). A reshape moves no values, and steps and channels are mixed up.",
            steps=found.steps,
            channels=found.channels,
            within=within,
            across=across,
            apart=apart,
        ),
        Text(
            "用 transpose(0, 2, 1) 或 swapaxes(1, 2) 代替 reshape。",
            "Exchange the axes by transpose(0, 2, 1) or swapaxes(1, 2) in place of the reshape.",
        ),
        [run_data.code_at(places, Text("改变形状之处", "Where the shape is changed"))],
        places,
    )
