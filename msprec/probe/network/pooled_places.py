"""A network that pools over all places although its target is where something lies (cg.03)."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import live_nodes, place_of
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.record.nested import tensors_in

#: How the names of operators begin that take all places together.
_POOLS = ("mean", "reducemean", "adaptiveavgpool", "adaptivemaxpool", "avgpool", "amax", "max", "reducemax")
#: Fewest samples, samples a class and places, most samples, and elements of the inputs at most.
_SAMPLES, _EACH, _PLACES, _MOST, _LARGEST = 60, 3, 8, 512, 1 << 24


def pooled_places(traces: InferenceTraces, material) -> Optional[dict]:
    """The entry ``pooled_places`` of ``probes.json``; None where nothing pools over all places or too few samples were held.

    Args:
        traces: The step in inference mode.
        material: What the run has left; its batches hold the pictures (N, C, H, W) or series (N, C, L) and one target a sample.

    Returns:
        dict: ``operator`` and ``place`` of the pooling, ``share`` of the target's variance (of classes: of the places')
        that the place of what stands out of each sample explains, less what chance explains (adjusted R²).
    """
    if not traces.batches:
        return None
    trace = traces.of(0)
    live = live_nodes(trace)
    pools = [node for node in trace.nodes if id(node) in live and _takes_all(node)]
    held = _held(material) if pools else None
    if held is None:
        return None
    share = _share(_places(held[0]), held[1])
    if share is None:
        return None
    return {"operator": pools[0].callee, "place": place_of(pools[0]), "share": share}


def _takes_all(node) -> bool:
    if not node.inputs or not node.results or not plain_name(node).startswith(_POOLS):
        return False
    given, made = node.inputs[0], node.results[0]
    if len(given.shape) not in (3, 4):
        return False
    return made.size == int(np.prod(given.shape[:2])) and int(np.prod(given.shape[2:])) >= _PLACES


def _held(material) -> Optional[tuple]:
    """``(inputs, targets)`` of the batches that were held."""
    inputs, targets = [], []
    for batch in material.batches:
        given = [to_numpy(one) for one in tensors_in(batch)]
        pictures = [one for one in given if one.ndim in (3, 4) and one.dtype.kind == "f"]
        others = [one for one in given if one.ndim in (1, 2) and one.size <= 4 * len(one)]
        if len(pictures) != 1 or len(others) != 1 or len(others[0]) != len(pictures[0]):
            return None
        inputs.append(pictures[0])
        targets.append(others[0].reshape(len(others[0]), -1))
        if sum(map(len, inputs)) >= _MOST or sum(one.size for one in inputs) > _LARGEST:
            break
    alike = len({one.shape[1:] for one in inputs}) == len({one.shape[1:] for one in targets}) == 1
    return (np.concatenate(inputs), np.concatenate(targets)) if alike else None


def _places(inputs: np.ndarray) -> np.ndarray:
    """Where the strongest value of each sample lies and where its energy does, (N, 2 × axes) float64, from 0 to 1."""
    strength = (
        np.abs(inputs - np.median(inputs, axis=tuple(range(2, inputs.ndim)), keepdims=True)).astype(np.float64).sum(1)
    )
    sizes, rows = strength.shape[1:], strength.reshape(len(strength), -1)
    peak = np.stack(np.unravel_index(rows.argmax(1), sizes), 1) / np.array(sizes)
    weights = rows**2 / np.maximum((rows**2).sum(1, keepdims=True), 1e-30)
    grid = np.stack([one.ravel() for one in np.meshgrid(*map(np.arange, sizes), indexing="ij")], 1) / np.array(sizes)
    return np.concatenate([peak, weights @ grid], 1)


def _share(places: np.ndarray, targets: np.ndarray) -> Optional[float]:
    """Adjusted R² of the targets on the places; of classes, of the places on the classes."""
    count = len(targets)
    if count < _SAMPLES:
        return None
    classes = targets.dtype.kind in "iu" and targets.shape[1] == 1
    if classes:
        kinds, at = np.unique(targets[:, 0], return_inverse=True)
        if len(kinds) < 2 or count < _EACH * len(kinds):
            return None
        means = np.stack([places[at == kind].mean(0) for kind in range(len(kinds))])
        left, whole, used = ((places - means[at]) ** 2).sum(0), ((places - places.mean(0)) ** 2).sum(0), len(kinds) - 1
    else:
        known = np.concatenate([np.ones((count, 1)), places, places**2], 1)
        wanted = targets.astype(np.float64)
        fitted = known @ np.linalg.lstsq(known, wanted, rcond=None)[0]
        left, whole, used = ((wanted - fitted) ** 2).sum(0), ((wanted - wanted.mean(0)) ** 2).sum(0), known.shape[1] - 1
    if count - used - 1 <= 0 or not (whole > 0).any():
        return None
    adjusted = 1 - left / np.where(whole > 0, whole, np.inf) * (count - 1) / (count - used - 1)
    adjusted = np.where(whole > 0, adjusted, 0.0)
    # of classes each axis has to follow them: what classes look like tells something of one of them
    return float(adjusted.reshape(2, -1).max(0).min() if classes else adjusted.max())
