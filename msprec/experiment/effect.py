"""Whether one set of runs is better than another, beyond the spread over seeds."""

import math
import re
from typing import NamedTuple, Optional

from msprec.record.metric_names import HIGHER, LOWER

#: Metrics that see the classes that are rare.
_RARE_CLASSES = re.compile(r".*(f1|auc|balanced|recall|(^|_)m?ap)", re.IGNORECASE)
#: Student's t, two-sided, p = 0.05, by degrees of freedom.
_T = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
#: A score is said to differ from one hundredth on, a loss from two: what is less is no remedy, however sure it may be.
_LEAST_SCORE, _LEAST_LOSS = 0.01, 0.02
#: With fewer seeds than `_PAIRED` on a side, only so many times this decides: three runs may lie close together by chance, and
#: then every remedy that is tried once seems to differ from them.
_CLEAR = 10.0
#: From so many seeds on, the runs of one seed are compared with each other: they begin alike and see the same data.
_PAIRED = 3
#: One side's results all better than the other's: beyond chance, however they spread, where the exact two-sided p of the rank
#: test (Mann and Whitney, 1947) is below this, as with four against four (0.029) and three against five (0.036). The t-test
#: has no power where a training sometimes fails and sometimes does not.
_P = 0.05
#: The share of a training at whose end the loss is averaged.
_END = 0.1


class Score(NamedTuple):
    """The metric that counts; ``name`` None: the training loss does."""

    name: Optional[str]
    higher: bool


class Measured(NamedTuple):
    """What a set of runs came to: a number a seed, None where the run failed or the number is not finite."""

    scores: tuple
    losses: tuple
    failed: int


class Compared(NamedTuple):
    """One set of runs against another.

    Attributes:
        verdict: helps, harms, none (within the spread), open (more seeds would tell).
        gain: How much better, in the units of the score; above zero: better. None: one side is not finite.
        spread: What a difference by chance may come to (95 %).
        steady: Whether each seed was better, or each worse.
    """

    verdict: str
    gain: Optional[float]
    spread: Optional[float]
    steady: bool = False


def choose_score(results: list, unbalanced: bool = False) -> Score:
    """The metric that all of the baseline's runs have: one of which more is better before one of which less is, and of those
    the accuracy; where the classes are ``unbalanced``, a constant prediction has a good one, and F1, AUC or recall come first."""
    common = set.intersection(*(set(one["metrics"]) for one in results)) if results else set()
    better = sorted(name for name in common if HIGHER.search(name))
    worse = sorted(name for name in common if LOWER.search(name) and name not in better)
    if better:
        first = _RARE_CLASSES if unbalanced else re.compile("acc", re.IGNORECASE)
        return Score(min(better, key=lambda name: (not first.match(name), name)), True)
    return Score(worse[0], False) if worse else Score(None, False)


def measure(results: list, score: Score, steps: Optional[int] = None) -> Measured:
    """Final score and loss at the end of each run; ``steps``: the loss at this step, of longer runs too."""
    scores = tuple(_last(one["metrics"].get(score.name)) if one["status"] == 0 else None for one in results)
    losses = tuple(_end(one, steps) if one["status"] == 0 else None for one in results)
    return Measured(scores, losses, sum(one["status"] != 0 for one in results))


def _last(series: Optional[list]) -> Optional[float]:
    return series[-1][1] if series else None


def _end(result: dict, steps: Optional[int]) -> Optional[float]:
    rows = [(step, loss) for step, loss in zip(result["steps"], result["losses"]) if steps is None or step <= steps]
    if not rows:
        return None
    last = rows[-1][0]
    end = [loss for step, loss in rows if step > (1 - _END) * last]
    return None if None in end else sum(end) / len(end)


def common_steps(groups: list) -> Optional[int]:
    """The last step that all runs that did not fail have."""
    last = [one["steps"][-1] for group in groups for one in group if one["steps"] and one["status"] == 0]
    return min(last, default=None)


def compare(base: Measured, tried: Measured, score: Score, loss_counts: bool = True) -> Compared:
    """Whether ``tried`` is better than ``base`` by the score, or by the training loss where there is none.

    Where each result of one side is better than each of the other, the exact p of the rank test may tell. Otherwise Student's
    t-test: of the differences seed by seed where both have three or more, else of the two means with a pooled standard
    deviation, which with one run on a side is the other side's. The difference counts from `_LEAST_SCORE` or `_LEAST_LOSS`
    on, with less than three seeds from ten times that on. The numbers of both sides stand in the order of the seeds.
    """
    if score.name is not None:
        return _compared(base.scores, tried.scores, score.higher, _least(base.scores, score))
    if not loss_counts:
        return Compared("none", None, None)
    return _compared(base.losses, tried.losses, False, _least(base.losses, score))


def _least(values: tuple, score: Score) -> float:
    known = [abs(value) for value in values if value is not None]
    size = sum(known) / len(known) if known else 0.0
    if score.name is not None and score.higher and size <= 1:
        return _LEAST_SCORE
    return (_LEAST_SCORE if score.name is not None else _LEAST_LOSS) * size


def _compared(base: tuple, tried: tuple, higher: bool, least: float) -> Compared:
    if None in base or None in tried:
        return Compared(_where_not_finite(base, tried), None, None)
    sign = 1 if higher else -1
    differences = [sign * (after - before) for before, after in zip(base, tried)]
    if len(differences) >= _PAIRED:
        gain, spread = _mean(differences), _paired_spread(differences)
    else:
        gain, spread = sign * (_mean(tried) - _mean(base)), _spread(base, tried)
    steady = all(one > 0 for one in differences) or all(one < 0 for one in differences)
    if abs(gain) <= least:
        return Compared("none", gain, spread, steady)
    if min(len(base), len(tried)) < _PAIRED and abs(gain) <= _CLEAR * least:
        return Compared("open", gain, spread, steady)
    if abs(gain) > spread or _apart(base, tried):
        return Compared("helps" if gain > 0 else "harms", gain, spread, steady)
    return Compared("open", gain, spread, steady)


def _apart(base: tuple, tried: tuple) -> bool:
    by_chance = 2 / math.comb(len(base) + len(tried), len(base))
    return by_chance < _P and (min(base) > max(tried) or max(base) < min(tried))


def _where_not_finite(base: tuple, tried: tuple) -> str:
    lost = base.count(None) / len(base), tried.count(None) / len(tried)
    return "helps" if lost[1] < lost[0] else "harms" if lost[1] > lost[0] else "none"


def _spread(base: tuple, tried: tuple) -> float:
    freedom = len(base) + len(tried) - 2
    squares = sum((value - _mean(side)) ** 2 for side in (base, tried) for value in side)
    if freedom < 1:
        return math.inf
    return _T[min(freedom, len(_T) - 1)] * math.sqrt(squares / freedom * (1 / len(base) + 1 / len(tried)))


def _paired_spread(differences: list) -> float:
    freedom, mean = len(differences) - 1, _mean(differences)
    squares = sum((one - mean) ** 2 for one in differences)
    return _T[min(freedom, len(_T) - 1)] * math.sqrt(squares / freedom / len(differences))


def _mean(values) -> float:
    return sum(values) / len(values)
