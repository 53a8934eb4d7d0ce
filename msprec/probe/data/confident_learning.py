"""What the trained network thinks of the labels it was trained with: confident learning.

The rule is that of Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in Dataset Labels" (JAIR 2021): a
label is suspect where the network gives another class a probability above that class's mean over its own samples. It is a few
lines of NumPy here, so that cleanlab, with scikit-learn in its train, need not be in every environment that trains; the tests
compare the two.

That rule presumes that the network is right where it is sure. What tells a wrong label from a network that is wrong, or from
classes that overlap, is kept beside it: wrong labels are as frequent among the surest predictions as elsewhere, while the errors
of a network get fewer the surer it is (Geifman and El-Yaniv, "Selective Classification for Deep Neural Networks", 2017).
"""

import math
from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.connectivity_trace import trace_step
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS, KINDS, SOFTMAX, log_softmax
from msprec.runtime.busy_clock import busy_seconds

MOST_EXAMPLES = 20
#: Two classes are alike to a network where samples of either get at least so much of both, and on the average about half of that
#: for the one, whichever of the two their label is; samples of each at the least.
_OF_BOTH, _APART, _HALF, _EACH = 0.8, 0.1, 0.3, 20
#: Log-odds of the two likeliest classes beyond which a probability is 1 but for a millionth.
_SATURATED = 13.8
#: How near 0 and 1 a probability is looked at.
_TINY = 1e-12


def label_suspects(material: Material, seconds: float = math.inf) -> Optional[dict]:
    """The entry ``labels`` of ``probes.json``, from the first batches and the final weights; None where the step has no
    cross entropy over class numbers, nor a binary one of a single output.

    The network runs as it trains, dropout included. No batch is begun after ``seconds``.
    """
    until = busy_seconds() + seconds
    wanted = list(material.optimizers[0].parameters) if len(material.optimizers) == 1 else None
    log_probabilities, labels = [], []
    for batch in material.batches:
        if labels and busy_seconds() > until:
            break
        found = _predicted(material.build(batch, wanted))
        if found is None:
            return None
        log_probabilities.append(found[0])
        labels.append(found[1])
    if len({p.shape[1] for p in log_probabilities}) != 1:
        return None
    logs = np.concatenate(log_probabilities)
    # of probabilities that are all 1 only their logarithms tell which is the surer
    return confident_learning(np.exp(logs), np.concatenate(labels), margins=_margins(logs))


def _predicted(step) -> Optional[tuple]:
    """``(logarithms of the probabilities, labels)`` of one batch: what its one cross entropy was given."""
    trace = trace_step(step)
    kinds = [(KINDS.get(node.callee.lower()), node) for node in trace.nodes if len(node.inputs) > 1]
    found = [(kind, node) for kind, node in kinds if kind in (SOFTMAX, BCE, BCE_LOGITS)]
    if len(found) != 1:
        return None
    kind, node = found[0]
    output, labels = (to_numpy(value) for value in node.inputs[:2])
    return _of_classes(output, labels) if kind == SOFTMAX else _of_two(kind, output, labels)


def _of_two(kind: str, output: np.ndarray, labels: np.ndarray) -> Optional[tuple]:
    """The same of one output a sample and labels of 0 and 1, as of two classes."""
    single = output.size == output.shape[0] if output.ndim else False
    if not single or labels.size != output.size or not np.isin(labels, (0, 1)).all():
        return None
    output, labels = output.astype(np.float64).reshape(-1), labels.reshape(-1)
    if kind == BCE:
        output = np.clip(output, _TINY, 1 - _TINY)
        output = np.log(output) - np.log1p(-output)
    return _of_classes(np.stack([np.zeros_like(output), output], axis=1), labels.astype(np.int64))


def _of_classes(logits: np.ndarray, labels: np.ndarray) -> Optional[tuple]:
    if labels.ndim == 2 and labels.shape == logits.shape and np.isin(labels, (0, 1)).all():
        labels = labels.argmax(axis=1)
    if logits.ndim != 2 or labels.shape != logits.shape[:1] or labels.dtype.kind not in "iu":
        return None
    fits = np.isfinite(logits).all() and labels.min() >= 0 and labels.max() < logits.shape[1]
    return (log_softmax(logits.astype(np.float64)), labels.astype(np.int64)) if fits else None


