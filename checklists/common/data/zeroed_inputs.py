"""Inputs that are 0 when they reach the first layer, whatever was delivered (td.05), and what is for judging after that."""

from msprec.bilingual import Text
from msprec.checklists.common.weights.cannot_learn import judged_after
from msprec.engine.finding import Finding
from msprec.engine.run_data import RunData

_WHY = Text(
    "第一层得到的输入全为 0（td.05），其权重因此没有梯度，输入的尺度也看不出来，要在改正之后再判断",
    "The first layer is given 0 alone (td.05), so that its weights have no gradient and the scale of the inputs does not show: "
    "for judging after that",
)


def zeroed_inputs(run_data: RunData) -> bool:
    """Whether the first layers are given 0 alone, behind an operator that was given what differs between samples."""
    layers = [layer for one in run_data.probes.first_layers for layer in one.layers]
    return bool(run_data.probes.lost_inputs and layers) and all(one.min == 0 and one.max == 0 for one in layers)


def unless_zeroed(run_data: RunData, found: Finding) -> Finding:
    """A problem with the first layer's weights or the inputs' scale, for judging after that where the inputs are zeroed."""
    zeroed = found.conclusion == "problem" and zeroed_inputs(run_data)
    return judged_after(found, _WHY, "td.05") if zeroed else found
