"""Which places of padded sequences a loss counts: where its gradient reaches the predictions."""

import contextlib
from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.gradients import Updated
from msprec.locate.replay import undisturbed, watched
from msprec.locate.trace import Edge, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.numpy_losses import NLL, SOFTMAX, kind_called
from msprec.record.nested import tensors_in
from msprec.runtime.cell_origins import created_place

#: Shortest sequence that is looked at.
_SHORTEST = 4
_PRODUCTS = ("mul", "mult", "multiply")


class _Reached(NamedTuple):
    """``node``: the loss; ``counted``: (batch, places), whether the gradient of its predictions is not 0 there."""

    node: object
    counted: np.ndarray


class _LossTrace(GraphTrace):
    """Keeps the gradients that come to the predictions of cross-entropies."""

    def __init__(self, step) -> None:
        super().__init__(step)
        self.arrived: list = []

    def gradient_came(self, edge: Edge, gradient) -> None:
        """A gradient came back on an edge."""
        super().gradient_came(edge, gradient)
        callee = getattr(edge.node, "callee", "")
        if kind_called(callee) in (SOFTMAX, NLL) and edge.node.inputs and edge.value is edge.node.inputs[0]:
            self.arrived.extend((edge.node, to_numpy(one)) for one in tensors_in(gradient))


def loss_places(material) -> Optional[dict]:
    """The entry ``loss_places`` of ``probes.json``; None where no loss of classes has places of sequences, or none are padded.

    Args:
        material: What the run has left.
    """
    batch = material.batches[0]
    arrays = [to_numpy(one) for one in tensors_in(batch)]
    rows = next((len(one) for one in arrays if one.ndim), 0)
    if not any(one.ndim == 2 and one.dtype.kind in "iu" and one.shape[1] >= _SHORTEST for one in arrays):
        return None
    with material.as_in_training():
        step = material.build(batch, list(material.optimizers[0].parameters) if len(material.optimizers) == 1 else None)
        # with the weights of the start: a loss that has gone to 0 has no gradient anywhere
        with undisturbed(step.parameters, None, material.initial, step.host_random):
            trace = _LossTrace(step)
            with watched(trace), contextlib.suppress(Updated):
                step.run(trace, step.scale)
    found = [one for node, gradient in trace.arrived if (one := _by_place(node, gradient, rows)) is not None]
    if len(found) != 1:
        return None
    padded = _padded(arrays, found[0].counted.shape)
    if padded is None or not padded.any() or padded.all():
        return None
    counted = found[0].counted
    return {
        "places": int(counted.size),
        "padded": int(padded.sum()),
        "padded_counted": int(counted[padded].sum()),
        "real_counted": int(counted[~padded].sum()),
        "left_out": _left_out(found[0], padded),
        "place": _mask_place(trace, found[0].node) or place_of(found[0].node),
        "created": created_place(found[0].node.cell_object) if found[0].node.cell_object is not None else None,
    }


def _by_place(node, gradient: np.ndarray, rows: int) -> Optional[_Reached]:
    if gradient.ndim == 3:
        gradient = np.moveaxis(gradient, 1, -1)
    if gradient.ndim < 2 or not rows or (gradient.size // gradient.shape[-1]) % rows:
        return None
    counted = (np.abs(gradient) > 0).any(-1).reshape(rows, -1)
    return _Reached(node, counted) if counted.shape[1] >= _SHORTEST and counted.any() else None


def _left_out(found: _Reached, padded: np.ndarray) -> Optional[int]:
    """The one class whose real places are those that do not count; None: there is none."""
    labels = (
        to_numpy(found.node.inputs[1])
        if len(found.node.inputs) > 1 and hasattr(found.node.inputs[1], "asnumpy")
        else None
    )
    if labels is None or labels.dtype.kind not in "iu" or labels.size != padded.size:
        return None
    labels = labels.reshape(padded.shape)
    out = np.unique(labels[~padded & ~found.counted])
    return int(out[0]) if len(out) == 1 and out[0] >= 0 and not (labels[found.counted] == out[0]).any() else None


def _padded(arrays: list, shape: tuple) -> Optional[np.ndarray]:
    """(batch, places): the places behind each sequence's end, as lengths say that agree with one value filling them up."""
    rows, places = shape
    filled = [one for one in arrays if one.shape == shape and one.dtype.kind in "iu"]
    lengths = [one.reshape(-1) for one in arrays if one.size == rows and one.dtype.kind in "iu"]
    for length in lengths:
        behind = np.arange(places)[None] >= length[:, None]
        fits = (length >= 1).all() and (length <= places).all() and len(np.unique(length)) > 1
        if fits and any(len(np.unique(one[behind])) == 1 for one in filled):
            return behind
    for one in filled:
        value = one[0, -1] if rows else None
        behind = np.cumprod((one == value)[:, ::-1], axis=1)[:, ::-1].astype(bool)
        some, lone = behind.sum(1) > 1, (one == value)[~behind]
        if some.mean() >= 0.5 and not lone.any() and len(np.unique(behind.sum(1))) > 2:
            return behind
    return None


def _mask_place(trace: GraphTrace, loss) -> Optional[dict]:
    """Where the other factor of the loss's elements is made."""
    made = {id(value) for value in loss.results}
    for node in trace.nodes:
        taken = [id(value) in made for value in node.inputs]
        if plain_name(node) in _PRODUCTS and len(node.inputs) == 2 and any(taken):
            mask = trace.producers.get(id(node.inputs[taken.index(False)])) if not all(taken) else None
            return place_of(mask) if mask is not None else None
    return None
