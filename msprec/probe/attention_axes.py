"""Along which axis attention weights add up to one, beside the axis along which they are summed with values."""

from typing import Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import Node, to_numpy
from msprec.probe.attainable_range import plain_name
from msprec.probe.connectivity_trace import GraphTrace, place_of, run_forward
from msprec.probe.producing_operator import CARRIERS

_MATMULS = ("matmul", "matmult", "bmm", "batchmatmul", "matmulext", "bmmext")
#: What leaves the weights as they are in inference mode.
_PASSED = (*CARRIERS, "dropout", "dropout2d", "dropoutext", "t", "mt", "movedim")
#: Largest weights that are looked at, in elements; a sum's distance from one.
_LARGEST, _CLOSE = 1 << 22, 1e-2


def attention_axes(material) -> list:
    """The entry ``attention_axes`` of ``probes.json``: softmaxes whose result is multiplied with values along another axis than
    that along which it adds up to one.

    A product of matrices sums over the last axis of its first factor and the last but one of its second; weights that add up
    to one along it make a mean of the values.

    Args:
        material: What the run has left.
    """
    step = material.build(material.batches[0])
    with material.in_inference(), undisturbed(step.parameters, None, None, step.host_random):
        trace, _ = run_forward(step)
    found: dict = {}
    for node in trace.nodes:
        if plain_name(node) not in _MATMULS or len(node.inputs) != 2:
            continue
        for weights, axis in zip(node.inputs, (-1, -2)):
            softmax = _softmax_of(trace, weights)
            entry = _entry(softmax, node, weights, axis) if softmax is not None else None
            if entry is not None:
                found.setdefault(str(entry), entry)
    return list(found.values())[:8]


def _softmax_of(trace: GraphTrace, value) -> Optional[Node]:
    """The softmax that gave the weights of a product."""
    node = trace.producers.get(id(value))
    for _ in range(20):
        if node is None or "softmax" in plain_name(node):
            return node if node is not None and "log" not in plain_name(node) else None
        if not {plain_name(node), node.callee.lower()} & set(_PASSED) or not node.sources:
            return None
        node = node.sources[0]
    return None


def _entry(softmax: Node, product: Node, weights, axis: int) -> Optional[dict]:
    if weights.ndim < 3 or not 0 < weights.size <= _LARGEST or weights.shape[axis] < 2:
        return None
    values = to_numpy(weights).astype(np.float64)
    whole = [at - values.ndim for at in range(values.ndim) if np.abs(values.sum(at) - 1).max() <= _CLOSE]
    if not whole or axis in whole:
        return None
    return {
        "operator": softmax.callee,
        "place": place_of(softmax),
        "product": place_of(product),
        "shape": list(values.shape),
        "axis": whole[-1],
        "summed": axis,
    }
