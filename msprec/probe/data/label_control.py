"""Whether labels follow from the inputs at all: the nearest neighbours' labels beside shuffled labels as a control.

Cover and Hart, "Nearest neighbor pattern classification" (1967): the nearest neighbour errs at most twice as often as the best
classifier, given enough samples. Labels that it finds no oftener than shuffled ones may still follow from the inputs (as a
parity does); labels that it finds oftener do.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.loss_input_statistics import one_hot_rows
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS, NLL, SOFTMAX
from msprec.record.nested import tensors_in

#: Samples that are needed and that are taken; values of a sample that are looked at; shuffles of the labels.
LEAST, _MOST, _VALUES, _SHUFFLES = 200, 1200, 512, 20
#: Classes at most whose pairs are looked for, samples of each at the least; share of the neighbours of another class that are of
#: one, and least share that either class has of all.
_CLASSES, _EACH, _NEXT_TO_ALL, _HALF = 50, 20, 0.85, 0.3
#: A window of a series holds the values of the one before, moved by so many places or fewer (one for each series side by side).
_PLACES = 8


def label_control(material, losses: list) -> Optional[dict]:
    """The entry ``label_control`` of ``probes.json``; None without one label a sample beside inputs of real numbers.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    kinds = (SOFTMAX, NLL, BCE, BCE_LOGITS)
    of_classes = [one for one in losses if one["kind"] in kinds and one["targets"]["input"] is not None]
    if len(of_classes) != 1:
        return None
    position = of_classes[0]["targets"]["input"]
    gathered = samples_and_labels(material, position) or _of_one_hot(material, position)
    if gathered is None:
        return None
    samples, labels = gathered
    whole = labels.dtype.kind in "iu" if of_classes[0]["kind"] in (SOFTMAX, NLL) else np.isin(labels, (0, 1)).all()
    return compared(samples, labels) if whole else None


def samples_and_labels(material, position: int) -> Optional[tuple]:
    """``(samples (n, values), labels (n,))`` of the captured batches; None without one label a sample beside inputs of real
    numbers.

    Args:
        material: What the run has left.
        position: The step's input that the labels are.
    """
    gathered = samples_and_targets(material, position, 1)
    return (gathered[0], gathered[1][:, 0]) if gathered is not None else None


def _of_one_hot(material, position: int) -> Optional[tuple]:
    """The same of labels in one-hot rows."""
    gathered = samples_and_targets(material, position, _CLASSES)
    if gathered is None:
        return None
    samples, rows = gathered
    return (samples, rows.argmax(1)) if one_hot_rows(rows) else None


def samples_and_targets(material, position: int, columns: int) -> Optional[tuple]:
    """``(samples (n, values), targets (n, k))`` of the captured batches; None without targets of one to ``columns`` numbers
    a sample beside inputs of real numbers.

    Args:
        material: What the run has left.
        position: The step's input that the targets are.
        columns: Numbers of a sample's target at most.
    """
    samples, labels = [], []
    for batch in material.batches:
        arrays = [to_numpy(one) for one in tensors_in(batch)]
        if position >= len(arrays) or not arrays[position].ndim or not arrays[position].size:
            return None
        if arrays[position].size > columns * len(arrays[position]):
            return None
        rows = [a for i, a in enumerate(arrays) if i != position and _are_samples(a, len(arrays[position]))]
        if not rows:
            return None
        samples.append(np.concatenate([_flat(one) for one in rows], axis=1))
        labels.append(arrays[position].reshape(len(arrays[position]), -1))
        if sum(map(len, labels)) >= _MOST:
            break
    if len({one.shape[1] for one in samples}) != 1 or len({one.shape[1] for one in labels}) != 1:
        return None
    return np.concatenate(samples)[:_MOST], np.concatenate(labels)[:_MOST]


