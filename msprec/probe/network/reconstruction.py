"""Whether what a network makes of its inputs, under a loss that compares it with them, depends on these inputs at all.

Only forward passes run, in inference mode, with the weights of the end.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import ancestors, to_numpy
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import run_in_inference
from msprec.probe.steps.loss_input_statistics import is_input
from msprec.probe.steps.numpy_losses import kind_called
from msprec.record.nested import replaced, tensors_in

#: Fewest samples of a batch.
_SAMPLES = 8


def reconstruction(material, losses: list) -> Optional[dict]:
    """The entry ``reconstruction`` of ``probes.json``; None where no loss compares a network's output with its own inputs.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    positions = [(one.get("targets") or {}).get("input") for one in losses]
    position = next((one for one in positions if one is not None), None)
    if position is None:
        return None
    from mindspore import Tensor

    batch = material.batches[-1]
    inputs = list(tensors_in(batch))[position]
    array = to_numpy(inputs)
    if array.dtype.kind != "f" or array.ndim < 2 or len(array) < _SAMPLES:
        return None
    others = np.roll(array, 1, axis=0)
    usual = _made(material, batch, array)
    moved = _made(material, replaced(batch, inputs, Tensor(others, inputs.dtype)), others) if usual else None
    if usual is None or moved is None or usual[0].shape != moved[0].shape:
        return None
    change, wanted = _norm(usual[0] - moved[0]), _norm(array - array.mean(axis=0))
    if not np.isfinite([change, wanted]).all() or not wanted:
        return None
    return {
        "input": position,
        "samples": len(array),
        "of_inputs": change / wanted,
        "place": usual[1],
    }


def _norm(array: np.ndarray) -> float:
    return float(np.linalg.norm(array.astype(np.float64)))


def _made(material, batch: tuple, target: np.ndarray) -> Optional[tuple]:
    """What the first built-in loss compares with the target, if that was computed from the very same numbers, and its place."""
    trace = run_in_inference(material, batch)
    for node in trace.nodes:
        if kind_called(node.callee) and len(node.inputs) > 1:
            for one, other in (node.inputs[:2], node.inputs[1::-1]):
                if is_input(to_numpy(other), [target]) and _computed_from(trace, one, target):
                    return to_numpy(one).astype(np.float64), place_of(node)
    return None


def _computed_from(trace: GraphTrace, value, target: np.ndarray) -> bool:
    before = ancestors([trace.producers.get(id(value))])
    return any(is_input(to_numpy(one), [target]) for node in before for one in node.inputs)
