"""Layers whose weights start so large that the activation after them cannot but saturate or die (td.03)."""

import math
from typing import NamedTuple

from msprec.checklists.common.constant_prediction import learning_outcome
from msprec.checklists.td.outcome.assessment import Assessment, assess
from msprec.checklists.td.units.lost_units import Lost, Moments
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


class Large(NamedTuple):
    """A layer's initial weights: ``gain`` is their standard deviation times the root of the values that each unit sums."""

    layer: Fact
    std: float
    gain: float


def too_large(run_data: RunData, moments: Moments, found: list[Lost]) -> list[Large]:
    """The layers right before activations lost from the start whose weights began with a gain of td.03.gain or more."""
    weights = {one.cell: one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.cell}
    entries = [entry for entry, _ in moments.courses()]
    seen: list[Large] = []
    for one in found:
        if one.why not in ("dead", "saturated") or one.since != "start":
            continue
        before = entries[: next((n for n, entry in enumerate(entries) if entry is one.entry), 0)]
        layer = next((entry for entry in reversed(before) if entry.kind == "layer"), None)
        weight = weights.get(layer.cell) if layer is not None else None
        if layer is None or weight is None or weight.initial.std is None:
            continue
        gain = weight.initial.std * math.sqrt(math.prod(weight.shape[1:]))
        if gain >= run_data.limit("td.03.gain"):
            seen.append(Large(layer, weight.initial.std, gain))
    return seen


def _began_far_off(run_data: RunData, outcome: Assessment) -> bool:
    """Whether the loss began td.03.start times above that of a constant prediction, near which an untrained network lies, and
    td.03.solved of the constant's is not gone at the end."""
    gain, constant = outcome.outcome.gain, outcome.outcome.constant_value
    if gain is None or outcome.start is None:
        return False
    return outcome.start >= run_data.limit("td.03.start") * constant and gain < run_data.limit("td.03.solved")


def mostly_saturated(run_data: RunData, moments: Moments) -> list[Lost]:
    """The sigmoid and tanh after such layers of which td.03.mostly is saturated at the start and at the end, where there are two
    or more and the training learnt nothing at all, or began far off a constant prediction and solved not all; or td.03.stack or
    more, where it ended before td.03.half_way below a constant prediction; else none."""
    outcome = run_data.once(assess)
    nothing = outcome.state == "nothing" and outcome.sure
    least = 2
    if run_data.loads:
        return []
    if not (nothing or _began_far_off(run_data, outcome)):
        gain, least = learning_outcome(run_data).gain, int(run_data.limit("td.03.stack"))
        if gain is None or gain >= run_data.limit("td.03.half_way"):
            return []
    found = []
    for entry, earlier in moments.courses():
        start = earlier[0] if earlier else None
        if entry.kind in ("sigmoid", "tanh") and entry.hidden and not entry.gate and start:
            both = min(entry.saturated or 0.0, start.saturated or 0.0)
            if both >= run_data.limit("td.03.mostly"):
                found.append(Lost("saturated", entry, "start", both))
    found = [one for one in found if too_large(run_data, moments, [one])]
    return found if len(found) >= least else []
