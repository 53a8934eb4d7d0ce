"""Outputs that begin far beyond the targets, and do not come down to them (td.08)."""

import math
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.td.outcome.assessment import Assessment
from msprec.checklists.td.scales.targets import Targets
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData

_ADVICE = Text(
    "按 He 或 Xavier 初始化权重（HeNormal、XavierUniform），加入归一化层，并归一化输入；再比较第一步的输出与目标的尺度。",
    "Draw the weights with HeNormal or XavierUniform, add normalisation layers, normalise the inputs, and compare the "
    "scale of the "
    "outputs of the first step with that of the targets.",
)


def outputs_too_large(run_data: RunData, targets: Targets, found: Assessment, shown: list) -> Optional[Finding]:
    """A problem where a squared error starts td.08.outputs times above the best constant's loss and ends td.08.far times
    above it; None elsewhere.
    """
    constant = found.outcome.constant
    if targets.loss.kind != "mse" or constant is None or not constant.value > 0 or None in (found.start, found.end):
        return None
    start, end = float(found.start or 0.0) / constant.value, float(found.end or 0.0) / constant.value
    if start < run_data.limit("td.08.outputs") or not end > run_data.limit("td.08.far"):
        return None
    wide = _wide(run_data)
    created = [one.created for one, _ in wide if one.created]
    first = [one.created for one in run_data.parameters if one.kind == "weight" and one.created]
    return problem(
        Text(
            "网络的输出远大于目标：开头的 loss 是输出均值时的 {start} 倍，即输出约为目标标准差的 {times} 倍，"
            "结尾仍为 {end} 倍{wide}。",
            "The outputs are far larger than the targets: the loss starts at {start} times that of putting out the mean, which "
            "takes outputs of about {times} standard deviations of the targets, and still ends at {end} times{wide}.",
            start=start,
            times=math.sqrt(start),
            end=end,
            wide=_words(wide),
        ),
        _ADVICE,
        [_table(wide), *shown],
        list({str(one): one for one in (created or first[:1])}.values()),
    )


def _wide(run_data: RunData) -> list:
    """``[(parameter, times He's standard deviation), …]`` of the weights that were drawn td.08.wide times as wide or more."""
    found = []
    for one in run_data.parameters:
        if one.kind != "weight" or len(one.shape) < 2 or one.initial.std is None or "embed" in one.cell_class.lower():
            continue
        times = one.initial.std / math.sqrt(2 / math.prod(one.shape[1:]))
        if times >= run_data.limit("td.08.wide"):
            found.append((one, times))
    return found


def _words(wide: list) -> Text:
    if not wide:
        return Text("", "")
    return Text(
        "；{n} 个权重的初始标准差达到 He 初始化的 {times} 倍",
        "; {n} weights were drawn with up to {times} times He's standard deviation",
        n=len(wide),
        times=max(times for _, times in wide),
    )


def _table(wide: list):
    if not wide:
        return None
    rows = [[one.name, one.initial.std, times] for one, times in wide]
    columns = [
        Text("权重", "weight"),
        Text("初始标准差", "standard deviation at the start"),
        Text("为 He 初始化的倍数", "times He's"),
    ]
    return table(Text("初始值过宽的权重", "Weights that were drawn wide"), columns, rows)
