"""Two inputs of a step that hold the same numbers, and enter one layer: the two views of a sample that were to differ."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.data.first_layers import entered_first
from msprec.probe.steps.inference_trace import InferenceTraces, weights_of
from msprec.record.nested import tensors_in

#: Fewest batches, and fewest samples of one.
_BATCHES, _SAMPLES = 2, 4


def equal_inputs(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``equal_inputs`` of ``probes.json``: positions of two inputs of real numbers that are equal in every captured
    batch and whose first layer has the same weights, as those of a teacher and its student, or of the input and the target of an
    autoencoder have not; None where there are none.

    Args:
        traces: The step in inference mode.
    """
    batches = [list(tensors_in(batch)) for batch in traces.batches]
    if len(batches) < _BATCHES:
        return None
    first = batches[0]
    pairs = [(a, b) for a in range(len(first)) for b in range(a + 1, len(first)) if _comparable(first[a], first[b])]
    pairs = [pair for pair in pairs if all(_equal(batch, *pair) for batch in batches)]
    enter = _first_layers(traces) if pairs else {}
    both = next((pair for pair in pairs if enter[pair[0]] & enter[pair[1]]), None)
    return {"inputs": list(both), "batches": len(batches)} if both is not None else None


def _comparable(one, other) -> bool:
    sound = one is not other and tuple(one.shape) == tuple(other.shape) and one.ndim > 1 and len(one) >= _SAMPLES
    return sound and "Float" in str(one.dtype) and "Float" in str(other.dtype)


def _equal(batch: list, a: int, b: int) -> bool:
    if max(a, b) >= len(batch) or tuple(batch[a].shape) != tuple(batch[b].shape):
        return False
    one, other = to_numpy(batch[a]), to_numpy(batch[b])
    return bool(np.array_equal(one, other) and np.ptp(one, axis=0).any())


def _first_layers(traces: InferenceTraces) -> dict:
    """Of each input of a step, by its position, the ids of the weights of the layers that it enters before any other."""
    entered = entered_first(traces.of(), traces.batches[0])
    return {at: {id(one) for node in nodes for one in weights_of(node)} for at, nodes in entered.items()}
