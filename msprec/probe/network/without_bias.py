"""What a network without a bias can tell of its targets: its outputs grow as its inputs do, or change their sign too (cg.03).

A network of layers without a bias and of ReLU gives k · f(x) for k · x, k > 0: but for a factor its outputs depend on the
direction of a sample alone. One with tanh gives -f(x) for -x. Whether that is so is tried; only forward passes run, in inference
mode, with the weights of the end.
"""

from typing import Callable, Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.data.label_control import LEAST, compared, different, samples_and_targets
from msprec.probe.data.target_control import explained
from msprec.probe.steps.inference_trace import run_in_inference
from msprec.probe.steps.numpy_losses import MSE, SOFTMAX, kind_called
from msprec.record.nested import tensors_in

#: Columns of targets and features at most; neighbours that are asked; relative difference that counts as none.
_COLUMNS, _FEATURES, _NEIGHBOURS, _SAME = 16, 64, 15, 1e-3


def without_bias(material, losses: list) -> Optional[dict]:
    """The entry ``without_bias`` of ``probes.json``; None where a parameter of one dimension is trained, where the outputs
    neither grow with the inputs nor change their sign with them, and without one mean squared error or cross entropy of the
    samples' own targets.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.

    Returns:
        dict: ``by`` (``scale``, ``sign`` or ``both``), and of samples told by others of the batches that were held the share
        that is told ``whole``, and the share that is told by ``part`` of them, as such a network can: of the targets' variance,
        or of the classes.
    """
    known = [one for one in losses if one["kind"] in (MSE, SOFTMAX) and one["targets"]["input"] is not None]
    if len(known) != 1:
        return None
    position, kind = known[0]["targets"]["input"], known[0]["kind"]
    step = material.build(material.batches[0])
    if any(len(one.shape) < 2 for one in step.parameters):
        return None
    gathered = samples_and_targets(material, position, _COLUMNS if kind == MSE else 1)
    if gathered is None or len(gathered[0]) < LEAST or gathered[0].shape[1] > _FEATURES:
        return None
    by = _symmetry(material, position, kind)
    shares = _shares(*gathered, kind, by) if by is not None else None
    return None if shares is None else {"by": by, "whole": shares[0], "part": shares[1]}


def _symmetry(material, position: int, kind: str) -> Optional[str]:
    """How the outputs follow the inputs when all of these are doubled, and when their sign is changed."""
    plain, doubled, negative = (_outputs(material, position, kind, factor) for factor in (1.0, 2.0, -1.0))
    if plain is None or doubled is None or negative is None or not np.abs(plain).max() > 0:
        return None
    least = _SAME * np.abs(plain).max()
    scale = bool(np.abs(doubled - 2 * plain).max() <= least)
    sign = bool(np.abs(negative + plain).max() <= least)
    return "both" if scale and sign else "scale" if scale else "sign" if sign else None


def _outputs(material, position: int, kind: str, factor: float) -> Optional[np.ndarray]:
    """What enters the loss when every input of real numbers but the targets is multiplied by ``factor``."""
    tensors = list(tensors_in(material.batches[0]))
    # a batch whose parts are nested is not made anew
    if len(tensors) != len(material.batches[0]):
        return None
    kept = [index == position or to_numpy(one).dtype.kind != "f" for index, one in enumerate(tensors)]
    trace = run_in_inference(material, tuple(one if keep else one * factor for one, keep in zip(tensors, kept)))
    found = next((node for node in trace.nodes if kind_called(node.callee) == kind and node.inputs), None)
    return to_numpy(found.inputs[0]).astype(np.float64) if found is not None else None


def _shares(samples: np.ndarray, targets: np.ndarray, kind: str, by: str) -> Optional[tuple]:
    """``(whole, part)`` as `without_bias` has them."""
    if kind == SOFTMAX:
        whole = compared(samples, targets[:, 0]) if targets.dtype.kind in "iu" and by == "scale" else None
        lengths = np.linalg.norm(samples, axis=1, keepdims=True)
        part = compared(samples / np.where(lengths > 0, lengths, 1), targets[:, 0]) if whole is not None else None
        return None if whole is None or part is None else (whole["agreement"], part["agreement"])
    samples, targets = different(samples, targets.astype(np.float64))
    whole = explained(samples, targets)
    if whole is None:
        return None
    spread = ((targets - targets.mean(0)) ** 2).sum()
    told = {"scale": _by_direction, "sign": _by_mirrored, "both": _by_line}[by](samples, targets)
    return whole["explained"], float(1 - ((targets - told) ** 2).sum() / spread)


def _by_direction(samples: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Each target by the neighbours in direction, as its length times what fits these best."""
    lengths = np.linalg.norm(samples, axis=1)
    unit = samples / np.where(lengths > 0, lengths, 1)[:, None]
    return lengths[:, None] * _near(unit, unit, lambda rows: _slope(lengths[rows], targets[rows]))


def _by_mirrored(samples: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Each target by the mean of its neighbours among the samples and their mirror images, whose targets are mirrored as well."""
    both, wanted = np.concatenate([samples, -samples]), np.concatenate([targets, -targets])
    return _near(samples, both, lambda rows: wanted[rows].mean(0))


def _by_line(samples: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Each target by the linear map through the origin that fits best."""
    return samples @ np.linalg.lstsq(samples, targets, rcond=None)[0]


def _slope(lengths: np.ndarray, targets: np.ndarray) -> np.ndarray:
    return (lengths[:, None] * targets).sum(0) / max((lengths**2).sum(), 1e-30)


def _near(asked: np.ndarray, known: np.ndarray, told: Callable) -> np.ndarray:
    """Of each row what ``told`` makes of its nearest others; those as near as the last of them count as well."""
    found = []
    for number, one in enumerate(asked):
        distances = ((known - one) ** 2).sum(1)
        distances[number] = np.inf
        rows = np.flatnonzero(distances <= np.partition(distances, _NEIGHBOURS)[_NEIGHBOURS])
        found.append(told(rows))
    return np.stack(found)
