"""What the loss of one step was given and what it gave, beside what NumPy makes of the same arrays."""

from typing import Callable, Optional

import numpy as np

from msprec.locate.replay import ReplayedStep
from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.custom_losses import own_losses
from msprec.probe.loss.inline_loss_facts import written_facts
from msprec.probe.loss.loss_parts import other_losses
from msprec.probe.loss.loss_reach import builtin_reach
from msprec.probe.loss.loss_shapes import kind_of
from msprec.probe.loss.loss_targets import Sources, is_learnt, target_facts
from msprec.probe.loss.signed_targets import signed_targets
from msprec.probe.loss.softmax_axes import softmax_axes
from msprec.probe.loss.stopped_prediction import stopped_predictions
from msprec.probe.steps.attainable_range import output_facts, plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, called_at, place_of
from msprec.probe.steps.loss_input_statistics import described, features, is_input
from msprec.probe.steps.numpy_losses import (
    BCE,
    BCE_LOGITS,
    L1,
    MSE,
    NLL,
    SOFTMAX,
    elements,
    equal_reduction,
    kind_called,
    reductions,
)
from msprec.probe.steps.producing_operator import joined_columns, rows_of_channels, source_of
from msprec.record.nested import tensors_in

#: Losses of which the two inputs may change places.
_SYMMETRIC = (MSE, L1, "smooth_l1", "huber", "rmse")
#: Weights of more classes are not kept.
_MOST_CLASSES = 1000
_PRODUCTS = ("mul", "mult", "multiply")
_DIFFERENTIATES = ("value_and_grad", "grad", "vjp", "GradOperation")
_SETTINGS = ("reduction", "sparse", "label_smoothing", "ignore_index", "delta", "beta")


def loss_facts(
    trace: GraphTrace,
    inputs: tuple,
    step: Optional[ReplayedStep] = None,
    again: Optional[Callable] = None,
    weights: Optional[dict] = None,
    batches: Optional[list] = None,
) -> dict:
    """The entries ``losses``, ``own_losses``, ``other_losses``, ``written_loss``, ``broadcasts``, ``softmax_axes``,
    ``signed_targets`` and ``stopped_predictions`` of ``probes.json``.

    Args:
        trace: A traced step.
        inputs: What the step was called with.
        step: The step, where losses of the script's own may be called again.
        again: ``again(inputs)`` makes the step of other inputs, where a loss that is written out may be tried.
        weights: ``{id(parameter): array}`` to try it with.
        batches: The inputs of the steps that are held, the targets of which are counted.
    """
    sources = Sources(inputs, batches or [inputs])
    labels = sources.inputs
    losses = [_loss(trace, node, kind_called(node.callee), sources) for node in trace.nodes if kind_called(node.callee)]
    losses = [one for one in losses if one is not None][:8]
    own = own_losses(trace, sources, step)[:8]
    written = {}
    if step is not None and again is not None and not losses and not any(one["final"] for one in own):
        written = written_facts(step, again, weights, sources)
    return {
        "losses": losses,
        "other_losses": other_losses(trace, sources)[:8],
        **written,
        "own_losses": [*own, *written.get("own_losses", [])],
        "broadcasts": _broadcasts(trace, labels)[:8],
        "softmax_axes": softmax_axes(trace, labels)[:8],
        "signed_targets": signed_targets(trace)[:8],
        "stopped_predictions": stopped_predictions(trace, labels)[:8],
    }


def _loss(trace: GraphTrace, node: Node, kind: str, sources: Sources) -> Optional[dict]:
    if len(node.inputs) < 2 or not node.results:
        return None
    first, second, exchanged = _in_order(trace, node, kind)
    predicted, labels = to_numpy(first), to_numpy(second)
    value = to_numpy(node.results[0])
    each = elements(kind, predicted, labels)
    again = reductions(each) if each is not None and each.size else {}
    output = output_facts(trace, first)
    return {
        "kind": kind,
        "name": node.callee,
        "place": place_of(node),
        "settings": _settings(node),
        "weights": _class_weights(node, kind, labels),
        "predicted": {
            **described(predicted, str(first.dtype)),
            **features(predicted),
            "source": source_of(trace, first),
        },
        "labels": described(labels, str(second.dtype)),
        "exchanged": exchanged,
        "joined_columns": joined_columns(trace, first) if kind in (SOFTMAX, NLL) else None,
        "rows_of_channels": rows_of_channels(trace, first) if kind in (SOFTMAX, NLL) else None,
        "output": output,
        "targets": target_facts(trace, second, output, sources),
        "reach": builtin_reach(kind, kind_of(predicted, labels), predicted, labels, output),
        "shape": list(value.shape),
        "value": float(value) if value.size == 1 else None,
        "unreduced": value.size > 1 and _returned(trace, node),
        "counted": _counted(trace, node, labels),
        "recomputed": again or None,
        "equals": equal_reduction(float(value), again) if value.size == 1 else None,
    }


def _in_order(trace: GraphTrace, node: Node, kind: str) -> tuple:
    """``(prediction, labels, whether they were given the other way round to a loss where that matters)``."""
    first, second = node.inputs[:2]
    if is_learnt(trace, first) or not is_learnt(trace, second):
        return first, second, False
    named = node.arguments[1]
    by_name = any(value is second for value in named.values()) and any(value is first for value in named.values())
    return second, first, kind not in _SYMMETRIC and not by_name


