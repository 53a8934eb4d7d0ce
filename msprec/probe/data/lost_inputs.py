"""Where samples that differ become one and the same on their way to a layer: a division of whole numbers, a cast, a norm over one
number.

Only forward passes run, in inference mode, with the weights of the end.
"""

import numpy as np

from msprec.locate.trace import Node, ancestors, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces, layers, weights_of
from msprec.record.nested import tensors_in

#: Batches that are looked at, fewest samples of one, and largest tensors, in elements.
_BATCHES, _SAMPLES, _LARGEST = 2, 8, 1 << 22
#: Operators that take no more than the shape of what they are given, or pick a part of it, such as a step that is padding in
#: every sample; activations, whose dead units td.03 looks at.
_OTHERS = ("zeros", "ones", "full", "like", "expandas", "broadcast", "new", "shape", "size", "arange", "eye", "dropout")
_PICKS = ("getitem", "slice", "gather", "select", "split", "chunk", "narrow", "unbind", "unstack", "take", "index")
_PRODUCTS = ("mul", "bmm")
#: A norm leaves two different samples where so large a share of a batch is one of two, to within a fiftieth of their spread; so
#: many different ones have to come in.
_TWO, _ALIKE, _DIFFERENT = 0.9, 0.02, 8
_ACTIVATIONS = ("relu", "elu", "gelu", "silu", "swish", "mish", "softmax", "softmin", "sigmoid", "tanh", "softsign")


def lost_inputs(traces: InferenceTraces) -> list:
    """The entry ``lost_inputs`` of ``probes.json``: operators that are given what differs between the samples of a batch and
    give the same for all, in every batch that is looked at, of which a layer with weights is given nothing else; and norms that
    leave two different samples, as over two numbers, of which the larger becomes 1 and the other -1.

    Args:
        traces: The step in inference mode.
    """
    found = []
    for number, batch in enumerate(traces.batches[:_BATCHES]):
        samples = max((len(one) for one in tensors_in(batch) if one.ndim), default=0)
        if samples >= _SAMPLES:
            found.append(_lost(traces.of(number), samples))
    first = found[0] if found else []
    return [one for one in first if all(one in others for others in found)][:4]


def _lost(trace: GraphTrace, samples: int) -> list:
    # not a mask that hides nothing, which is multiplied with what differs
    same = [one for one in layers(trace) if _is_given_the_same(one, samples)]
    before = {id(node) for node in ancestors([source for one in same for source in one.sources])}
    lost = [node for node in trace.nodes if id(node) in before and _loses(node, samples)]
    two = [one for one in _given_to_layers(trace) if "norm" in plain_name(one) and _leaves_two(one, samples)]
    told = [(node, 1) for node in lost] + [(node, 2) for node in two]
    return [{"operator": node.callee, "place": place_of(node), "cell": node.cell, "left": left} for node, left in told]


def _given_to_layers(trace: GraphTrace) -> list:
    """The nodes whose results are all that a layer with weights is given."""
    found = {id(one.sources[0]): one.sources[0] for one in layers(trace) if len(one.sources) == 1 and one.sources[0]}
    return list(found.values())


def _leaves_two(node: Node, samples: int) -> bool:
    result = node.results[0] if node.results else None
    given = next((one for one in node.inputs if type(one).__name__ != "Parameter" and _is_batch(one, samples)), None)
    if result is None or given is None or not _is_batch(result, samples) or _alike(result):
        return False
    rows = to_numpy(result).reshape(samples, -1).astype(np.float64)
    if rows.shape[1] < 2:
        return False
    steps = np.round(rows / max(_ALIKE * float(rows.std()), 1e-12))
    counts = np.sort(np.unique(steps, axis=0, return_counts=True)[1])[::-1]
    different = len(np.unique(to_numpy(given).reshape(samples, -1), axis=0))
    return different >= _DIFFERENT and counts[:2].sum() >= _TWO * samples


def _loses(node: Node, samples: int) -> bool:
    name = plain_name(node).replace("_", "")
    if any(word in name for word in (*_OTHERS, *_PICKS, *_ACTIVATIONS)) or not node.results or _has_no_part(node, name):
        return False
    result = node.results[0]
    if not _is_batch(result, samples) or "Bool" in str(result.dtype) or not _alike(result):
        return False
    return any(_is_batch(one, samples) and not _alike(one) for one in node.inputs)


def _has_no_part(node: Node, name: str) -> bool:
    """Whether weights alone may make the result the same for all, but for a norm over one number, or a product has a factor of
    zeros, such as the first state of a recurrent layer."""
    weights = weights_of(node)
    if weights:
        return "norm" not in name or not to_numpy(weights[0]).any()
    return any(word in name for word in _PRODUCTS) and any(
        not to_numpy(one).any() for one in node.inputs if getattr(one, "ndim", 0)
    )


def _is_given_the_same(layer: Node, samples: int) -> bool:
    given = [one for one in layer.inputs if type(one).__name__ != "Parameter" and _is_batch(one, samples)]
    return bool(given) and all(_alike(one) for one in given)


def _is_batch(value, samples: int) -> bool:
    shape = tuple(getattr(value, "shape", ()))
    return bool(shape) and shape[0] == samples and hasattr(value, "dtype") and value.size <= _LARGEST


def _alike(value) -> bool:
    """Whether all samples are the same, to within rounding."""
    array = to_numpy(value).reshape(len(value), -1).astype(np.float64)
    apart = np.ptp(array, axis=0).max() if array.size else 0.0
    return bool(apart <= 1e-6 * max(float(np.abs(array).max()), 1e-12)) if array.size else True
