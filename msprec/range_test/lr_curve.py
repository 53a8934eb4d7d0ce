"""What the losses of a range test tell about the learning rate. No MindSpore."""

import math
from typing import NamedTuple, Optional

import numpy as np

#: The loss has diverged where it is NaN or infinite, or its smoothed value exceeds the best one before by so many times the
#: drop from the start to the best one, which is reckoned with at least a tenth of the first loss, and not by noise.
DIVERGED = 3.0
#: The loss counts as falling where it has come down so large a share of the way to its best value.
FALLEN = 0.1
#: Points needed, and the least drop in units of the smoothed loss's noise.
POINTS, NOISE = 20, 5.0
#: How many standard deviations of noise a loss that was the lowest so far may be low by chance.
BY_CHANCE = 3.0
#: A fall that is undone by more than this share of it, or comes back after it was, is no course that has bounds; nor one that
#: begins with the sweep, at a rate so low. A dip so many decades before the fall for good is noise.
UNDONE, DECADES, NO_RATE = 0.5, 2.0, 1e-6
#: Half-life of the smoothing, as a share of the points.
HALF_LIFE = 0.03
#: Short trainings at rates closer than this factor say nothing of each other.
APART = 3.0


class Judgement(NamedTuple):
    """``verdict``: "inside", "too_small", "too_large" or "unknown"; ``why``: for the last."""

    verdict: str
    why: Optional[str] = None