def _settings(node: Node) -> dict:
    held = node.cell_object.__dict__ if node.cell_object is not None else node.arguments[1]
    found = {name: held[name] for name in _SETTINGS if isinstance(held.get(name), (str, bool, int, float))}
    # reduction of the older losses of MindSpore
    if "reduction" not in found and node.cell_object is not None and {"average", "reduce"} <= set(held):
        found["reduction"] = ("mean" if held["average"] else "sum") if held["reduce"] else "none"
    return found


def _class_weights(node: Node, kind: str, labels: np.ndarray) -> Optional[list]:
    """What a sample of each class is weighted with, by the class's number; None: not by class, or too many."""
    if kind in (BCE, BCE_LOGITS):
        return _side_weights(node, labels)
    weights = _argument(node, "weight", 2) if kind in (SOFTMAX, NLL) else None
    known = hasattr(weights, "asnumpy") and weights.ndim == 1 and 1 < weights.size <= _MOST_CLASSES
    return to_numpy(weights).astype(float).tolist() if known else None


def _argument(node: Node, name: str, position: int):
    """A cell's attribute, or a function's argument."""
    if node.cell_object is not None:
        return getattr(node.cell_object, name, None)
    given, named = node.arguments
    return named.get(name, given[position] if len(given) > position else None)


def _side_weights(node: Node, labels: np.ndarray) -> Optional[list]:
    """The mean weights of the labels 0 and 1 of a binary cross-entropy; None for several labels a sample, and where a weight of
    each sample is given to a batch of one side alone."""
    if labels.ndim == 2 and labels.shape[1] > 1:
        return None
    found = [1.0, 1.0]
    for name, position, weighted in (("weight", 2, (0, 1)), ("pos_weight", 3, (1,))):
        given = _argument(node, name, position)
        array = to_numpy(given) if hasattr(given, "asnumpy") else np.ones(1)
        for side in weighted:
            those = array if array.size == 1 else array[labels == side] if array.shape == labels.shape else array[:0]
            if not those.size:
                return None
            found[side] *= float(those.mean())
    return found


def _counted(trace: GraphTrace, node: Node, labels: np.ndarray) -> Optional[dict]:
    """Of a loss of each sample that is multiplied with zeros for some: how many count, and how many of each class among them;
    None of any other loss."""
    each = node.results[0]
    if labels.shape != tuple(each.shape) or labels.dtype.kind not in "iu" or each.size < 2:
        return None
    for other in trace.nodes:
        if plain_name(other) in _PRODUCTS and any(one is each for one in other.inputs):
            given = [to_numpy(one) for one in other.inputs if one is not each and tuple(one.shape) == labels.shape]
            if given and not given[0].all() and given[0].any():
                classes, counts = np.unique(labels[given[0] != 0], return_counts=True)
                by_class = {str(one): int(count) for one, count in zip(classes[:_MOST_CLASSES], counts)}
                return {"samples": int(counts.sum()), "of": int(labels.size), "classes": by_class}
    return None


def _returned(trace: GraphTrace, node: Node) -> bool:
    """Whether what a node gives is what comes out in the end: nothing else is computed from it."""
    if any(source is node for other in trace.nodes if other is not node for source in other.sources):
        return False
    outputs = {id(value) for value in tensors_in(trace.outputs)}
    return any(id(value) in outputs for value in node.results)


def _broadcasts(trace: GraphTrace, labels: list) -> list:
    """Differences of a prediction and a label, or of what is made of one, whose shapes, (N, 1) and (N,), broadcast to (N, N)."""
    found = []
    for node in trace.nodes:
        shapes = [tuple(value.shape) for value in node.inputs[:2]]
        if len(shapes) < 2 or not _spreads(*shapes) or kind_called(node.callee) in (SOFTMAX, NLL):
            continue
        # gradients that are clipped together are of all shapes, and so are weights that a compiled step differentiates by
        if len(node.results) > 1 or node.callee in _DIFFERENTIATES:
            continue
        arrays = [to_numpy(value) for value in node.inputs[:2]]
        given = [
            is_input(array, labels) or _is_made_of_inputs(trace, value) for array, value in zip(arrays, node.inputs)
        ]
        made = {tuple(value.shape) for value in node.results}
        compared = (len(arrays[0]), len(arrays[0])) in made or all(np.prod(one or (1,)) == 1 for one in made)
        if any(given) and not all(given) and compared:  # a sum over the places that the other names compares nothing
            found.append(
                {
                    "operator": node.callee,
                    "place": place_of(node),
                    "called": called_at(node),
                    "shapes": [list(s) for s in shapes],
                    "label": given.index(True),
                }
            )
    return found


def _is_made_of_inputs(trace: GraphTrace, value) -> bool:
    """Whether a value of one number a row comes of what the step was given, such as the logarithm of an exposure."""
    return value.ndim == 1 and not is_learnt(trace, value)


def _spreads(one: tuple, other: tuple) -> bool:
    if one == other or 1 in (np.prod(one or (1,)), np.prod(other or (1,))):
        return False
    small, large = sorted((one, other), key=len)
    return len(small) == 1 and large == (small[0], 1) and small[0] > 1
