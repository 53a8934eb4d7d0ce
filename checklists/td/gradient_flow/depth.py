"""How the gradient changes from the last layer to the first (td.02)."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.td.gradient_flow.layers import Layer, Sampled


class Depth(NamedTuple):
    """The course of the gradient through the network.

    Attributes:
        ratio: Gradient of the first layers ÷ that of the last: medians of the outer quarters, two layers at least.
        trend: Spearman's rank correlation of gradient and place in the network, -1 to 1: above 0 it falls towards the first.
        first, last: The same ratio in the first and the last sample.
        updates: Update ÷ weight of the first layers, and of the last; NaN where it is not known.
        front: The first layers.
        first_trend, first_update: The trend in the first sample, and update ÷ weight of the first layers there.
    """

    ratio: float
    trend: float
    first: float
    last: float
    updates: tuple
    front: list
    first_trend: float = float("nan")
    first_update: float = float("nan")


def course_of(sampled: Sampled, least: float) -> Optional[Depth]:
    """None with fewer than ``least`` layers whose gradient is known and not zero."""
    chain = [layer for layer in sampled.layers if layer.chain and layer.level > 0]
    if len(chain) < least:
        return None
    ends = max(2, len(chain) // 4)
    front, back = chain[:ends], chain[-ends:]
    levels = np.array([layer.level for layer in chain])
    by_sample = np.array([_ratio(front, back, sample) for sample in range(len(sampled.steps))])
    known = by_sample[np.isfinite(by_sample)]
    if not known.size:
        return None
    return Depth(
        float(np.median(known)),
        _rank_correlation(levels),
        float(known[0]),
        float(known[-1]),
        (_middle([layer.ratio for layer in front]), _middle([layer.ratio for layer in back])),
        front,
        _rank_correlation(np.array([layer.gradient[0] for layer in chain])),
        _middle([layer.update[0] for layer in front]),
    )


def _ratio(front: list, back: list, sample: int) -> float:
    low, high = (_middle([layer.gradient[sample] for layer in part]) for part in (front, back))
    return low / high if high > 0 else float("nan")


def _middle(values: list) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.median(known)) if known else float("nan")


def _rank_correlation(levels: np.ndarray) -> float:
    ranks = np.argsort(np.argsort(levels)).astype(float)
    return float(np.corrcoef(np.arange(len(levels)), ranks)[0, 1])


def without_gradient(sampled: Sampled) -> list[Layer]:
    """The layers whose gradient was exactly zero in every sample."""
    found = []
    for layer in sampled.layers:
        known = layer.gradient[np.isfinite(layer.gradient)]
        if known.size and not known.any():
            found.append(layer)
    return found
