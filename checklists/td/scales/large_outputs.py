"""Outputs that begin far beyond the targets, and do not come down to them (td.08)."""

import ast
import math
import re
from collections import Counter
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.setting_origin import WEIGHT_INIT, argument_origin
from msprec.checklists.td.outcome.assessment import Assessment
from msprec.checklists.td.scales.targets import Targets
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, own_attribute

#: Layers after which weights that were drawn td.08.wide times as wide let nothing be learnt.
_LAYERS = 8
_ADVICE = Text(
    "按 He 或 Xavier 初始化权重（HeNormal、XavierUniform），加入归一化层，并归一化输入；再比较第一步的输出与目标的尺度。",
    "Draw the weights with HeNormal or XavierUniform, add normalisation layers, normalise the inputs, and compare the "
    "scale of the outputs of the first step with that of the targets.",
)


_ADVICE_SCORES = Text(
    "按 He 或 Xavier 初始化权重（HeNormal、XavierUniform；自己生成时标准差取 sqrt(1 / fan_in)），"
    "再看第一步的 loss 是否接近常数预测。",
    "Draw the weights with HeNormal or XavierUniform (those of your own with a standard deviation of sqrt(1 / fan_in)), and see "
    "whether the first loss is near that of a constant prediction.",
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
    created = [place for one, _ in wide if one.created for place in _made(run_data, one)]
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
        created or first[:1],
    )


def scores_too_large(run_data: RunData, found: Assessment) -> Optional[Finding]:
    """A problem where the loss of class scores starts td.03.start times above a constant prediction's, most weights were drawn
    td.08.wide times as wide as they should be, or one that is used again and again as a recurrent one is lets values grow as
    eight such layers do, and td.03.solved of the constant's loss is not gone at the end; else None.
    """
    constant, gain = found.outcome.constant, found.outcome.gain
    if constant is None or gain is None or not math.isfinite(gain) or found.start is None or run_data.loads:
        return None
    if found.start < run_data.limit("td.03.start") * constant.value or gain >= run_data.limit("td.03.solved"):
        return None
    wide = _wide(run_data)
    if 2 * len(wide) <= len(_drawn(run_data)):
        wide = _wide_again(run_data)
    if not wide:
        return None
    places = [place for one, _ in wide for place in _made(run_data, one)]
    return problem(
        Text(
            "网络开头的输出过大：loss 从 {start} 开始，而常数预测为 {constant}，结尾为 {end}{wide}。",
            "The outputs start too large: the loss starts at {start}, where a constant prediction reaches {constant}, and ends "
            "at {end}{wide}.",
            start=found.start,
            constant=constant.value,
            end=found.end,
            wide=_words(wide),
        ),
        _ADVICE_SCORES,
        [_table(wide), run_data.code_at(places, Text("权重的初始值", "Where weights get their first values"))],
        places or [network.place for network in run_data.networks][:1],
    )


def _made(run_data: RunData, one: Fact) -> list:
    """Where a weight was made: its cell, or in a cell of the script's own the line that makes the parameter."""
    if one.created:
        return [one.created, *argument_origin(run_data, one.created, WEIGHT_INIT)]
    name = re.escape(one.name.rpartition(".")[2])
    return run_data.find_lines(rf"\b{name}\s*=.*\bParameter\(", 1) or _by_function(run_data, one)


def _by_function(run_data: RunData, one: Fact) -> list:
    """Where a function of the script's own makes the parameter that a line of the cell's class binds to its name."""
    attribute = one.name.rpartition(".")[2]
    stores = [(file, store) for file in run_data.source.trees for store in run_data.source.nodes(file, ast.Assign)]
    calls = {
        called_name(store.value)
        for _, store in stores
        if isinstance(store.value, ast.Call) and any(own_attribute(target) == attribute for target in store.targets)
    }
    return [
        place(file, made.lineno)
        for name in sorted(calls)
        for file, function in run_data.source.functions(name)
        for made in ast.walk(function)
        if isinstance(made, ast.Return) and "Parameter(" in ast.unparse(made)
    ]


def _wide(run_data: RunData) -> list:
    """``[(parameter, times He's standard deviation), …]`` of the weights that were drawn td.08.wide times as wide or more."""
    return [(one, times) for one, times in _widths(run_data) if times >= run_data.limit("td.08.wide")]


def _wide_again(run_data: RunData) -> list:
    """The same of weights that one pass through the network uses several times, by as much as values grow on the way."""
    start = next(iter(run_data.probes.units.moments), None)
    used = Counter(one.weight for one in start.entries if one.kind == "layer") if start is not None else Counter()
    most = run_data.limit("td.08.wide") ** _LAYERS
    return [(one, times) for one, times in _widths(run_data) if used[one.name] > 1 and times ** used[one.name] >= most]


def _widths(run_data: RunData) -> list:
    """Each weight with its standard deviation in He's."""
    return [(one, one.initial.std / math.sqrt(2 / _fan_in(one))) for one in _drawn(run_data)]


def _drawn(run_data: RunData) -> list:
    """The weights of layers that have first values."""
    weights = [one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.initial.std]
    return [one for one in weights if "embed" not in one.cell_class.lower()]


def _fan_in(one: Fact) -> int:
    """Values that a unit sums; of a matrix of the script's own, which may stand either way round, the smaller side."""
    return min(one.shape) if len(one.shape) == 2 and not one.created else math.prod(one.shape[1:])


def _words(wide: list) -> Text:
    if not wide:
        return Text("", "")
    return Text(
        "；{n} 个权重的初始标准差达到 He 初始化的 {times} 倍",
        "; {n} {weights} drawn with up to {times} times He's standard deviation",
        n=len(wide),
        weights="weight was" if len(wide) == 1 else "weights were",
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