def _margins(log_probabilities: np.ndarray) -> np.ndarray:
    """Log-odds of the likeliest class against the next: (samples,)."""
    if log_probabilities.shape[1] < 2:
        return np.zeros(len(log_probabilities))
    top = np.sort(log_probabilities, axis=1)
    return top[:, -1] - top[:, -2]


def confident_learning(
    probabilities: np.ndarray, labels: np.ndarray, sure: float = 0.9, margins: Optional[np.ndarray] = None
) -> dict:
    """Labels that the predictions contradict.

    Args:
        probabilities: (samples, classes), float64, of rows that add up to 1.
        labels: (samples,), integers below ``classes``.
        sure: A suspect's other class has at least this probability: a network that has learned little is never so sure.
        margins: (samples,) Log-odds of the likeliest class against the next; from ``probabilities`` where not given.

    Returns:
        dict: ``samples``, ``classes``, ``suspects`` (how many), ``accuracy`` (share predicted as labelled), ``majority`` (share
        of the most frequent label), ``surest`` and ``surest_wrong`` (how many samples are the surer half, and how many of them
        are not predicted as labelled), ``saturated`` (share of probabilities that are 1 but for a millionth) and ``examples``: at
        most 20 ``{"position", "label", "predicted", "probability", "own"}``, the surest first; ``position`` from 0 in the
        order of training; ``alike``, ``[[class, class]]`` as texts: pairs, of three classes or more, that the network knows
        for one of the two and cannot tell which.
    """
    rows = np.arange(len(labels))
    own = probabilities[rows, labels]
    counts = np.bincount(labels, minlength=probabilities.shape[1])
    sums = np.bincount(labels, weights=own, minlength=probabilities.shape[1])
    thresholds = np.where(counts > 0, sums / np.maximum(counts, 1), 1.0)
    above = np.where(probabilities >= thresholds, probabilities, -1.0)
    above[rows, labels] = np.where(own >= thresholds[labels], own, -1.0)
    best = above.argmax(axis=1)
    suspect = (best != labels) & (above[rows, best] >= sure)
    order = rows[suspect][np.argsort(own[suspect], kind="stable")]
    examples = [
        {
            "position": int(i),
            "label": int(labels[i]),
            "predicted": int(best[i]),
            "probability": round(float(probabilities[i, best[i]]), 4),
            "own": round(float(own[i]), 6),
        }
        for i in order[:MOST_EXAMPLES]
    ]
    if margins is None:
        margins = _margins(np.log(np.maximum(probabilities, 1e-300)))
    wrong = probabilities.argmax(axis=1) != labels
    half = np.argsort(-margins, kind="stable")[: (len(labels) + 1) // 2]
    return {
        "samples": len(labels),
        "classes": int(probabilities.shape[1]),
        "suspects": int(suspect.sum()),
        "accuracy": float((~wrong).mean()),
        "majority": float(counts.max() / len(labels)),
        "surest": len(half),
        "surest_wrong": int(wrong[half].sum()),
        "saturated": float((margins > _SATURATED).mean()),
        "examples": examples,
        "alike": _alike(probabilities, labels),
    }


def _alike(probabilities: np.ndarray, labels: np.ndarray) -> list:
    counts = np.bincount(labels, minlength=probabilities.shape[1])
    known = [int(one) for one in np.flatnonzero(counts >= _EACH)] if probabilities.shape[1] > 2 else []
    means = {one: probabilities[labels == one].mean(0) for one in known}
    pairs = []
    for one in known:
        other = int(np.argsort(means[one])[-2 if means[one].argmax() == one else -1])
        if one < other and other in means and _are_alike(probabilities, labels, one, other):
            pairs.append([str(one), str(other)])
    return pairs


def _are_alike(probabilities: np.ndarray, labels: np.ndarray, one: int, other: int) -> bool:
    shares = []
    for label in (one, other):
        pair = probabilities[labels == label][:, [one, other]]
        if pair.sum(1).mean() < _OF_BOTH:
            return False
        shares.append(float((pair[:, 0] / np.maximum(pair.sum(1), 1e-12)).mean()))
    return abs(shares[0] - shares[1]) < _APART and all(_HALF <= share <= 1 - _HALF for share in shares)
