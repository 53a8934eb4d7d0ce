"""Whether the output of a network of two inputs is their distance, and which label alike inputs have.

Only forward passes run, in inference mode, with the weights of the end.
"""

from typing import Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.loss.inline_loss import written_loss
from msprec.probe.steps.connectivity_trace import run_forward
from msprec.probe.steps.loss_input_statistics import is_input
from msprec.record.nested import replaced, tensors_in

#: Fewest samples of either label.
_SAMPLES = 16


def compared_inputs(material, own: list) -> Optional[dict]:
    """The entry ``compared_inputs`` of ``probes.json``; None where the step is not called with two inputs of one shape and two
    labels, or no loss of the script's own is given one number for each pair.

    Args:
        material: What the run has left.
        own: The entries ``own_losses``.
    """
    places = _pair(material.batches[-1]) if own else None
    if places is None:
        return None
    distances, labels = [], []
    for batch in material.batches:
        left, right, label = (to_numpy(list(tensors_in(batch))[i]) for i in places)
        distances.append(np.linalg.norm((left.astype(np.float64) - right).reshape(len(left), -1), axis=1))
        labels.append(label.reshape(-1))
    distance, label = np.concatenate(distances), np.concatenate(labels)
    if min((label == 0).sum(), (label == 1).sum()) < _SAMPLES or not np.isfinite(distance).all():
        return None
    batch = material.batches[-1]
    tensors = list(tensors_in(batch))
    left, right = tensors[places[0]], tensors[places[1]]
    with material.in_inference():
        usual, equal = _output(material, batch), _output(material, replaced(batch, right, left))
    if usual is None or equal is None:
        return None
    ones = to_numpy(tensors[places[2]]).reshape(-1) == 1
    return {
        "samples": len(label),
        "closer": _closer(distance[label == 1], distance[label == 0]),
        "closer_outputs": _closer(np.abs(usual.reshape(-1)[ones]), np.abs(usual.reshape(-1)[~ones])),
        "equal": float(np.abs(equal).max()),
        "usual": float(np.abs(usual).mean()),
    }


def _pair(batch: tuple) -> Optional[tuple]:
    """Positions of the two inputs and of the labels 0 and 1, among three tensors in all."""
    arrays = [to_numpy(one) for one in tensors_in(batch)]
    labels = [i for i, one in enumerate(arrays) if one.size == len(one) and set(np.unique(one)) <= {0, 1}]
    inputs = [i for i, one in enumerate(arrays) if i not in labels and one.ndim > 1 and one.dtype.kind == "f"]
    if len(arrays) != 3 or len(labels) != 1 or len(inputs) != 2 or arrays[inputs[0]].shape != arrays[inputs[1]].shape:
        return None
    return (*inputs, labels[0])


def _output(material, batch: tuple) -> Optional[np.ndarray]:
    """What the first loss of the script's own is given beside the labels, one number for each pair, or the distance of the two
    outputs that it is given."""
    step = material.build(batch)
    with undisturbed(step.parameters, None, None, step.host_random):
        trace, _ = run_forward(step)
    inputs = [to_numpy(one) for one in tensors_in(batch)]
    for one in trace.own_losses:
        given = [array for array in map(to_numpy, one.given) if array.ndim and not is_input(array, inputs)]
        for array in given:
            if array.size == len(inputs[0]):
                return array
        if len(given) == 2 and given[0].shape == given[1].shape and given[0].ndim == 2:
            return np.linalg.norm(given[0].astype(np.float64) - given[1], axis=1)
    return _written_out(material, step, len(inputs[0]))


def _written_out(material, step, pairs: int) -> Optional[np.ndarray]:
    """What a loss that is written out in the step is made of, where that is one number for each pair."""
    with undisturbed(step.parameters, None, None, step.host_random):
        try:
            predicted = written_loss(step, material.build).predicted
        except Exception:  # what the script's code does not do twice
            return None
    return predicted.reshape(-1) if predicted.size == pairs else None


def _closer(first: np.ndarray, second: np.ndarray) -> float:
    """Share of all pairs of one number of each in which the first is smaller; equal ones count half."""
    if not len(first) or not len(second):
        return 0.5
    return float((first[:, None] < second).mean() + 0.5 * (first[:, None] == second).mean())
