"""How a loss of the script's own behaves: called again with predictions made for the purpose, in NumPy's arrays.

A loss falls as predictions approach the labels, and depends on which label goes with which sample; one with a softmax in it
does not change where a number is added to all scores of a sample. What it is exactly, `families` tells.
"""

import math
from typing import Callable, Optional

import numpy as np

from msprec.probe.loss import loss_identification
from msprec.probe.loss.loss_reach import reach
from msprec.probe.loss.loss_shapes import class_numbers, kind_of
from msprec.runtime.busy_clock import busy_seconds

#: Largest prediction that is tried, in elements, and seconds for one function.
_LARGEST, _SECONDS = 1 << 18, 3.0
#: From far off the labels to them; 0: no leaning either way.
_WAY = (-1.0, -0.5, 0.0, 0.5, 1.0)
_BATCHES = 4
#: Weights of at most so many classes are measured.
_MOST_CLASSES = 32


class _Late(Exception):
    pass


def behaviour(
    call: Callable,
    predicted: np.ndarray,
    labels: np.ndarray,
    value: float,
    features: dict,
    bounded: bool = False,
    limits: tuple = (-math.inf, math.inf),
) -> Optional[dict]:
    """What ``call(predictions, labels)`` does; the entry ``behaviour`` of ``probes.json: own_losses``.

    Args:
        call: Gives the loss as a float.
        predicted, labels: As they were in the step.
        value: What it gave there.
        features: ``unit``, ``probabilities`` and ``log_probabilities`` of ``predicted``.
        bounded: Whether something in it, such as MindSpore's binary cross entropy, ends the process where it is given
            anything but numbers between 0 and 1.
        limits: The range of the output that ``predicted`` is.

    Returns:
        dict: None where these arrays are of no kind that can be tried.
    """
    kind = kind_of(predicted, labels)
    if kind is None or predicted.size > _LARGEST or predicted.dtype != np.float32:
        return None
    end = busy_seconds() + _SECONDS

    def called(one: np.ndarray, other: Optional[np.ndarray] = None) -> float:
        if busy_seconds() > end:
            raise _Late
        one = np.clip(one, 1e-6, 1 - 1e-6) if bounded else one
        return call(one.astype(np.float32), labels if other is None else other)

    with np.errstate(all="ignore"):
        try:
            again = [call(predicted, labels), call(predicted, labels)]
            if any(abs(one - value) > 1e-4 * max(1e-2, abs(value)) for one in again):
                return {"kind": kind, "repeatable": False}
            found = _tried(called, kind, predicted, labels, features, bounded)
            return {"kind": kind, "repeatable": True, **found, "reach": reach(called, kind, predicted, labels, *limits)}
        except _Late:
            return None


def _tried(
    called: Callable, kind: str, predicted: np.ndarray, labels: np.ndarray, features: dict, bounded: bool
) -> dict:
    domain = "scores"
    if kind != "regression" and (features["probabilities"] or (kind == "binary" and features["unit"])):
        domain = "probabilities"
    if kind == "classes" and features["log_probabilities"]:
        domain = "log_probabilities"
    found = {
        "domain": domain,
        "pairs": _pairs(called, predicted, labels),
        "family": _family(
            called, kind, predicted, labels, ("probabilities",) if bounded else ("scores", "probabilities")
        ),
    }
    if kind == "regression":
        return {**found, **_around(called, predicted, labels)}
    curve = [_safe(called, towards(kind, domain, predicted, labels, t)) for t in _WAY]
    found.update({"curve": curve, "way": _way(curve), "settles": _settles(called, kind, domain, predicted, labels)})
    found["class_weights"] = _class_weights(called, kind, domain, predicted, labels)
    if kind == "classes" and predicted.ndim == 2 and len(predicted) > 1:
        found.update(_shifts(called, predicted))
    if kind == "binary":
        found["idle"] = _idle(called, domain, predicted, labels)
        found["together"] = _together(called, predicted, labels)
        found["parts"] = _parts(called, predicted, labels, found["together"])
    if kind == "binary" and domain == "scores" and found["way"] is None:
        found["smallest_at_labels"] = _around(called, predicted, labels)["way"] == "falls"
    return found


