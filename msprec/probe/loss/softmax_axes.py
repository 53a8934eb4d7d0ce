"""Along which axis a softmax of the loss goes, where its input is what the loss compares with class numbers."""

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.loss_shapes import class_numbers
from msprec.probe.steps.connectivity_trace import GraphTrace, live_nodes, place_of
from msprec.probe.steps.loss_input_statistics import is_input
from msprec.probe.steps.numpy_losses import KINDS, SOFTMAX
from msprec.probe.steps.producing_operator import CARRIERS, producer_of, source_of
from msprec.runtime.cell_origins import created_place

_SOFTMAXES, _LOGARITHMS = ("softmax", "softmax_"), ("log_softmax", "logsoftmax", "logsoftmaxext")
_LAYERS = ("Dense", "Linear", "Conv2d", "Conv1d")
#: Carriers behind which the axes are others.
_MOVES = ("transpose", "permute", "swapaxes", "reshape", "view", "flatten", "ravel")
#: Largest prediction that is looked at, in elements, and a sum's distance from one.
_LARGEST, _CLOSE = 1 << 22, 1e-2


def softmax_axes(trace: GraphTrace, labels: list) -> list:
    """The entry ``softmax_axes`` of ``probes.json``: softmaxes of a prediction over another axis than that of the classes.

    A prediction is what a cross-entropy, or a loss of the script's own, takes beside class numbers, or maps that a
    convolution gives and nothing has transposed; its classes lie on axis 1. Predictions as wide as the batch is long count
    only as a layer with weights gave them and some samples share a class: in contrastive losses both axes are classes.
    """
    predictions = _predictions(trace, labels)
    live, found = live_nodes(trace), []
    for node in trace.nodes:
        name = node.callee.lower()
        if name not in (*_SOFTMAXES, *_LOGARITHMS) or id(node) not in live or not node.inputs or not node.results:
            continue
        given = to_numpy(node.inputs[0])
        predicted = any(one.shape == given.shape and np.array_equal(one, given) for one in predictions)
        maps = given.ndim == 4 and given.shape[1] > 1
        if not predicted and not (maps and _is_map(trace, node.inputs[0])):
            continue
        axes = _axes_of(node, name in _LOGARITHMS)
        if not predicted and not set(axes) & {2, 3}:
            continue
        made = created_place(node.cell_object) if node.cell_object is not None else None
        entry = {"operator": node.callee, "place": place_of(node), "created": made}
        found.append({**entry, "shape": list(given.shape), "axes": axes})
    return [] if any(1 in one["axes"] for one in found) else [one for one in found if len(one["axes"]) == 1]


def _predictions(trace: GraphTrace, labels: list) -> list:
    """Arrays of two axes or more that losses take beside the number of a class for each place."""
    pairs = [n.inputs[:2] for n in trace.nodes if KINDS.get(n.callee.lower()) == SOFTMAX and len(n.inputs) > 1]
    for one in trace.own_losses:
        target = next((value for value in one.given if is_input(to_numpy(value), labels)), None)
        pairs += [(value, target) for value in one.given if target is not None and value is not target]
    found = []
    for predicted, label in pairs:
        array, numbers = to_numpy(predicted), to_numpy(label)
        scores = array.dtype.kind == "f" and array.ndim > 1 and array.shape[1] > 1 and 0 < array.size <= _LARGEST
        classes = class_numbers(array, numbers) if scores else None
        if classes is None or (_square(array) and not (_layer_gave(trace, predicted) and _shared(classes))):
            continue
        found.append(array)
    return found


def _square(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.shape[0] == array.shape[1]


def _layer_gave(trace: GraphTrace, value, layers: tuple = _LAYERS) -> bool:
    """Whether a cell of MindSpore's with weights made it, one of these, not a product of two outputs."""
    source = source_of(trace, value)
    return source is not None and source["operator"] in layers


def _is_map(trace: GraphTrace, value) -> bool:
    """Whether a convolution gave it and its axes still lie as there: a transpose may have put the channels last."""
    node = producer_of(trace, value)
    while node is not None and node.callee.lower() in CARRIERS and len(node.sources) == 1:
        if node.callee.lower() in _MOVES:
            return False
        node = node.sources[0]
    return _layer_gave(trace, value, ("Conv2d",))


def _shared(classes: np.ndarray) -> bool:
    return len(np.unique(classes)) < classes.size


def _axes_of(node: Node, logarithm: bool) -> list:
    """The axes along which what a softmax gave adds up to one."""
    result = to_numpy(node.results[0]).astype(np.float64)
    result = np.exp(result) if logarithm else result
    return [axis for axis in range(result.ndim) if np.abs(result.sum(axis) - 1).max() <= _CLOSE]
