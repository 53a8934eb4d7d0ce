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
#: So many saturated sigmoid or tanh leave little to learn from, though a training may come more than half way.
_FAR = 3
#: Layers from which on all of them together are wide, though each is less so, or small.
_ALL = 3
#: The part of td.03.start from which on a training that came to nothing began far off.
_HALF = 0.5
#: Units of a layer that may all begin below 0 by chance: each does in half of the draws.
_BY_CHANCE = 2
#: Initializers whose first argument is how wide they draw.
_WIDTH, _BY_WIDTH = ArgumentName(("sigma", "scale"), 0), ("Normal", "TruncatedNormal", "Uniform")


def drawn_at(run_data: RunData, layers: list) -> list:
    """The user's lines that draw initial weights: where the argument of the layers, entries of the probe, is written, and what
    else draws."""
    made = {(at.file, at.line): at for at in (layer.created for layer in layers) if at}
    written = [origin for at in made.values() for origin in argument_origin(run_data, at, _WEIGHT_INIT)]
    drawing = run_data.find_lines(_DRAWS, 4)
    written += [
        origin for at in drawing for name in _BY_WIDTH for origin in argument_origin(run_data, at, _WIDTH, name)
    ]
    return [*{(at.file, at.line): at for at in written}.values(), *drawing]


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


def too_large(run_data: RunData, moments: Moments, found: list[Lost], after: bool = False) -> list[Scale]:
    """The layers right before activations lost from the start whose weights began with a gain of td.03.gain or more; where they
    were lost later, of twice that; and, of a training that came to nothing, all layers before them of twice that, as gains
    multiply, and, if told so, those ``after`` them."""
    limit, nothing, large = run_data.limit("td.03.gain"), came_to_nothing(run_data), []
    for one in found:
        if one.why in ("dead", "saturated"):
            earlier = _entries_before(moments, one)
            before = [entry for entry in reversed(earlier) if entry.kind == "layer"][:1]
            least = limit if one.since == "start" else 2 * limit
            large += [scale for scale in _scales(run_data, before) if scale.gain >= least]
            if nothing:
                whole = moments.entries if after else earlier
                layers = [entry for entry in whole if entry.kind == "layer" and entry not in before]
                large += [scale for scale in _scales(run_data, layers) if scale.gain >= 2 * limit]
    return large


def _entries_before(moments: Moments, one: Lost) -> list:
    entries = moments.entries
    return entries[: next((n for n, entry in enumerate(entries) if entry is one.entry), 0)]


def narrow_before(moments: Moments, one: Lost) -> list:
    """The layer right before an activation, where it has so few units that by chance all of them may begin below 0."""
    before = [entry for entry in _entries_before(moments, one) if entry.kind == "layer"][-1:]
    return [layer for layer in before if 0 < (layer.units or 0) <= _BY_CHANCE]


class Bias(NamedTuple):
    """A layer whose initial biases alone put the activation after it where it has no slope, and the one nearest to 0."""

    layer: Fact
    value: float


def far_biases(run_data: RunData, moments: Moments, found: list[Lost]) -> list[Bias]:
    """The layers right before ReLUs that are dead from the start whose biases all begin at -1 or less, and before sigmoids and
    tanh saturated from the start whose biases all begin 4 or more from 0: weights that keep the scale give about 1 (He et al.
    2015)."""
    biases = {one.cell: one.initial for one in run_data.parameters if one.kind == "bias" and one.cell}
    far = []
    for one in found:
        before = [entry for entry in _entries_before(moments, one) if entry.kind == "layer"][-1:]
        for layer, initial in ((layer, biases[layer.cell]) for layer in before if layer.cell in biases):
            low, high = initial.min, initial.max
            if one.since != "start" or low is None or high is None:
                continue
            nearest = high if abs(high) <= abs(low) else low
            if (one.why == "dead" and high <= -1) or (one.why == "saturated" and low * high > 0 and abs(nearest) >= 4):
                far.append(Bias(layer, nearest))
    return far