def direction(
    call: Optional[Callable], did: Optional[dict], predicted: np.ndarray, labels: np.ndarray
) -> Optional[str]:
    """``falls`` or ``rises``: what a loss does all the way as predictions come to lean towards the labels.

    Args:
        call: ``call(prediction, labels)`` gives its value.
        did: Its `behaviour`.
        predicted, labels: The captured arrays.
    """
    if call is None or did is None or did["kind"] not in ("classes", "binary") or not did["repeatable"]:
        return None
    leaning = (towards(did["kind"], did["domain"], predicted, labels, t) for t in _WAY)
    return _way([_safe(call, one.astype(np.float32), labels) for one in leaning])


def _safe(called: Callable, one: np.ndarray, other: Optional[np.ndarray] = None) -> float:
    """The value, or NaN where the function cannot take these arrays."""
    try:
        return called(one, other)
    except _Late:
        raise
    except Exception:
        return float("nan")


def towards(kind: str, domain: str, predicted: np.ndarray, labels: np.ndarray, t: float) -> np.ndarray:
    """Predictions that lean towards the labels (``t`` 1) or away from them (−1), in the domain of the captured ones."""
    if kind == "binary":
        side = 2.0 * labels.reshape(predicted.shape) - 1
        return 0.5 + 0.49 * t * side if domain == "probabilities" else 6.0 * t * side
    numbers, count = class_numbers(predicted, labels), predicted.shape[1]
    chosen = np.moveaxis(np.eye(count)[numbers], -1, 1)
    if domain == "scores":
        return 8.0 * t * chosen
    goal = chosen if t >= 0 else (1 - chosen) / (count - 1)
    mixed = (1 - 0.98 * abs(t)) / count + 0.98 * abs(t) * goal
    return np.log(mixed) if domain == "log_probabilities" else mixed


def _way(curve: list) -> Optional[str]:
    """``falls`` or ``rises``: whether a curve does so all along; None: neither, or values are missing."""
    if not np.isfinite(curve).all():
        return None
    steps, size = np.diff(curve), max(np.abs(curve).max(), 1e-6)
    if abs(curve[-1] - curve[0]) < 1e-2 * size:
        return None
    if (steps <= 1e-5 * size).all():
        return "falls"
    return "rises" if (steps >= -1e-5 * size).all() else None


def _settles(called: Callable, kind: str, domain: str, predicted: np.ndarray, labels: np.ndarray) -> Optional[bool]:
    """Whether scores that are right beyond doubt cost no less when they are doubled, as where scores are squashed."""
    if domain != "scores":
        return None
    right = towards(kind, domain, predicted, labels, 1.0)
    first, second = _safe(called, 3 * right), _safe(called, 6 * right)
    wrong = _safe(called, -right)
    return (
        bool(abs(second - first) <= 1e-3 * max(abs(wrong - first), 1e-6))
        if np.isfinite([first, second]).all()
        else None
    )


def _class_weights(
    called: Callable, kind: str, domain: str, predicted: np.ndarray, labels: np.ndarray
) -> Optional[list]:
    """How much a sample of each class counts, by the class's number: by how much the loss falls, for each sample of that class,
    where these alone lean a little towards their label and all others to none. None: a class without samples here."""
    classes = predicted.shape[1] if kind == "classes" else 2
    if classes > _MOST_CLASSES:
        return None
    numbers = (class_numbers(predicted, labels) if kind == "classes" else labels).astype(np.int64)
    neutral, leaning = (towards(kind, domain, predicted, labels, t) for t in (0.0, 0.1))
    base = _safe(called, neutral)
    if not np.isfinite(base):
        return None
    found: list = [None] * classes
    for number in np.unique(numbers):
        chosen = numbers == number
        spread = np.expand_dims(chosen, 1) if kind == "classes" else chosen.reshape(predicted.shape)
        fall = base - _safe(called, np.where(spread, leaning, neutral))
        found[number] = float(fall / chosen.sum()) if np.isfinite(fall) else None
    return found