class Curve:
    """The curve of one range test.

    Args:
        rates: The learning rate of each step, growing, floats.
        losses: The loss of each step; NaN or infinite where it was not finite.
        low, high: The ends of the sweep that was asked for; it may have ended before ``high``.

    Attributes:
        smoothed: Array like ``losses``: their exponential average with the start's bias corrected (Kingma and Ba 2015);
            NaN from the step on at which the loss has diverged.
        lower: The rate at which the smoothed loss has come down a tenth of the way to its best value.
        for_good: The rate from which on it stays there; noise may dip that low long before.
        upper: The rate at which it is best, where it rises or diverges after that; ``None``: it still fell at the end.
        steepest: The rate at which it falls fastest per decade, the usual choice for a constant rate.
        diverged: The rate at which it has diverged; ``None``: not reached.
        why_not: Why the bounds are not known, in one of the words "few", "flat", "rough", "diverged_at_once"; then
            ``lower``, ``upper`` and ``steepest`` are ``None``.
    """

    def __init__(self, rates, losses, low: Optional[float] = None, high: Optional[float] = None) -> None:
        self.rates, self.losses = np.asarray(rates, float), np.asarray(losses, float)
        self.low = low if low is not None else (float(self.rates[0]) if self.rates.size else None)
        self.high = high if high is not None else (float(self.rates[-1]) if self.rates.size else None)
        self.lower: Optional[float] = None
        self.upper: Optional[float] = None
        self.steepest: Optional[float] = None
        self.diverged: Optional[float] = None
        self.for_good: Optional[float] = None
        self.smoothed = _smoothed(self.losses)
        self.unavailable_reason = self._analyse()

    def __repr__(self) -> str:
        found = [f"{name}={_short(getattr(self, name))}" for name in ("lower", "steepest", "upper", "diverged")]
        why = [f"unavailable_reason={self.unavailable_reason!r}"] if self.unavailable_reason else []
        return f"Curve({', '.join([*found, *why])}; {len(self.rates)} steps from {_short(self.low)} to {_short(self.high)})"

    def _analyse(self) -> Optional[str]:
        smoothed, count = self.smoothed, len(self.losses)
        if count < POINTS:
            return "few"
        end = self._divergence()
        if end < self._start:
            return "diverged_at_once"
        first, best = self._first(), int(np.argmin(smoothed[:end]))
        drop = first - float(smoothed[best])
        if best < self._start or drop <= max(NOISE * self._noise(end), 1e-6 * abs(first)):
            return "flat"
        low = smoothed[:end] <= first - max(FALLEN * drop, 2 * self._noise(end))
        high = np.flatnonzero(~low[:best])
        begins, for_good = int(np.argmax(low)), int(high[-1]) + 1 if high.size else 0
        if self.rates[for_good] > 10**DECADES * self.rates[begins]:
            begins = for_good  # what dipped long before was noise
        if self._rough(best, end, drop, begins):
            return "rough"
        self.lower, self.for_good = float(self.rates[begins]), float(self.rates[for_good])
        rises = end < count or float(smoothed[end - 1]) > smoothed[best] + FALLEN * drop
        self.upper = float(self.rates[best]) if rises else None
        self.steepest = self._steepest(best)
        return None

    def _rough(self, best: int, end: int, drop: float, begins: int) -> bool:
        """Whether the loss bounces: the rates at which it happens to be low or high are then no bounds."""
        smoothed, start = self.smoothed, self._start
        before = smoothed[start : best + 1]
        if before.size and float((before - np.minimum.accumulate(before)).max()) > UNDONE * drop:
            return True
        after = smoothed[best:end]
        risen = np.flatnonzero(after > smoothed[best] + UNDONE * drop)
        low = np.flatnonzero(after < smoothed[best] + UNDONE / 2 * drop)
        # close to the best rate a loss swings before it diverges; a decade on, a second minimum says that the first was none
        if risen.size and low[-1] > risen[0] and self.rates[best + low[-1]] >= 10 * self.rates[best]:
            return True
        return begins <= start + 2 and self.rates[begins] <= NO_RATE

    @property
    def _start(self) -> int:
        """The first steps, at rates too low to change anything: a twentieth of them, three at least."""
        return max(3, len(self.losses) // 20)

    @property
    def untrained(self) -> np.ndarray:
        """The losses of the first steps, whose rates change nothing."""
        return self.losses[: self._start]

    def _first(self) -> float:
        return float(np.mean(self.untrained))

    def _divergence(self) -> int:
        """Position of the first diverged step, or the number of steps."""
        finite = np.isfinite(self.losses)
        end = len(self.losses) if finite.all() else int(np.argmin(finite))
        smoothed = self.smoothed[:end]
        if end:
            first = float(np.mean(self.losses[: min(end, self._start)]))
            # at first the smoothed loss is the mean of few batches, and low by chance
            best = np.minimum.accumulate(smoothed + BY_CHANCE * self._more_noise(end))
            least = max(0.1 * abs(first), NOISE * self._noise(end) / DIVERGED)
            high = smoothed > best + DIVERGED * np.maximum(first - best, least)
            high &= _lasting(high) | _leapt(self.losses[:end])
            if high.any():
                end = int(np.argmax(high))
        if end < len(self.losses):
            self.diverged = float(self.rates[end])
            self.smoothed[end:] = np.nan
        return end

    def _noise(self, end: int) -> float:
        """Standard deviation of the smoothed loss about its course, from the differences of neighbouring losses."""
        return _spread(np.diff(self.losses[:end])) * self._settled

    def _more_noise(self, end: int) -> np.ndarray:
        """What the noise of the smoothed loss is above that of its later course: of the first steps it is the mean of fewer. A
        steady rise is none of it."""
        steps = np.diff(self.losses[:end])
        trend = np.median(steps) if steps.size else 0.0
        return _spread(steps - trend) * np.maximum(0.0, 1 / np.sqrt(np.arange(1, end + 1)) - self._settled)

    @property
    def _settled(self) -> float:
        """The share of a batch's noise that the smoothed loss has, but for its first steps."""
        decay = _decay(len(self.losses))
        return math.sqrt((1 - decay) / (1 + decay))

    def _steepest(self, best: int) -> float:
        if best < 2:
            return float(self.rates[best])
        slopes = np.gradient(self.smoothed[: best + 1], np.log10(self.rates[: best + 1]))
        return float(self.rates[int(np.argmin(slopes))])

    def judge(self, rate: float) -> Judgement:
        """Whether a rate lies between the bounds.

        ``too_large`` only where the loss had risen or diverged at that rate; ``too_small`` only below the lower bound.
        A rate outside the sweep is judged where the sweep tells: above ``diverged``, or below a lower bound.
        """
        if self.diverged is not None and rate >= self.diverged and not self.never_falls:
            return Judgement("too_large")
        if self.unavailable_reason is not None:
            return Judgement("unknown", self.unavailable_reason)
        if self.upper is not None and rate > self.upper:
            return Judgement("too_large" if self._risen(rate) else "inside")
        if self.upper is None and self.high is not None and rate > self.high:
            return Judgement("unknown", "beyond")
        return Judgement("too_small" if rate < self.lower else "inside")

    @property
    def never_falls(self) -> bool:
        """Whether the loss grows from the first rates on, which change next to nothing: no rate is to blame."""
        never = self.unavailable_reason in ("flat", "diverged_at_once")
        return never and self.diverged is not None and self.diverged <= NO_RATE

    def _risen(self, rate: float) -> bool:
        """Whether the loss had lost half of its drop again at ``rate``."""
        at = int(np.searchsorted(self.rates, rate))
        if at >= len(self.smoothed) or not np.isfinite(self.smoothed[at]):
            return True
        best = float(np.nanmin(self.smoothed))
        return float(self.smoothed[at]) > best + 0.5 * (self._first() - best)

    def lowest_at(self, steps: int) -> Optional[int]:
        """The position at which the smoothed loss is lowest within so many steps; None without bounds or steps."""
        smoothed = self.smoothed[:steps]
        if self.unavailable_reason is not None or not np.isfinite(smoothed).any():
            return None
        return int(np.nanargmin(smoothed))

    def reached(self) -> tuple:
        """The mean loss of the first steps, and the lowest of the smoothed course."""
        return self._first(), float(np.nanmin(self.smoothed))

    def facts(self) -> dict:
        """``facts/range_test.json`` of a run folder."""
        return {
            "low": self.low,
            "high": self.high,
            "steps": len(self.rates),
            "lower": self.lower,
            "upper": self.upper,
            "steepest": self.steepest,
            "diverged": self.diverged,
            "why_not": self.unavailable_reason,
            "rates": self.rates.tolist(),
            "losses": self.losses.tolist(),
        }

    def csv(self) -> str:
        """Columns ``step,learning_rate,loss,smoothed``."""
        rows = zip(self.rates, self.losses, self.smoothed)
        lines = [f"{n},{rate!r},{loss!r},{value!r}" for n, (rate, loss, value) in enumerate(map(_floats, rows), 1)]
        return "\n".join(["step,learning_rate,loss,smoothed", *lines]) + "\n"


def rates_of(low: float, high: float, steps: int, linear: bool = False) -> np.ndarray:
    """The rates of a sweep from ``low`` to ``high``, both included.

    Raises:
        ValueError: ``low`` is not above 0, ``high`` not above ``low``, or there are fewer than two steps.
    """
    if not (0 < low < high < math.inf):
        raise ValueError(f"the sweep goes from a rate above 0 up to a larger one; got {low} to {high}")
    if steps < 2:
        raise ValueError(f"a sweep has at least two steps; got {steps}")
    return np.linspace(low, high, steps) if linear else np.geomspace(low, high, steps)


def _spread(steps: np.ndarray) -> float:
    """Standard deviation of what the steps are differences of, by their median (0.6745 of a normal distribution's)."""
    return float(np.median(np.abs(steps))) / 0.6745 / math.sqrt(2) if steps.size else 0.0


def _lasting(high: np.ndarray) -> np.ndarray:
    """Where a value is high and the next two are as well: one hard batch is no divergence."""
    kept = np.zeros(len(high), bool)
    kept[:-2] = high[:-2] & high[1:-1] & high[2:]
    return kept


def _leapt(losses: np.ndarray) -> np.ndarray:
    """Where a loss is above twice all of those before it."""
    before = np.r_[np.inf, np.maximum.accumulate(np.abs(losses))[:-1]]
    return losses > 2 * before


def _decay(count: int) -> float:
    return 0.5 ** (1 / max(1.0, HALF_LIFE * count))


def _smoothed(losses: np.ndarray) -> np.ndarray:
    decay, average, weight, found = _decay(len(losses)), 0.0, 0.0, []
    for loss in losses:
        average = decay * average + (1 - decay) * loss
        weight = decay * weight + (1 - decay)
        found.append(average / weight)
    return np.array(found, float)


def _floats(row: tuple) -> tuple:
    return tuple(map(float, row))


def _short(value: Optional[float]) -> str:
    return "None" if value is None else f"{value:.3g}"
