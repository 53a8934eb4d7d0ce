"""Weights of classes in a loss that grow with the number of samples instead of falling with it (cg.04)."""

import math
from typing import Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Powers of the counts that weights are made of: the shares themselves, their roots.
_POWERS = (1.0, 0.5)


def check_class_weights(one: Fact, name: Text, run_data: RunData) -> Optional[Wrong]:
    """What is wrong, where the weights are the counts of the classes, or their roots, times a number, within cg.04.alike, and the
    counts differ by cg.04.uneven times or more; else None.

    Args:
        one: An entry of ``losses`` in ``probes.json``.
        name: What the loss is called.
    """
    counts = _counts(one, run_data)
    if counts is None or counts.max() < run_data.limit("cg.04.uneven") * counts.min():
        return None
    weights = np.array(one.weights, float)[: len(counts)]
    if not (weights > 0).all() or not _made_of(weights, counts, run_data.limit("cg.04.alike")):
        return None
    most, least = int(counts.argmax()), int(counts.argmin())
    return Wrong(
        Text(
            "{name} 的类别权重随样本数增大：类 {most} 有 {high} 个样本，权重 {heavy}；类 {least} 只有 {low} 个，权重 {light}。"
            "样本越少的类权重越小，与加权的目的相反。",
            "The weights of classes of {name} grow with the number of samples: class {most} has {high} and the weight {heavy}, "
            "class {least} {low} and {light}. The fewer samples a class has, the less they count: the reverse of what weights "
            "are for.",
            name=name,
            most=most,
            least=least,
            high=int(counts[most]),
            low=int(counts[least]),
            heavy=float(weights[most]),
            light=float(weights[least]),
        ),
        Text(
            "用样本数的倒数作权重：weight = total / (classes * counts)。",
            "Take the inverse of the counts: weight = total / (classes * counts).",
        ),
        one.place,
        *[loss.place for loss in run_data.losses if loss.class_ == one.name],
    )


def _counts(one: Fact, run_data: RunData) -> Optional[np.ndarray]:
    """The samples of each class of the weights, where every class has some."""
    sets = [data for data in run_data.datasets_of("train") if data.label and data.label.kind == "class"]
    if "weights" not in one or not one.weights or len(sets) != 1 or any(value is None for value in one.weights):
        return None
    found = sets[0].label.counts
    counts = np.array([found.get(str(number)) or 0 for number in range(len(one.weights))], float)
    return counts if counts.min() > 0 else None


def _made_of(weights: np.ndarray, counts: np.ndarray, near: float) -> bool:
    """Whether weight ÷ count, or ÷ root of the count, is the same for all classes."""
    ratios = [np.log(weights) - power * np.log(counts) for power in _POWERS]
    return any(float(np.ptp(one)) <= math.log1p(near) for one in ratios)
