"""Two inputs of a step that hold the same numbers, and are both encoded: the two views of a sample that were to differ."""

from typing import Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import ancestors, to_numpy
from msprec.probe.connectivity_trace import run_forward
from msprec.probe.lost_inputs import layers
from msprec.record.nested import tensors_in

#: Fewest batches, and fewest samples of one.
_BATCHES, _SAMPLES = 2, 4


def equal_inputs(material) -> Optional[dict]:
    """The entry ``equal_inputs`` of ``probes.json``: positions of two inputs of real numbers that are equal in every captured
    batch and both reach layers with weights, as the input and the target of an autoencoder do not; None where there are none.

    Args:
        material: What the run has left.
    """
    batches = [list(tensors_in(batch)) for batch in material.batches]
    if len(batches) < _BATCHES:
        return None
    first = batches[0]
    pairs = [(a, b) for a in range(len(first)) for b in range(a + 1, len(first)) if _comparable(first[a], first[b])]
    pairs = [pair for pair in pairs if all(_equal(batch, *pair) for batch in batches)]
    encoded = _encoded(material) if pairs else set()
    both = next((pair for pair in pairs if set(pair) <= encoded), None)
    return {"inputs": list(both), "batches": len(batches)} if both is not None else None


def _comparable(one, other) -> bool:
    sound = one is not other and tuple(one.shape) == tuple(other.shape) and one.ndim > 1 and len(one) >= _SAMPLES
    return sound and "Float" in str(one.dtype) and "Float" in str(other.dtype)


def _equal(batch: list, a: int, b: int) -> bool:
    if max(a, b) >= len(batch) or tuple(batch[a].shape) != tuple(batch[b].shape):
        return False
    one, other = to_numpy(batch[a]), to_numpy(batch[b])
    return bool(np.array_equal(one, other) and np.ptp(one, axis=0).any())


def _encoded(material) -> set:
    """Positions of the inputs of a step from which layers with weights compute."""
    step = material.build(material.batches[0])
    with material.in_inference(), undisturbed(step.parameters, None, None, step.host_random):
        trace, _ = run_forward(step)
    given = {id(one) for node in ancestors(layers(trace)) for one in node.inputs}
    return {at for at, one in enumerate(tensors_in(material.batches[0])) if id(one) in given}
