"""Layers without any gradient, and why (td.02)."""

from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.weights.weight_updates import applied_updates, decays_without_gradient
from msprec.checklists.td.gradient_flow.depth import without_gradient
from msprec.checklists.td.gradient_flow.layers import Layer, Sampled
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

REASONS = {
    "not_reached": Text("其结果没有参与 loss 的计算（见 cg.03）", "its result does not reach the loss (see cg.03)"),
    "detached": Text("其后有 stop_gradient", "a stop_gradient comes after it"),
    "dead": Text(
        "其输入全为 0，或其后的激活在这里的导数为 0（例如 ReLU 全为负、sigmoid 饱和，见 td.03）",
        "its inputs are all 0, or what follows it has a slope of 0 here, as a ReLU below 0 has (see td.03)",
    ),
    "zeros": Text("权重全为 0，梯度因此为 0（见 wi.01）", "weights that are all zero pass no gradient on (see wi.01)"),
    "unknown": Text("原因没有观察到", "why was not observed"),
    "frozen": Text("requires_grad=False", "requires_grad=False"),
}


class Silent(NamedTuple):
    """A layer without a gradient. ``reason``: a key of `REASONS`; ``place``: where it is made, or the stop_gradient stands."""

    layer: Layer
    reason: str
    place: Optional[Fact]


def silent_layers(run_data: RunData, sampled: Sampled) -> list[Silent]:
    """The weights in an optimizer whose gradient was zero in every sample and that nothing but their decay changed in the whole
    training.

    A weight that changed by more than its decay had a gradient in between: a branch that starts at zero, experts that are chosen
    by the input.
    """
    if applied_updates(run_data) < run_data.limit("td.02.updates"):
        return []
    found = []
    for layer in without_gradient(sampled):
        fact = layer.fact
        if fact is None:
            if len(sampled.steps) > 2:
                found.append(Silent(layer, "unknown", None))
            continue
        still = fact.moved.any is False or fact.moved.proportional or decays_without_gradient(run_data, fact)
        sampled_rows = fact.compared == "sample" and not layer.chain
        if still and fact.requires_grad is not False and fact.in_optimizer is not False and not sampled_rows:
            found.append(Silent(layer, *_reason(run_data, fact)))
    return found


def frozen_layers(run_data: RunData) -> list:
    """The names of the weights that were frozen on purpose."""
    return [one.name for one in run_data.parameters if one.kind == "weight" and one.requires_grad is False]


def _reason(run_data: RunData, fact: Fact) -> tuple:
    place = fact.created or None
    cells = [cell for cell in run_data.probes.graph.cells if cell.path == fact.cell and _may_be(cell.created, place)]
    if any(one.initial.constant and one.initial.max == 0 == one.initial.min for one in _weights(run_data)):
        return "zeros", place
    if any(cell.gradient for cell in cells):
        return "unknown", place
    if any(cell.calls == 0 or cell.used is False for cell in cells):
        return "not_reached", place
    stops = stopped_at(run_data)
    if stops:
        return "detached", stops[0]
    return ("dead" if any(cell.used for cell in cells) else "unknown"), place


def stopped_at(run_data: RunData) -> list:
    """The first places at which the source detaches a value."""
    return run_data.find_lines(r"\bstop_gradient\s*\(", 2)


def _may_be(created: Fact, place: Optional[Fact]) -> bool:
    """Whether a cell that was made there may be the one: cells of two networks have the same path."""
    return not created or place is None or (created.file, created.line) == (place.file, place.line)


def _weights(run_data: RunData) -> list:
    """The weights that stayed as they were."""
    return [one for one in run_data.parameters if one.kind == "weight" and one.moved.any is False]