def _around(called: Callable, predicted: np.ndarray, labels: np.ndarray) -> dict:
    """The value at the labels and at growing distances from them, in random directions."""
    wanted = labels.reshape(predicted.shape).astype(np.float64)
    rng, spread = np.random.default_rng(1), max(float(wanted.std()), 1e-3)
    curves = []
    for sign in (1, -1, 1, -1):
        direction = sign * spread * rng.standard_normal(wanted.shape)
        curves.append([_safe(called, wanted + far * direction) for far in (2.0, 1.0, 0.5, 0.1, 0.03, 0.0)])
    ways = {_way(curve) for curve in curves}
    return {"curve": curves[0], "way": ways.pop() if len(ways) == 1 else None}


def _pairs(called: Callable, predicted: np.ndarray, labels: np.ndarray) -> Optional[bool]:
    """Whether it matters which label goes with which sample; None where the labels are all alike."""
    rng, seen = np.random.default_rng(2), False
    trials = [predicted, predicted + max(float(predicted.std()), 1e-2) * 0.3 * rng.standard_normal(predicted.shape)]
    if labels.shape == predicted.shape:
        # among the labels: absolute errors that all have one sign add up to the same, whichever label goes with which sample
        trials.append(np.sort(labels, axis=0))
    for count in range(1, min(4, len(labels))):
        other = np.roll(labels, count, axis=0)
        if np.array_equal(other, labels):
            continue
        values = [(_safe(called, one), _safe(called, one, other)) for one in trials]
        if not np.isfinite(values[0]).all():
            return None
        seen = True
        size = max(abs(values[0][0]), 1e-6)  # the least of a loss may be 0 but for rounding
        if any(abs(first - second) > 1e-5 * max(abs(first), size) for first, second in values):
            return True
    return False if seen else None


def _idle(called: Callable, domain: str, predicted: np.ndarray, labels: np.ndarray) -> list:
    """The labels whose samples leave the value as it is, whatever is predicted for them; others of the batch do not."""
    sides, first, second = (
        labels.reshape(predicted.shape),
        *(_random("binary", domain, predicted.shape, n) for n in (5, 6)),
    )
    values, base = np.unique(sides), _safe(called, first)
    if len(values) != 2 or min((sides == one).sum() for one in values) < 2 or not np.isfinite(base):
        return []
    moved = {float(one): abs(_safe(called, np.where(sides == one, second, first)) - base) for one in values}
    size = max(moved.values())
    return [label for label, change in moved.items() if change <= 1e-6 * size] if np.isfinite(size) and size > 0 else []


def _together(called: Callable, predicted: np.ndarray, labels: np.ndarray) -> Optional[int]:
    """The label whose samples a loss of distances brings to 0, and the others away from it; None of outputs below 0."""
    if predicted.min() < 0:
        return None
    ones, far = labels.reshape(predicted.shape) == 1, max(2.0, 2 * float(predicted.max()))
    first, second = (_safe(called, np.where(ones == side, 0.0, far)) for side in (True, False))
    if not np.isfinite([first, second]).all() or abs(first - second) <= 1e-2 * max(abs(first), abs(second)):
        return None
    return int(first < second)


def _parts(called: Callable, predicted: np.ndarray, labels: np.ndarray, together: Optional[int]) -> Optional[bool]:
    """Whether a loss of distances falls as the samples of the other label leave 0 for any of a few distances; None where it
    brings no label's to 0."""
    if together is None:
        return None
    others, usual = labels.reshape(predicted.shape) != together, max(1.0, float(predicted.max()))
    at = [_safe(called, np.where(others, size, 0.0)) for size in (0.0, 0.1 * usual, usual, 4 * usual)]
    return bool(min(at[1:]) < at[0] - 1e-6 * max(abs(at[0]), 1e-6)) if np.isfinite(at).all() else None


