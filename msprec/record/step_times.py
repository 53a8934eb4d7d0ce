"""Where the time of a training goes, from the times of its steps. No MindSpore."""

from typing import Optional

import numpy as np

#: A step stalls where one part of it makes it so many times as long as the median, and that by a third, or more, of what
#: those lose that make up so large a share of the time lost. Stalls recur where there are so many and so large a share of
#: the gaps between them are equal.
STALL, MOST, PERIODS, EQUAL = 2.0, 0.9, 3, 0.7


def analyse(compute, data, callbacks, batch, tail: float = 0.0) -> dict:
    """Divides the time of a training as MindSpore's guide to performance tuning divides a step: the gap before it, in which
    it waits for data, its computation, and the tail after it.

    On the host the computation is forward, backward and update together; the tail is what callbacks do between two
    computations and at the end of epochs. (The iteration tail of the device, from the backward's end to the update's, is
    only seen by MindSpore's Profiler.)

    Args:
        compute, data, callbacks: Seconds of each step, the first step first; NaN: not known.
        batch: Samples of each step; NaN: not known.
        tail: Seconds at the ends of epochs.

    Returns:
        dict, ``None`` where something is not known:

        - ``steps``: int; ``first_step``: seconds of the first step, which compiles in graph mode; all that follows leaves
          it out.
        - ``median``, ``p95``, ``max``: of the computation, in seconds; ``data_median``, ``callback_median``.
        - ``jitter``: interquartile range of the whole step over its median.
        - ``data_share``: share of waiting for data in computation and wait.
        - ``shares``: ``{"first_step", "data", "compute", "tail"}``, of all the time; ``dominates``: the largest of them.
        - ``throughput``: samples a second.
        - ``stalls``: int, steps that one part made more than twice as long as the median, less those that are short beside
          the others; ``stall_in``: the part in which they cost the most; ``stall_seconds``: what one costs, the median;
          ``stall_period``: int, steps from one to the next where they recur.
    """
    compute, data, callbacks = (np.asarray(values, dtype=float) for values in (compute, data, callbacks))
    known = ~np.isnan(compute)
    compute, data, callbacks, batch = (
        np.nan_to_num(np.asarray(v, float)[known]) for v in (compute, data, callbacks, batch)
    )
    first = float(compute[0]) if compute.size else None
    parts = {"data": data[1:], "compute": compute[1:], "tail": callbacks[1:]}
    whole = sum(parts.values())
    shares = _shares(first, {name: float(values.sum()) for name, values in parts.items()}, tail)
    waits = float(parts["data"].sum() + parts["compute"].sum())
    samples, seconds = float(batch[1:].sum()), float(whole.sum()) + tail
    return {
        "steps": int(compute.size),
        "first_step": first,
        **_quantiles(parts["compute"]),
        "data_median": _quantile(parts["data"], 0.5),
        "callback_median": _quantile(parts["tail"], 0.5),
        "jitter": _jitter(whole),
        "data_share": float(parts["data"].sum()) / waits if waits else None,
        "shares": shares,
        "dominates": max(shares, key=lambda name: shares[name]) if shares else None,
        "throughput": samples / seconds if samples and seconds else None,
        **_stalls(parts, whole),
    }


def _quantiles(values: np.ndarray) -> dict:
    return {"median": _quantile(values, 0.5), "p95": _quantile(values, 0.95), "max": _quantile(values, 1.0)}


def _quantile(values: np.ndarray, share: float) -> Optional[float]:
    return float(np.quantile(values, share)) if values.size else None


def _jitter(whole) -> Optional[float]:
    if not np.size(whole) or not np.median(whole):
        return None
    low, middle, high = np.quantile(whole, (0.25, 0.5, 0.75))
    return float((high - low) / middle)


def _shares(first: Optional[float], sums: dict, tail: float) -> Optional[dict]:
    spent = {"first_step": first or 0.0, **sums}
    spent["tail"] += tail
    total = sum(spent.values())
    return {name: value / total for name, value in spent.items()} if total else None


def _stalls(parts: dict, whole) -> dict:
    """Stalls of the part in which they cost the most."""
    none = {"stalls": 0, "stall_period": None, "stall_seconds": None, "stall_in": None}
    usual = float(np.median(whole)) if np.size(whole) >= 2 * PERIODS else 0.0
    if not usual:
        return none
    lost = {}
    for name, values in parts.items():
        extra = values - np.median(values)
        at = _longest(extra, np.flatnonzero(extra > (STALL - 1) * usual))
        if 0 < at.size <= np.size(whole) / 3:
            lost[name] = (float(extra[at].sum()), at, float(np.median(extra[at])))
    if not lost:
        return none
    name = max(lost, key=lambda part: lost[part][0])
    _, at, seconds = lost[name]
    return {"stalls": int(at.size), "stall_period": _period(at), "stall_seconds": seconds, "stall_in": name}


def _longest(extra: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Of the positions ``at``, those that matter: a third as long as what makes up most of the time lost, or more."""
    if not at.size:
        return at
    ordered = np.sort(extra[at])[::-1]
    most = int(np.searchsorted(np.cumsum(ordered), MOST * ordered.sum())) + 1
    return at[extra[at] >= np.median(ordered[:most]) / 3]


def _period(at: np.ndarray) -> Optional[int]:
    gaps = np.diff(at)
    if gaps.size < PERIODS - 1:
        return None
    values, counts = np.unique(gaps, return_counts=True)
    best = int(counts.argmax())
    return int(values[best]) if counts[best] >= EQUAL * gaps.size and values[best] > 1 else None
