"""Reshapes that give an axis the place of another: reshape keeps the order of the elements, and moves no axis (cg.03)."""

import math
from itertools import accumulate
from operator import mul

from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, live_nodes, place_of
from msprec.probe.steps.loss_input_statistics import is_input
from msprec.record.nested import tensors_in

_RESHAPES = ("reshape", "view", "viewas", "reshapeas")
#: What adds a row or column so that a reshape shifts each row by one more, as relative positions are computed.
_PADS = ("concat", "cat", "pad", "padv3", "constantpadnd", "zeropad2d", "hstack", "stack")


def reshaped_axes(trace: GraphTrace, batch: tuple) -> list:
    """The entry ``reshaped_axes`` of ``probes.json``, of what the loss was computed from.

    Args:
        trace: A watched step.
        batch: What it was called with; heads that are joined to the samples may be as wide as there are samples, so that an
            axis of that size tells nothing.

    Returns:
        list: ``operator``, ``place``, ``given`` and ``made`` (shapes), and ``size`` of the axis that was moved.
    """
    rows = {int(value.shape[0]) for value in tensors_in(batch) if value.ndim}
    inputs = [to_numpy(value) for value in tensors_in(batch)]
    live, found = live_nodes(trace), {}
    for node in trace.nodes:
        if id(node) not in live or plain_name(node) not in _RESHAPES or not node.inputs or not node.results:
            continue
        given, made = tuple(node.inputs[0].shape), tuple(node.results[0].shape)
        sizes = moved_axes(given, made)
        if rows & set(sizes):  # told only where samples are to come first again, after the time, or are put behind it
            again = made[0] in rows and given[0] not in rows
            behind = len(given) > 1 and made[:2] == (given[1], given[0])
            second = behind and is_input(to_numpy(node.inputs[0]), inputs)
            # (time, samples, width) as (samples, time x width): the samples stood second, and now whole steps are their rows
            first = again and len(given) == 3 and made == (given[1], given[0] * given[2]) and given[0] > 1
            # (samples, channels, height, width) as (channels x height x width, samples): columns that are to be samples
            last = len(given) > 2 and made == (math.prod(given[1:]), given[0]) and given[0] in rows and given[0] > 1
            put = made[0] if first else made[-1] if last else None
            sizes = [size for size in sizes if (size not in rows and (again or second)) or size == put]
        if not sizes or _padded(node) or _constant(node.inputs[0]):
            continue
        entry = {
            "operator": node.callee,
            "place": place_of(node),
            "given": list(given),
            "made": list(made),
            "size": sizes[0],
        }
        found.setdefault(str(entry["place"]), entry)
    return list(found.values())[:8]


def moved_axes(given: tuple, made: tuple) -> list:
    """The sizes of axes that stand once in both shapes, and in the second behind another number of elements than in the first:
    their elements are not those of these axes any more.

    Empty where there is none, or where each axis made is a part of one given or whole ones joined: then nothing is torn.

    Args:
        given, made: Shapes of the same number of elements.
    """
    before, after = ([size for size in shape if size != 1] for shape in (given, made))
    if 0 in before or not any(_torn(before, end, size) for end, size in zip(accumulate(after, mul), after)):
        return []
    ends = dict(zip(before, accumulate(before, mul)))
    once = [size for size in after if before.count(size) == after.count(size) == 1]
    return [size for size, end in zip(after, accumulate(after, mul)) if size in once and ends[size] != end]


def _torn(before: list, end: int, size: int) -> bool:
    """Whether an axis made, up to ``end`` elements, holds a piece of one axis given and something of another."""
    ends = [1, *accumulate(before, mul)]
    begin = end // size
    within = any(low <= begin and end <= high for low, high in zip(ends, ends[1:]))
    return not within and not (begin in ends and end in ends)


def _padded(node: Node) -> bool:
    return any(plain_name(source) in _PADS for source in node.sources)


def _constant(value) -> bool:
    array = to_numpy(value)
    return not array.size or bool((array == array.flat[0]).all())
