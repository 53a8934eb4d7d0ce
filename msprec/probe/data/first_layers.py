"""What the first layers with weights are given of each input of a step, with all that the network does to it before.

Only a forward pass runs, in inference mode, with the weights of the end.
"""

from collections.abc import Iterator
from typing import Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces, layers, weights_of
from msprec.probe.steps.linear_layers import followers, normalization_of
from msprec.record.nested import tensors_in

#: Most inputs of a step, most layers of each, and largest arrays that are told, in elements.
_INPUTS, _LAYERS, _LARGEST = 16, 4, 1 << 22
#: Standard deviations of what a normalisation gives that does normalise: its weights begin with 1.
_NORMALIZED = (0.1, 10)


def first_layers(traces: InferenceTraces) -> list:
    """The entry ``first_layers`` of ``probes.json``: of each input of a step the layers that it enters before any other, and the
    numbers that they are given; empty lists of those that enter none.

    Args:
        traces: The step in inference mode.
    """
    trace = traces.of()
    following = followers(trace)
    entered = entered_first(trace, traces.batches[0])
    return [
        {"layers": [_given(node, following) for node in nodes[:_LAYERS]]} for nodes in list(entered.values())[:_INPUTS]
    ]


def entered_first(trace: GraphTrace, batch: tuple) -> dict:
    """Of each input of a step, by its position, the layers with weights that it enters before any other."""
    at = {id(one): number for number, one in enumerate(tensors_in(batch))}
    found: dict = {number: [] for number in at.values()}
    with_weights = {id(node): node for node in layers(trace)}
    for node in with_weights.values():
        entering = {
            at[id(one)] for before in _up_to_others(node, with_weights) for one in before.inputs if id(one) in at
        }
        for number in entering:
            found[number].append(node)
    return found


def _up_to_others(layer: Node, with_weights: dict) -> Iterator[Node]:
    """A layer and what its input was computed from, up to the layers before it."""
    waiting, seen = [layer], set()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(one for one in node.sources if one is not None and id(one) not in with_weights)


def _given(layer: Node, following: dict) -> dict:
    own = {id(one) for one in weights_of(layer)}
    given = next((one for one in layer.inputs if id(one) not in own and 0 < one.size <= _LARGEST), None)
    told = {"operator": layer.callee, "place": place_of(layer), "normalizes": "norm" in plain_name(layer)}
    told["normalized"] = _is_normalized(normalization_of(layer, following))
    if given is None:
        return told
    array = to_numpy(given).astype(np.float64)
    numbers = {"min": array.min(), "max": array.max(), "mean": array.mean(), "std": array.std()}
    return {**told, **{name: float(value) for name, value in numbers.items()}}


def _is_normalized(by: Optional[Node]) -> bool:
    """Whether a normalisation gives numbers of unit scale: neither one whose statistics are those of its start, nor one whose eps
    outweighs the variance of its input."""
    given = next((one for one in by.results if 0 < one.size <= _LARGEST), None) if by is not None else None
    return given is not None and _NORMALIZED[0] <= float(to_numpy(given).astype(np.float64).std()) <= _NORMALIZED[1]
