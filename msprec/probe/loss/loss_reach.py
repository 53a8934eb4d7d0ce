"""How far a loss can fall while its prediction stays within what the output's last operator allows.

The prediction is moved from no leaning towards the targets, first within the range, then beyond it; what the loss gains
only beyond is what the range costs.
"""

import math
from typing import Callable, Optional

import numpy as np

from msprec.probe.loss.loss_shapes import class_numbers
from msprec.probe.steps.numpy_losses import elements

#: Along the way, as shares of the range; and beyond it, in widths of it, or 1 for a narrower one, from its other end.
_INSIDE, _OUTSIDE = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0), (1.5, 2.0, 4.0, 8.0, 16.0, 32.0)
#: What stands for an end that is infinite.
_FAR = 30.0


def reach(
    call: Callable, kind: Optional[str], predicted: np.ndarray, labels: np.ndarray, low: float, high: float
) -> Optional[dict]:
    """``{"even", "inside", "outside", "settles"}``: the loss without a leaning, its least within the range, its least at
    all, and whether it stays there far beyond, as it does where scores are squashed and where not the domain ends.

    Args:
        call: ``call(prediction)`` gives the loss.
        kind: "classes" or "binary"; None where the labels are neither.
        predicted: The prediction as it was, for its shape.
        labels: Class numbers or one-hot rows; or 0 and 1.
        low, high: The range of the output; infinite where nothing bounds it.

    Returns:
        dict: None where the range is unbounded or the loss gives nothing finite.
    """
    if kind not in ("classes", "binary") or (math.isinf(low) and math.isinf(high)):
        return None
    low, high = (-_FAR if math.isinf(low) else low), (_FAR if math.isinf(high) else high)
    if kind == "classes":
        numbers = class_numbers(predicted, labels)
        chosen = np.moveaxis(np.eye(predicted.shape[1])[numbers], -1, 1) > 0.5
    else:
        chosen = labels.reshape(predicted.shape) > 0.5
    goal = np.where(chosen, high, low)
    # an output at one of its ends is the one that leans nowhere, where that end stands for all scores alike
    middle = np.full(predicted.shape, 0.5 * (low + high) if max(abs(low), abs(high)) < _FAR else _nearer(low, high))
    outward = np.where(chosen, 1.0, -1.0) * max(high - low, 1.0)
    values = {t: _value(call, middle + t * (goal - middle)) for t in (0.0, *_INSIDE)}
    values.update({t: _value(call, goal + (t - 1) * outward) for t in _OUTSIDE})
    inside = [values[t] for t in _INSIDE if math.isfinite(values[t])]
    outside = [value for value in values.values() if math.isfinite(value)]
    if not inside or not math.isfinite(values[0.0]):
        return None
    gain = values[0.0] - min(outside)
    far = values[_OUTSIDE[-1]] - values[_OUTSIDE[-2]]
    settles = bool(math.isfinite(far) and abs(far) <= 1e-2 * max(gain, 1e-6))
    return {"even": values[0.0], "inside": min(inside), "outside": min(outside), "settles": settles}


def _nearer(low: float, high: float) -> float:
    return low if abs(low) < abs(high) else high


def _value(call: Callable, made: np.ndarray) -> float:
    try:
        with np.errstate(all="ignore"):
            return float(call(made.astype(np.float32)))
    except Exception:  # a function of the user's that takes no such values
        return math.nan


def builtin_reach(
    kind: str, form: Optional[str], predicted: np.ndarray, labels: np.ndarray, output: dict
) -> Optional[dict]:
    """`reach` of a built-in loss, with NumPy's formula in its place."""
    low, high = ends(output)

    def call(made: np.ndarray) -> float:
        each = elements(kind, made, labels)
        return float(each.mean()) if each is not None and each.size else math.nan

    return reach(call, form, predicted, labels, low, high)


def ends(output: dict) -> tuple:
    """The range of an entry ``output``, infinite where it has no end."""
    low, high = output["low"], output["high"]
    return (-math.inf if low is None else low), (math.inf if high is None else high)
