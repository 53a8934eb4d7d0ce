"""Layers whose weights start so large that the activation after them cannot but saturate or die (td.03)."""

import math
from typing import NamedTuple

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
