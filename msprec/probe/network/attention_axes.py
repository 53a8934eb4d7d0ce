"""Along which axis attention weights add up to one, or vectors have length one, beside the axis that a product sums over."""

from typing import Callable, Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.probe.steps.producing_operator import CARRIERS

_MATMULS = ("matmul", "matmult", "bmm", "batchmatmul", "matmulext", "bmmext")
_SUMS, _PRODUCTS = ("sum", "reducesum", "reduce_sum", "sumext"), ("mul", "multiply", "mulext")
#: What leaves the weights as they are in inference mode.
_PASSED = (*CARRIERS, "dropout", "dropout2d", "dropoutext", "t", "mt", "movedim", "getattr")  # x.T
#: What makes vectors of length one.
_NORMALIZING = ("l2normalize", "normalize", "div", "divide", "truediv", "realdiv", "multiply", "mul")
#: Largest weights that are looked at, in elements; a sum's distance from one.
_LARGEST, _CLOSE = 1 << 22, 1e-2


def attention_axes(traces: InferenceTraces) -> list:
    """The entry ``attention_axes`` of ``probes.json``: what is multiplied along another axis than that along which it was
    normalised: softmaxes with values, and vectors of length one with each other.

    A product of matrices sums over the last axis of its first factor and the last but one of its second; weights that add up
    to one along it make a mean of the values, and vectors of length one make a cosine of their angle.

    Args:
        traces: The step in inference mode.
    """
    trace = traces.of()
    found: dict = {}
    for node in trace.nodes:
        if plain_name(node) in _SUMS:
            entry = _weighted_sum(trace, node)
            if entry is not None:
                found.setdefault(str(entry), entry)
        if plain_name(node) not in _MATMULS or len(node.inputs) != 2:
            continue
        for weights, axis in zip(node.inputs, (-1, -2)):
            softmax = _softmax_of(trace, weights)
            entry = _entry(softmax, node, weights, axis) if softmax is not None else None
            if entry is not None:
                found.setdefault(str(entry), entry)
        entry = _cosines(trace, node)
        if entry is not None:
            found.setdefault(str(entry), entry)
    return list(found.values())[:8]


def _softmax_of(trace: GraphTrace, value) -> Optional[Node]:
    """The softmax that gave the weights of a product."""
    return _origin(trace, value, lambda node: "softmax" in plain_name(node) and "log" not in plain_name(node))


def _origin(trace: GraphTrace, value, wanted: Callable) -> Optional[Node]:
    """The operator of a kind that gave a value, which was only passed on or turned since."""
    node = trace.producers.get(id(value))
    for _ in range(20):
        if node is None or wanted(node):
            return node
        if not {plain_name(node), node.callee.lower()} & set(_PASSED) or not node.sources:
            return None
        node = node.sources[0]
    return None


def _entry(softmax: Node, product: Node, weights, axis: int) -> Optional[dict]:
    if weights.ndim < 3 or not 0 < weights.size <= _LARGEST or weights.shape[axis] < 2:
        return None
    whole = _ones_along(to_numpy(weights).astype(np.float64))
    return None if not whole or axis in whole else _found(softmax, product, weights, whole[-1], axis, unit_length=False)


def _weighted_sum(trace: GraphTrace, total: Node) -> Optional[dict]:
    """A sum of a product with softmax weights over another axis than that along which they add up to one."""
    product = trace.producers.get(id(total.inputs[0])) if total.inputs else None
    if product is None or plain_name(product) not in _PRODUCTS or len(product.inputs) != 2:
        return None
    axis = _summed_axis(to_numpy(total.inputs[0]), to_numpy(total.results[0])) if total.results else None
    for weights in product.inputs if axis is not None else ():
        softmax = _softmax_of(trace, weights)
        same = softmax is not None and getattr(weights, "ndim", 0) == total.inputs[0].ndim
        entry = _entry(softmax, total, weights, axis) if same else None
        if entry is not None and weights.shape[entry["axis"]] > 1:  # of a softmax of one number td.03 tells by itself
            return entry
    return None


def _summed_axis(given: np.ndarray, made: np.ndarray) -> Optional[int]:
    """The axis, counted from the end, over which an array was summed; None where it is none alone."""
    if not 0 < given.size <= _LARGEST:
        return None
    axes = [at for at in range(given.ndim) if given.shape[at] > 1 and given.size // given.shape[at] == made.size]
    sums = [(at, given.astype(np.float64).sum(at).reshape(-1)) for at in axes]
    fitting = [at for at, values in sums if np.allclose(values, made.reshape(-1), rtol=1e-3, atol=1e-4)]
    return fitting[0] - given.ndim if len(fitting) == 1 else None


def _cosines(trace: GraphTrace, product: Node) -> Optional[dict]:
    """A product of two factors whose vectors have length one, both along another axis than the product's."""
    ways = []
    for factor, axis in zip(product.inputs, (-1, -2)):
        if factor.ndim < 2 or not 0 < factor.size <= _LARGEST or min(factor.shape[-2:]) < 2:
            return None
        made = _origin(trace, factor, lambda node: plain_name(node) in _NORMALIZING)
        whole = _ones_along(np.square(to_numpy(factor).astype(np.float64))) if made is not None else []
        if not whole or axis in whole:
            return None
        ways.append((made, whole[-1]))
    return _found(ways[0][0], product, product.inputs[0], ways[0][1], -1, unit_length=True)


def _ones_along(values: np.ndarray) -> list:
    """The axes, counted from the end, along which the values add up to one everywhere."""
    return [at - values.ndim for at in range(values.ndim) if np.abs(values.sum(at) - 1).max() <= _CLOSE]


def _found(made: Node, product: Node, factor, axis: int, summed: int, unit_length: bool) -> dict:
    return {
        "operator": made.callee,
        "place": place_of(made),
        "product": place_of(product),
        "shape": list(factor.shape),
        "axis": axis,
        "summed": summed,
        "unit_length": unit_length,
    }
