"""What a network can tell of its targets at all, by how its outputs follow its inputs (cg.03).

Layers without an activation that takes effect give the mean of two outputs for the mean of two inputs: an affine map. Layers
without a bias, with ReLU, give k · f(x) for k · x, k > 0: but for a factor the outputs depend on the direction of a sample alone;
with tanh they give -f(x) for -x. Which of these holds is tried; only forward passes run, in inference mode, with the weights of
the end. What is told by other samples in the same way, and by the nearest of them, is held against the targets.
"""

from collections.abc import Callable
from typing import Optional

import numpy as np

from msprec.locate.trace import ancestors, to_numpy
from msprec.probe.data.label_control import LEAST, class_rows, different, samples_and_targets, standardised
from msprec.probe.data.target_control import linear_told, neighbours_told
from msprec.probe.steps.attainable_range import operator_place
from msprec.probe.steps.connectivity_trace import GraphTrace
from msprec.probe.steps.inference_trace import InferenceTraces, layers, run_in_inference, weights_of
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS, MSE, SOFTMAX, kind_called

#: Columns of targets, features and classes at most; relative difference that counts as none.
_COLUMNS, _FEATURES, _CLASSES, _SAME = 16, 64, 50, 1e-3
#: Neighbours in direction that are asked, which are further away; weight of a ridge regression.
_IN_DIRECTION, _RIDGE = 15, 0.01
_KINDS = (MSE, SOFTMAX, BCE, BCE_LOGITS)
#: Probabilities are kept so far from 0 and 1 before their logarithm.
_EDGE = 1e-12


def function_class(traces: InferenceTraces, material, losses: list, activated: bool = False) -> Optional[dict]:
    """The entry ``function_class`` of ``probes.json``; None where the outputs follow the inputs in no such way.

    The outputs are what enters the one loss of a kind that is known; without one, what the last layer gives, where every
    part of the batch is of real numbers.

    Args:
        traces: The step in inference mode.
        material: What the run has left.
        losses: The entries ``losses``.
        activated: Whether an activation ran: the outputs are asked then only where samples tell something of the targets.

    Returns:
        dict: ``by`` (``affine``, ``linear``: one through the origin, ``scale`` or ``sign``); ``widths`` and ``places`` of layers
        with weights that are all in a row, where the inputs are real numbers alone; and, where other samples tell something of
        the targets, how well these are told by the nearest of them (``whole``), and by others in the way of such outputs
        (``part``): as a share of their variance, or of classes as the share of the way from the most frequent class to all right.
    """
    if any(not hasattr(one, "asnumpy") for one in traces.batches[0]):  # a batch whose parts are nested is not made anew
        return None
    known = [one for one in losses if one["kind"] in _KINDS and one["targets"]["input"] is not None]
    position, kind = (known[0]["targets"]["input"], known[0]["kind"]) if len(known) == 1 else (None, None)
    reals = all(n == position or to_numpy(one).dtype.kind == "f" for n, one in enumerate(traces.batches[0]))
    if kind is None and not reals:
        return None
    gathered = _gathered(material, position, kind) if kind is not None else None
    if gathered is None and activated:
        return None
    by = _follows(traces, material, position, kind)
    if by is None:
        return None
    shares = _shares(*gathered, kind, by) if gathered is not None else None
    return {"by": by, **(_row(traces.of()) if reals else {}), **(shares or {})}


def _gathered(material, position: int, kind: str) -> Optional[tuple]:
    """``(samples, targets)`` that neighbours may tell; None of too few, and of samples of more than `_FEATURES` values."""
    gathered = samples_and_targets(material, position, 1 if kind == SOFTMAX else _COLUMNS)
    if gathered is None or gathered[0].shape[1] > _FEATURES:
        return None
    samples, targets = different(*gathered)
    if len(targets) < LEAST or not (np.isfinite(samples).all() and np.isfinite(targets).all()):
        return None
    return samples, targets


def _row(trace: GraphTrace) -> dict:
    """``widths``: what the first layer is given and each gives, in features or channels; ``places``: where each is called."""
    weights = {node: max(weights_of(node), key=lambda one: one.ndim) for node in layers(trace)}
    row = [node for node, weight in weights.items() if weight.ndim >= 2]
    if not row or any(one not in ancestors(then.sources, within=True) for one, then in zip(row, row[1:])):
        return {}
    widths = [int(weights[row[0]].shape[1]), *(int(weights[one].shape[0]) for one in row)]
    return {"widths": widths, "places": [operator_place(one) for one in row]}


def _follows(traces: InferenceTraces, material, position: Optional[int], kind: Optional[str]) -> Optional[str]:
    """How the outputs follow the inputs when these are doubled, turned round, and put half way to one another."""
    ways = (lambda x: 2 * x, lambda x: -x, lambda x: (x + np.roll(x, 1, 0)) / 2)
    others = (run_in_inference(material, _changed(traces.batches[0], position, one)) for one in ways)
    made = [_outputs(one, kind) for one in (traces.of(), *others)]
    if any(one is None or not np.isfinite(one).all() for one in made) or not np.ptp(made[0], axis=0).max() > 0:
        return None
    plain, doubled, negative, halfway = made
    least = _SAME * np.abs(plain).max()
    scale, sign, affine = (
        bool(np.abs(one).max() <= least)
        for one in (doubled - 2 * plain, negative + plain, halfway - (plain + np.roll(plain, 1, 0)) / 2)
    )
    # half way between samples of one piece, a network of straight pieces is affine too
    centre, beyond = plain + negative, doubled - 2 * plain
    affine = affine and all(np.ptp(one, axis=0).max() <= 2 * least for one in (centre, beyond))
    if affine:
        return "linear" if scale else "affine"
    return "scale" if scale else "sign" if sign else None


