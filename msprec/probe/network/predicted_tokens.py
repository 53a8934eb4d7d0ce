"""Which token of its sequence a place is trained to predict: the next one, or one further on.

Only a forward pass runs, in inference mode, with the weights of the end.
"""

from collections.abc import Iterator
from typing import Optional

import numpy as np

from msprec.locate.trace import Node, ancestors, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.probe.steps.numpy_losses import KINDS, NLL, SOFTMAX
from msprec.record.nested import tensors_in

#: Shortest sequence, fewest different tokens and places with a target, and how far ahead is looked.
_SHORTEST, _TOKENS, _PLACES, _AHEAD = 6, 5, 64, 4
#: What picks a part of a tensor.
_PICKS = ("getitem", "slice", "narrow", "split", "gather")


def predicted_tokens(traces: InferenceTraces) -> Optional[list]:
    """The entry ``predicted_tokens`` of ``probes.json``: of each cross entropy whose targets are tokens of the step's sequences,
    how many places ahead of the output that is held against it a target stands; None where no targets are.

    Args:
        traces: The step in inference mode.
    """
    sequences = [array for one in tensors_in(traces.batches[0]) if _is_sequences(array := to_numpy(one))]
    if not sequences:
        return None
    trace = traces.of()
    losses = [node for node in trace.nodes if KINDS.get(node.callee.lower()) in (SOFTMAX, NLL) and len(node.inputs) > 1]
    return [
        entry for node in losses for ids in sequences[:1] if (entry := _entry(trace, node, ids)) is not None
    ] or None


def _is_sequences(array: np.ndarray) -> bool:
    whole = array.ndim == 2 and array.dtype.kind in "iu" and array.shape[1] >= _SHORTEST
    return whole and len(np.unique(array)) >= _TOKENS


def _entry(trace: GraphTrace, loss: Node, ids: np.ndarray) -> Optional[dict]:
    scores, targets = (to_numpy(one) for one in loss.inputs[:2])
    if targets.dtype.kind not in "iu" or not targets.size or targets.size % len(ids) or scores.ndim not in (2, 3):
        return None
    targets = targets.reshape(len(ids), -1)
    found = [ahead for ahead in range(-1, _AHEAD + 1) if _is_at(targets, ids, ahead)]
    at = _first_place(trace, loss, scores, targets.shape)
    if len(found) != 1 or at is None:  # of sequences that repeat themselves it is not known
        return None
    picked = _picked(trace, loss.inputs[1])
    own = targets.shape[1] == ids.shape[1] and found[0] == at == 0
    return {
        "ahead": found[0] - at,
        "places": int(targets.size),
        "left_out": len(np.unique(ids[targets < 0])) if own else None,
        "place": place_of(loss),
        "picked": place_of(picked) if picked is not None else None,
    }


def _is_at(targets: np.ndarray, ids: np.ndarray, first: int) -> bool:
    """Whether the targets are the tokens from a place on, wherever there is one and the target counts."""
    places = np.arange(targets.shape[1]) + first
    inside = (places >= 0) & (places < ids.shape[1])
    counted = (targets >= 0) & inside
    tokens = ids[:, places.clip(0, ids.shape[1] - 1)]
    return int(counted.sum()) >= _PLACES and bool((tokens == targets)[counted].all())


def _first_place(trace: GraphTrace, loss: Node, scores: np.ndarray, shape: tuple) -> Optional[int]:
    """The place of the network's output, of all places, that the first target is held against."""
    samples, places = shape
    rows = scores.reshape(samples, places, -1) if scores.ndim == 2 else np.moveaxis(scores, 1, -1)
    if rows.shape[:2] != shape:
        return None
    for whole in _outputs(trace, loss, rows.shape):
        for first in range(whole.shape[1] - places + 1):
            if np.array_equal(whole[:, first : first + places], rows):
                return first
    return None


def _outputs(trace: GraphTrace, loss: Node, shape: tuple) -> Iterator[np.ndarray]:
    """What the scores were picked from, the longest first: arrays (samples, places, classes)."""
    before = ancestors([trace.producers.get(id(loss.inputs[0]))])
    made = [one for node in before for one in node.results if len(getattr(one, "shape", ())) == 3]
    fitting = [one for one in made if (one.shape[0], one.shape[2]) == (shape[0], shape[2]) and one.shape[1] >= shape[1]]
    for one in sorted(fitting, key=lambda tensor: -tensor.shape[1]):
        yield to_numpy(one)


def _picked(trace: GraphTrace, targets) -> Optional[Node]:
    """The operator that picked the targets' places."""
    before = ancestors([trace.producers.get(id(targets))])
    return next((node for node in before if any(word in plain_name(node) for word in _PICKS)), None)