def _shifts(called: Callable, predicted: np.ndarray) -> dict:
    """Whether the value stays where each sample's scores are raised by one number; or each class's in all samples."""
    rng = np.random.default_rng(3)
    scores = 2 * rng.standard_normal(predicted.shape)
    base = _safe(called, scores)
    by_sample = _safe(called, scores + 1.5 * rng.standard_normal((len(scores), 1)))
    by_class = _safe(called, scores + 1.5 * rng.standard_normal((1, scores.shape[1])))
    if not np.isfinite([base, by_sample, by_class]).all():
        return {"sample_shift": None, "class_shift": None}
    size = 1e-4 * max(abs(base), 1e-3)
    return {"sample_shift": bool(abs(by_sample - base) <= size), "class_shift": bool(abs(by_class - base) <= size)}


def _family(called: Callable, kind: str, predicted: np.ndarray, labels: np.ndarray, domains: tuple) -> Optional[dict]:
    """``{"name", "settings", "domain", "batches"}`` of the loss that these values are; None: of none that is known."""
    if kind == "regression":
        return None
    numbers = class_numbers(predicted, labels) if kind == "classes" else labels
    find = loss_identification.classes if kind == "classes" else loss_identification.binary
    for domain in domains:
        batches = []
        for seed in range(_BATCHES):
            made = _random(kind, domain, predicted.shape, seed).astype(np.float32)
            batches.append(loss_identification.Batch(made, numbers, _safe(called, made)))
        if np.isfinite([one.value for one in batches]).all():
            found = find(batches, domain == "probabilities")
            if found is not None:
                return {**found._asdict(), "domain": domain, "batches": len(batches)}
    return None


def _random(kind: str, domain: str, shape: tuple, seed: int) -> np.ndarray:
    rng = np.random.default_rng(10 + seed)
    scores = (1.0 + 0.5 * seed) * rng.standard_normal(shape)
    if domain == "scores":
        return scores
    if kind == "binary":
        return 0.05 + 0.9 / (1 + np.exp(-scores))
    powers = np.exp(np.clip(scores, -2, 2))
    return powers / powers.sum(axis=1, keepdims=True)


def pair_behaviour(call: Callable, left: np.ndarray, right: np.ndarray, promise: str) -> Optional[dict]:
    """What a loss of two outputs of networks does: ``promise`` "contrastive" or "distillation", by its name."""
    if left.shape != right.shape or left.ndim != 2 or len(left) < 3 or left.size > _LARGEST or left.dtype != np.float32:
        return None
    end, rng = busy_seconds() + _SECONDS, np.random.default_rng(4)

    def called(one: np.ndarray, other: Optional[np.ndarray] = None) -> float:
        if busy_seconds() > end:
            raise _Late
        return call(one.astype(np.float32), other.astype(np.float32))

    batches = []
    try:
        for _ in range(_BATCHES):
            one, other = (rng.standard_normal(left.shape).astype(np.float32) for _ in range(2))
            batches.append(loss_identification.Batch(one, other, _safe(called, one, other)))
        if not np.isfinite([one.value for one in batches]).all():
            return None
        again = _safe(called, batches[0].predicted, batches[0].labels)
        if abs(again - batches[0].value) > 1e-5 * max(abs(again), 1e-3):
            return {"kind": promise, "repeatable": False}
        found = (loss_identification.contrastive if promise == "contrastive" else loss_identification.distillation)(
            batches
        )
        base = batches[0].labels
        if promise == "contrastive":
            curve = [_safe(called, np.roll(base, 1, axis=0), base), _safe(called, base, base)]
        else:
            curve = [_safe(called, times * base, base) for times in (-1.0, 0.0, 0.5, 1.0)]
    except _Late:
        return None
    beyond = _safe(called, 2 * base, base) if promise == "distillation" else None
    family = {**found._asdict(), "domain": "scores", "batches": len(batches)} if found is not None else None
    return {
        "kind": promise,
        "repeatable": True,
        "domain": "scores",
        "curve": curve,
        "way": _way(curve),
        "family": family,
        "smallest_at_labels": bool(beyond > curve[-1]) if beyond is not None else None,
    }
