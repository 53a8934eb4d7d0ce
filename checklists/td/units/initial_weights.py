"""Layers whose weights start so large that the activation after them cannot but saturate or die, or so small that nothing comes
through (td.03)."""

import math
from collections.abc import Iterator
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.td.outcome.assessment import Assessment, assess
from msprec.checklists.td.units.lost_units import Lost, Moments
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What a line says that draws weights.
_DRAWS = (
    r"\bweight_init\s*=|\binitializer\((?!\s*['\"](zero|one))|"
    r"\b(Truncated)?Normal\(|\b(Xavier|He)?Uniform\(|\b(He|Xavier)Normal\("
)


#: Of nn.Dense, whose further arguments go by their names.
_WEIGHT_INIT = ArgumentName(("weight_init",), 2)


def drawn_at(run_data: RunData, layers: list) -> list:
    """The user's lines that draw initial weights: where the argument of the layers, entries of the probe, is written, and what
    else draws."""
    made = {(at.file, at.line): at for at in (layer.created for layer in layers) if at}
    written = [origin for at in made.values() for origin in argument_origin(run_data, at, _WEIGHT_INIT)]
    return [*{(at.file, at.line): at for at in written}.values(), *run_data.find_lines(_DRAWS, 4)]


class Scale(NamedTuple):
    """A layer's initial weights: ``gain`` is their standard deviation times the root of the values that each unit sums."""

    layer: Fact
    std: float
    gain: float


class Fading(NamedTuple):
    """Change of the last layer's output with the samples, as a share of the first layer's, before the first step; and the layers
    whose weights are too small."""

    ratio: float
    layers: int
    small: list[Scale]


def _scales(run_data: RunData, layers: list) -> Iterator[Scale]:
    """Of those of the layers, entries of the probe, whose initial weights are known."""
    matrices = [one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1]
    weights, by_name = {one.cell: one for one in matrices if one.cell}, {one.name: one for one in matrices}
    for layer in layers:
        weight = weights.get(layer.cell) if not layer.weight else by_name.get(layer.weight)
        if weight is not None and weight.initial.std is not None:
            std, whole = weight.initial.std, math.prod(weight.shape)
            summed = whole / layer.units if layer.weight and layer.units else math.prod(weight.shape[1:])
            yield Scale(layer, std, std * math.sqrt(summed))


def too_large(run_data: RunData, moments: Moments, found: list[Lost]) -> list[Scale]:
    """The layers right before activations lost from the start whose weights began with a gain of td.03.gain or more; where they
    were lost later, of twice that; and, of a training that came to nothing, all layers before them of twice that, as gains
    multiply."""
    entries, limit = [entry for entry, _ in moments.courses()], run_data.limit("td.03.gain")
    nothing, large = came_to_nothing(run_data), []
    for one in found:
        if one.why in ("dead", "saturated"):
            earlier = entries[: next((n for n, entry in enumerate(entries) if entry is one.entry), 0)]
            before = [entry for entry in reversed(earlier) if entry.kind == "layer"][:1]
            least = limit if one.since == "start" else 2 * limit
            large += [scale for scale in _scales(run_data, before) if scale.gain >= least]
            if nothing:
                layers = [entry for entry in earlier if entry.kind == "layer" and entry not in before]
                large += [scale for scale in _scales(run_data, layers) if scale.gain >= 2 * limit]
    return large


def fading_signal(run_data: RunData, moments: Moments) -> Optional[Fading]:
    """Where a training learnt nothing or hardly anything, what td.03.fading_layers or more layers gave at the start fell to less
    than td.03.faded, and half of them or more had weights of a gain below td.03.narrow; else None."""
    starts = moments.start_ranges()
    layers, ranges = [layer for layer, _ in starts], np.array([size for _, size in starts])
    if len(layers) < run_data.limit("td.03.fading_layers") or not ranges[0] > 0:
        return None
    small = [one for one in _scales(run_data, layers) if one.gain < run_data.limit("td.03.narrow")]
    ratio, fell = float(ranges[-1] / ranges[0]), float((np.diff(ranges) < 0).mean())
    if ratio >= run_data.limit("td.03.faded") or fell < 0.5 or 2 * len(small) < len(layers):
        return None
    return Fading(ratio, len(layers), small)


def wide_start(run_data: RunData, moments: Moments) -> list[Scale]:
    """The layers whose weights began with a gain of td.03.gain or more, where they are two and half of all, nothing was loaded,
    and the loss began far off a constant prediction and was not brought down; or, of a training that came to nothing, whose loss
    may not show it, of twice that gain; else none."""
    if run_data.loads:
        return []
    far = began_far_off(run_data, run_data.once(assess))
    if not far and not came_to_nothing(run_data):
        return []
    limit = run_data.limit("td.03.gain") * (1 if far else 2)
    layers = [entry for entry, _ in moments.courses() if entry.kind == "layer"]
    large = [one for one in _scales(run_data, layers) if one.gain >= limit]
    return large if len(large) >= 2 and 2 * len(large) >= len(layers) else []


def began_far_off(run_data: RunData, outcome: Assessment) -> bool:
    """Whether the loss began td.03.start times above that of a constant prediction, near which an untrained network lies, and
    td.03.solved of the constant's is not gone at the end."""
    gain, constant = outcome.outcome.gain, outcome.outcome.constant_value
    if gain is None or outcome.start is None:
        return False
    return outcome.start >= run_data.limit("td.03.start") * constant and gain < run_data.limit("td.03.solved")


def mostly_saturated(run_data: RunData, moments: Moments) -> list[Lost]:
    """The sigmoid and tanh after such layers of which td.03.mostly is saturated at the start and at the end, where there are two
    or more and the training learnt nothing at all, ended at a loss no better than a constant prediction's (whatever a score
    says), or began far off a constant prediction and solved not all; or td.03.stack or more, where it ended before
    td.03.half_way below a constant prediction; else none."""
    outcome, least = run_data.once(assess), 2
    gain = outcome.outcome.gain
    nothing = outcome.state == "nothing" and outcome.sure
    nothing = nothing or (gain is not None and gain <= run_data.limit("hp.01.constant"))
    if run_data.loads:
        return []
    if not (nothing or began_far_off(run_data, outcome)):
        least = int(run_data.limit("td.03.stack"))
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