def fading_signal(run_data: RunData, moments: Moments) -> Optional[Fading]:
    """Where a training learnt nothing or hardly anything, what td.03.fading_layers or more layers gave at the start fell to less
    than td.03.faded, of three to less than the square of that, and half of them or more had weights of a gain below
    td.03.narrow; else None."""
    starts = moments.start_ranges()
    layers, ranges = [layer for layer, _ in starts], np.array([size for _, size in starts])
    if len(layers) < _ALL or not ranges[0] > 0:
        return None
    faded = run_data.limit("td.03.faded") ** (1 if len(layers) >= run_data.limit("td.03.fading_layers") else 2)
    small = [one for one in _scales(run_data, layers) if one.gain < run_data.limit("td.03.narrow")]
    if any(not one.gain for one in small):
        return None  # weights of one number are for wi.01
    ratio, fell = float(ranges[-1] / ranges[0]), float((np.diff(ranges) < 0).mean())
    if ratio >= faded or fell < 0.5 or 2 * len(small) < len(layers):
        return None
    return Fading(ratio, len(layers), small)


def wide_start(run_data: RunData, moments: Moments) -> list[Scale]:
    """The layers whose weights began with a gain of td.03.gain or more, where they are half of all, nothing was loaded, and the
    loss began far off a constant prediction (half as far where it came to nothing) and was not brought down; or, of a training
    that came to nothing, whose loss may not show it, two or more of twice that gain, or all of three or more, as gains multiply;
    else none."""
    if run_data.loads:
        return []
    nothing = came_to_nothing(run_data)
    # a bounded output, as a sigmoid's, cannot begin as far off
    far = began_far_off(run_data, run_data.once(assess), _HALF if nothing else 1.0)
    if not far and not nothing:
        return []
    wide = run_data.limit("td.03.gain")
    layers = moments.layers
    scales = list(_scales(run_data, layers))
    if len(scales) == len(layers) >= _ALL and all(one.gain >= wide for one in scales):
        return scales
    large = [one for one in scales if one.gain >= (1 if far else 2) * wide]
    return large if len(large) >= (1 if far else 2) and 2 * len(large) >= len(layers) else []


def began_far_off(run_data: RunData, outcome: Assessment, part: float = 1.0) -> bool:
    """Whether the loss began td.03.start times (or a ``part`` of that) above that of a constant prediction, near which an
    untrained network lies, and td.03.solved of the constant's is not gone at the end."""
    gain, constant = outcome.outcome.gain, outcome.outcome.constant_value
    if gain is None or outcome.start is None:
        return False
    return outcome.start >= part * run_data.limit("td.03.start") * constant and gain < run_data.limit("td.03.solved")


def mostly_saturated(run_data: RunData, moments: Moments) -> list[Lost]:
    """The sigmoid and tanh after such layers of which td.03.mostly is saturated at the start and at the end, where there are two
    or more and the training learnt nothing at all, ended at a loss no better than a constant prediction's (whatever a score
    says), or began far off a constant prediction and solved not all; or td.03.stack or more, where it ended before
    td.03.half_way below a constant prediction; or three or more, two of them after layers of twice the gain, where it
    solved not all; else none."""
    outcome = run_data.once(assess)
    gain = outcome.outcome.gain
    nothing = outcome.state == "nothing" and outcome.sure
    nothing = nothing or (gain is not None and gain <= run_data.limit("hp.01.constant"))
    if run_data.loads:
        return []
    sure = nothing or began_far_off(run_data, outcome)
    reached = 1.0 if gain is None else gain
    if not sure and reached >= run_data.limit("td.03.solved"):
        return []
    found = [(one, too_large(run_data, moments, [one])) for one in _saturated_throughout(run_data, moments)]
    found = [(one, scales) for one, scales in found if scales]
    far = [one for one, scales in found if max(scale.gain for scale in scales) >= 2 * run_data.limit("td.03.gain")]
    little = sure or reached < run_data.limit("td.03.half_way")
    enough = 2 if sure else run_data.limit("td.03.stack") if little else _FAR
    return [one for one, _ in found] if len(found) >= enough and (little or len(far) > 1) else []


def _saturated_throughout(run_data: RunData, moments: Moments) -> Iterator[Lost]:
    for entry, earlier in moments.courses():
        start = earlier[0] if earlier else None
        if entry.kind in ("sigmoid", "tanh") and entry.hidden and not entry.gate and start:
            both = min(entry.saturated or 0.0, start.saturated or 0.0)
            if both >= run_data.limit("td.03.mostly"):
                yield Lost("saturated", entry, "start", both)