def class_rows(labels: np.ndarray, most: int) -> Optional[np.ndarray]:
    """One-hot rows (n, classes) of class numbers (n, 1), of the classes that came; None of others, of one class, and of more than
    ``most``."""
    kinds = np.unique(labels[:, 0])
    return (labels == kinds).astype(np.float64) if labels.dtype.kind in "iu" and 2 <= len(kinds) <= most else None


def _are_samples(array: np.ndarray, count: int) -> bool:
    return array.dtype.kind == "f" and array.ndim > 1 and len(array) == count


def compared(samples: np.ndarray, labels: np.ndarray) -> Optional[dict]:
    """``{"samples", "agreement", "shuffled", "spread", "shifted", "alike"}``: the share of samples whose nearest neighbour has
    their label, the mean of that share over shuffled labels, its standard deviation, the share whose nearest neighbour holds
    their values moved by a few places, as windows of one series do, and pairs of classes that neighbours cannot tell apart.

    Args:
        samples: (n, values) numbers.
        labels: (n,) class numbers.
    """
    samples, labels = different(samples, labels)
    if len(labels) < LEAST or len(np.unique(labels)) < 2 or not np.isfinite(samples).all():
        return None
    nearest = squared_distances(samples).argmin(1)
    rng = np.random.default_rng(0)
    shuffled = []
    for _ in range(_SHUFFLES):
        other = rng.permutation(labels)
        shuffled.append((other[nearest] == other).mean())
    return {
        "samples": len(labels),
        "agreement": float((labels[nearest] == labels).mean()),
        "shuffled": float(np.mean(shuffled)),
        "spread": float(np.std(shuffled)),
        "shifted": float(of_one_series(samples, samples[nearest]).mean()),
        "alike": _alike(labels, labels[nearest]),
    }


def _alike(labels: np.ndarray, others: np.ndarray) -> list:
    """``[one class, the other]``, as texts, of three classes or more: pairs whose samples have one of the other class for their
    nearest neighbour about as often as one of their own, and next to none of any third."""
    classes = np.unique(labels)
    twins = {}
    for one in classes if 2 < len(classes) <= _CLASSES else ():
        near = others[labels == one]
        found, counts = np.unique(near[near != one], return_counts=True)
        if len(near) < _EACH or not len(counts) or counts.max() < _NEXT_TO_ALL * counts.sum():
            continue
        if _HALF <= counts.max() / len(near) <= 1 - _HALF:
            twins[one] = found[counts.argmax()]
    return [[str(one), str(other)] for one, other in twins.items() if one < other and twins.get(other) == one]


def of_one_series(samples: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n,) bool: whether a row of ``samples`` (n, values) holds the values of that of ``others``, moved by up to `_PLACES`."""
    found = np.zeros(len(samples), bool)
    for places in range(1, min(_PLACES, samples.shape[1] // 2) + 1):
        for one, other in ((samples, others), (others, samples)):
            found |= (one[:, places:] == other[:, :-places]).all(1)
    return found


def different(samples: np.ndarray, labels: np.ndarray) -> tuple:
    """Both without the samples that came before: one that came again is no neighbour."""
    samples, first = np.unique(samples, axis=0, return_index=True)
    return samples, labels[first]


def standardised(samples: np.ndarray) -> np.ndarray:
    """Samples (n, values), each value brought to mean 0 and a standard deviation of 1; float64."""
    spread = samples.std(0)
    return ((samples - samples.mean(0)) / np.where(spread > 0, spread, 1)).astype(np.float64)


def squared_distances(samples: np.ndarray) -> np.ndarray:
    """(n, n) squared distances of samples (n, values) with each value scaled to a standard deviation of 1; of each to itself
    infinity."""
    scaled = standardised(samples)
    squares = (scaled**2).sum(1)
    distances = squares[:, None] + squares[None] - 2 * scaled @ scaled.T
    np.fill_diagonal(distances, np.inf)
    return distances


def _flat(array: np.ndarray) -> np.ndarray:
    flat = array.reshape(len(array), -1)
    return flat[:, :: max(1, -(-flat.shape[1] // _VALUES))].astype(np.float64)