def _changed(batch: tuple, position: Optional[int], change: Callable) -> tuple:
    """The batch with every input of real numbers but the targets changed so."""
    from mindspore import Tensor

    arrays = [to_numpy(one) for one in batch]
    return tuple(
        one if index == position or array.dtype.kind != "f" else Tensor(change(array).astype(array.dtype), one.dtype)
        for index, (one, array) in enumerate(zip(batch, arrays))
    )


def _outputs(trace: GraphTrace, kind: Optional[str]) -> Optional[np.ndarray]:
    """What enters the loss, of probabilities their log odds; what the last layer gives, where no known one is called."""
    found = next(
        (node for node in trace.nodes if kind is not None and kind_called(node.callee) == kind and node.inputs), None
    )
    if found is None:
        last = layers(trace)[-1:]
        return to_numpy(last[0].results[0]).astype(np.float64) if last and last[0].results else None
    values = to_numpy(found.inputs[0]).astype(np.float64)
    if kind != BCE:
        return values
    inside = np.clip(values, _EDGE, 1 - _EDGE)
    return np.log(inside / (1 - inside))


def _shares(samples: np.ndarray, targets: np.ndarray, kind: str, by: str) -> Optional[dict]:
    """The shares ``whole`` and ``part``, where the neighbours' targets tell something of the samples'."""
    classes = kind != MSE
    wanted = class_rows(targets, _CLASSES) if kind == SOFTMAX else targets.astype(np.float64)
    if wanted is None or (classes and not np.isin(wanted, (0, 1)).all()):
        return None
    order = np.random.default_rng(0).permutation(len(wanted))
    samples, wanted = samples[order], wanted[order]
    near = neighbours_told(samples, wanted)
    if near is None:
        return None
    whole, part = (_share(wanted, one, classes) for one in (near, _told(samples, wanted, by, classes)))
    return None if whole is None or part is None else {"whole": whole, "part": part}


def _share(wanted: np.ndarray, told: np.ndarray, classes: bool) -> Optional[float]:
    """How well the targets are told: the share of their variance, or of the way from the most frequent class to all right."""
    if not classes:
        spread = ((wanted - wanted.mean(0)) ** 2).sum()
        return float(1 - ((wanted - told) ** 2).sum() / spread) if spread > 0 else None
    if (wanted.sum(1) == 1).all() and wanted.shape[1] > 1:
        right, chance = (told.argmax(1) == wanted.argmax(1)).mean(), wanted.mean(0).max()
    else:
        shares = wanted.mean(0)
        right, chance = ((told > 0.5) == (wanted > 0.5)).mean(), np.maximum(shares, 1 - shares).mean()
    return float((right - chance) / (1 - chance)) if chance < 1 else None


def _told(samples: np.ndarray, wanted: np.ndarray, by: str, classes: bool) -> np.ndarray:
    """The targets as others tell them in the way of such outputs."""
    if by == "affine" or (by == "linear" and classes):
        return linear_told(standardised(samples), wanted, _RIDGE)
    if by == "linear":
        return samples @ np.linalg.lstsq(samples, wanted, rcond=None)[0]
    if by == "sign":
        return _by_mirrored(samples, wanted, classes)
    lengths = np.linalg.norm(samples, axis=1)
    unit = samples / np.where(lengths > 0, lengths, 1)[:, None]
    if classes:
        return _near(unit, unit, lambda rows: wanted[rows].mean(0))
    return lengths[:, None] * _near(unit, unit, lambda rows: _slope(lengths[rows], wanted[rows]))


def _by_mirrored(samples: np.ndarray, wanted: np.ndarray, classes: bool) -> np.ndarray:
    """Each target by the mean of its neighbours among the samples and their mirror images, whose targets are mirrored as well: of
    two classes the other one."""
    mirrored = 1 - wanted if classes else -wanted
    both, known = np.concatenate([samples, -samples]), np.concatenate([wanted, mirrored])
    return _near(samples, both, lambda rows: known[rows].mean(0))


def _slope(lengths: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return (lengths[:, None] * wanted).sum(0) / max((lengths**2).sum(), 1e-30)


def _near(asked: np.ndarray, known: np.ndarray, told: Callable) -> np.ndarray:
    """Of each row what ``told`` makes of its nearest others; those as near as the last of them count as well."""
    found = []
    for number, one in enumerate(asked):
        distances = ((known - one) ** 2).sum(1)
        distances[number] = np.inf
        rows = np.flatnonzero(distances <= np.partition(distances, _IN_DIRECTION)[_IN_DIRECTION])
        found.append(told(rows))
    return np.stack(found)
