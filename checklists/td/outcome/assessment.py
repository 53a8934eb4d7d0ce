"""What a training reached beside the best constant prediction, beside its own start and on validation (td.01)."""

import math
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import (
    ACCURACY,
    BesideConstant,
    as_share,
    learning_outcome,
    share_error,
    training_losses,
)
from msprec.checklists.common.training.reinforcement import has_adversary, learns_by_rewards
from msprec.checklists.common.training.simple_predictors import Attainable, behind_simple_predictor
from msprec.checklists.common.training.training_curves import (
    epochs_of,
    is_steep,
    keeps_best,
    training_curve,
    turned_up,
    validation_curves,
    whole_training,
)
from msprec.checklists.common.training.training_segments import last_evaluations, last_rows, rates_of
from msprec.checklists.common.weights.weight_updates import nothing_updated
from msprec.engine.run_data import RunData
from msprec.record.metric_names import HIGHER, LOWER


class Score(NamedTuple):
    """The last value of a validation metric.

    Attributes:
        name, value, step: The metric, its last value, and the training steps done before.
        constant: What a constant prediction reaches by it (the share of the most frequent class); None: not known.
        better: ``higher`` or ``lower``.
        samples: Samples that it was computed on; None: not known.
    """

    name: str
    value: float
    step: Optional[int]
    constant: Optional[float]
    better: str
    samples: Optional[int]


class Assessment(NamedTuple):
    """How a training came out.

    Attributes:
        state: ``learnt``, ``hardly``, ``nothing``, ``diverged``, ``stopped_early``, ``got_worse`` or ``unknown``.
        sure: Whether a bad state is one beyond doubt.
        reason: Why it is unknown, or not sure: ``few_steps``, ``no_loss``, ``turns``, ``other_aim``, ``short``,
            ``no_constant``, ``validation``; None.
        outcome: The end of the loss beside the constant.
        start: The loss at the start: median of the first steps. None where no loss was seen.
        end: The loss at the end: mean of the last tenth, NaN or infinite included. None where no loss was seen.
        lowest: The lowest level of the smoothed loss.
        step: The step at which it stopped learning (diverged: at which it began to rise, or was not finite first), from 1.
        score: The last validation score.
        little: Whether it learnt less than td.01.well of the constant's loss, and no validation score says otherwise.
        behind: What the samples' nearest neighbours tell, of a training that came down by much less than they would.
    """

    state: str
    outcome: BesideConstant
    sure: bool = False
    reason: Optional[str] = None
    start: Optional[float] = None
    end: Optional[float] = None
    lowest: Optional[float] = None
    step: Optional[int] = None
    score: Optional[Score] = None
    little: bool = False
    behind: Optional[Attainable] = None

    @property
    def told(self) -> str:
        """The state that is told: one that learnt only a little learnt hardly."""
        return "hardly" if self.little else self.state

    @property
    def failed(self) -> bool:
        """Whether it came out badly beyond doubt: a problem of td.01."""
        return self.sure and (self.state in ("nothing", "diverged", "got_worse") or self.behind is not None)


def assess(run_data: RunData) -> Assessment:
    """The outcome of the (last) training."""
    outcome, score = learning_outcome(run_data), last_score(run_data)
    losses = run_data.once(training_losses)
    if losses is None:
        return Assessment("unknown", outcome, reason="turns" if last_rows(run_data) is None else "no_loss", score=score)
    numbers, values = losses
    if not len(values):
        return Assessment("unknown", outcome, reason="no_loss", score=score)
    seen = Assessment(
        "unknown",
        outcome,
        start=float(np.median(values[: max(1, len(values) // 50)])),
        end=float(values[-max(5, len(values) // 10) :].mean()),
        score=score,
    )
    if len(values) < run_data.limit("hp.01.outcome_steps") and np.isfinite(values[-3:]).all():
        if _above(score):
            return seen._replace(state="learnt", sure=True)
        return seen._replace(reason="few_steps")
    if not math.isfinite(seen.end or 0.0):
        bad = numbers[~np.isfinite(values)]
        return seen._replace(state="diverged", sure=True, step=int(bad[0]))
    return _of_course(run_data, seen, numbers, values)


def _of_course(run_data: RunData, seen: Assessment, numbers: np.ndarray, values: np.ndarray) -> Assessment:
    numbers, course = smoothed(numbers, values)
    low = int(np.nanargmin(course))
    seen = seen._replace(lowest=float(course[low]))
    aim = has_other_aim(run_data)
    if seen.outcome.verdict == "unknown":
        found = _beside_start(run_data, seen, course)
    else:
        found = _beside_constant(run_data, seen)
    if found.state in ("diverged", "got_worse") and found.reason != "validation" and nothing_updated(run_data):
        found = found._replace(state="nothing", sure=_long_enough(run_data, len(values)))
    if found.state == "diverged":
        step = numbers[low]
    elif found.state == "got_worse":
        step = numbers[low] if found.reason != "validation" else found.step
    else:
        step = stop_of(run_data, numbers, course) if found.state not in ("stopped_early", "unknown") else None
    found = found._replace(step=int(step) if step is not None else None)
    if aim and found.state != "learnt":
        return found._replace(sure=False, reason="other_aim")
    return found


def _beside_constant(run_data: RunData, seen: Assessment) -> Assessment:
    verdict, gain = seen.outcome.verdict, seen.outcome.gain or 0.0
    if verdict == "diverged":
        return seen._replace(state="diverged", sure=True)
    training = training_curve(run_data)
    if _rose_again(run_data, seen) and gain < 1 - run_data.limit("hp.02.gone"):
        return seen._replace(state="got_worse", sure=verdict == "nothing")
    steep = training is not None and (is_steep(run_data, training) or (verdict != "learnt" and training.sure))
    scored = _above(seen.score)
    long = _long_enough(run_data, seen.outcome.steps)
    # above a constant prediction after a whole training: whether it still falls is for hp.01 and hp.02
    above = verdict == "nothing" and gain < -run_data.limit("hp.01.constant") and long
    above = above and whole_training(run_data, seen.outcome.steps)
    if steep and gain < run_data.limit("td.01.well") and not scored and not keeps_best(run_data) and not above:
        return seen._replace(state="stopped_early")
    behind = (
        behind_simple_predictor(run_data, seen.outcome) if long and gain > run_data.limit("hp.01.constant") else None
    )
    if behind is not None and not half_way(seen.score):
        return seen._replace(state="hardly", sure=True, behind=behind)
    if verdict == "learnt":
        little = gain < run_data.limit("td.01.well") and not half_way(seen.score)
        return _on_validation(run_data, seen._replace(state="learnt", sure=True, little=little))
    if verdict == "hardly" or gain > run_data.limit("hp.01.constant"):
        return seen._replace(state="hardly")
    return seen._replace(state="nothing", sure=long, reason=None if long else "short")


def _beside_start(run_data: RunData, seen: Assessment, course: np.ndarray) -> Assessment:
    """Of a loss whose best constant is not known: whether it fell at all."""
    start, end = seen.start or 0.0, seen.end or 0.0
    seen = seen._replace(reason="no_constant")
    fell = start - end
    if end > 0 and start > 0 and end > run_data.limit("hp.01.exploded") * start:
        return seen._replace(state="diverged", sure=end > run_data.limit("td.01.exploded") * start)
    if _rose_again(run_data, seen):
        return seen._replace(state="got_worse")
    if _above(seen.score):
        return _on_validation(run_data, seen._replace(state="learnt", sure=True))
    noise = float(np.nanmedian(np.abs(np.diff(course)))) if len(course) > 1 else 0.0
    if fell <= max(run_data.limit("td.01.fell") * abs(start), 3 * noise) and not _started_well(run_data):
        return seen._replace(state="nothing")
    return seen


def _on_validation(run_data: RunData, seen: Assessment) -> Assessment:
    """Learnt on the training data: whether the validation data say so too."""
    score = seen.score
    if score is not None and score.constant is not None and score.better == "higher" and not _above(score, errors=1):
        return seen._replace(state="hardly", sure=False, reason="validation")
    turned = [curve for curve in validation_curves(run_data) if turned_up(run_data, curve)]
    if turned and len(turned) == len(validation_curves(run_data)) and not keeps_best(run_data):
        return seen._replace(
            state="got_worse", sure=False, reason="validation", step=int(turned[0].steps[turned[0].best])
        )
    return seen


def _above(score: Optional[Score], errors: int = 3) -> bool:
    """Whether a score is above what a constant prediction is known to reach by more than so many standard errors of a share."""
    if score is None or score.constant is None:
        return False
    share = as_share(score.value)
    return share - score.constant > errors * share_error(share, score.samples)


def half_way(score: Optional[Score]) -> bool:
    """Whether half of the way from a constant prediction's share of right answers to all of them is done."""
    if score is None or score.constant is None:
        return False
    return as_share(score.value) - score.constant > 0.5 * (1 - score.constant)


def _rose_again(run_data: RunData, seen: Assessment) -> bool:
    start, end, lowest = seen.start or 0.0, seen.end or 0.0, seen.lowest or 0.0
    if start <= lowest:
        return False
    losses = run_data.once(training_losses)
    assert losses is not None
    tail = losses[1][-max(5, len(losses[1]) // 10) :]
    error = float(tail.std()) / math.sqrt(len(tail))
    return end - lowest > run_data.limit("td.01.worse") * (start - lowest) and end - lowest > 6 * error and _fell(seen)


def _fell(seen: Assessment) -> bool:
    """Whether the loss was once well below its start."""
    return (seen.start or 0.0) - (seen.lowest or 0.0) > 0.25 * abs(seen.start or 0.0)


def _long_enough(run_data: RunData, steps: int) -> bool:
    """Whether a training was long enough to have learnt something."""
    passes = (epochs_of(run_data) or 0) >= run_data.limit("td.01.epochs")
    rates = rates_of(run_data)
    warming = len(rates) > 10 and float(rates[-1]) >= float(rates.max()) > 1.5 * float(rates[len(rates) // 2])
    enough = (passes and steps >= run_data.limit("td.01.least_steps")) or steps >= run_data.limit("td.01.steps")
    return enough and not warming


def _started_well(run_data: RunData) -> bool:
    """Whether the training began with weights that were loaded: a fine-tuning, whose loss need not fall."""
    return any(load.function == "load_param_into_net" and load.loaded for load in run_data.loads) or any(
        load.function == "load_checkpoint" and load.network for load in run_data.loads
    )


def has_other_aim(run_data: RunData) -> bool:
    """Whether the source speaks of rewards or of networks that work against each other."""
    return learns_by_rewards(run_data) or has_adversary(run_data)


def smoothed(numbers: np.ndarray, values: np.ndarray) -> tuple:
    """``(steps, losses)``: medians over windows of a fiftieth of the steps, five to 101, each about its step.

    (n,) float64 each; of more than 20 000 steps 4000 medians over blocks, each at its first step.
    """
    if len(values) > 20_000:
        width = len(values) // 4000
        blocks = len(values) // width
        return numbers[: blocks * width : width], np.median(values[: blocks * width].reshape(blocks, width), axis=1)
    width = min(max(5, len(values) // 50), 101) | 1
    # mirrored: with its ends repeated a course would end at its last value, which may be that of a small batch
    ends = np.pad(np.asarray(values, float), width // 2, mode="reflect" if len(values) > 1 else "edge")
    return numbers, np.median(np.lib.stride_tricks.sliding_window_view(ends, width), axis=1)


def stop_of(run_data: RunData, numbers: np.ndarray, course: np.ndarray) -> Optional[int]:
    """The step after which less than td.01.rest of the whole fall was gained; None where that was in the last tenth."""
    known = np.isfinite(course)
    numbers, course = numbers[known], course[known]
    if not len(course):
        return None
    low = np.minimum.accumulate(course)
    whole = float(course[0] - low[-1])
    noise = float(np.median(np.abs(np.diff(course)))) if len(course) > 1 else 0.0
    at = int(np.argmax(low - low[-1] <= max(run_data.limit("td.01.rest") * whole, noise)))
    return int(numbers[at]) if at < 0.9 * len(course) else None


def last_score(run_data: RunData) -> Optional[Score]:
    """The last validation score, an accuracy before others; None without one."""
    trained = {one.id for one in run_data.datasets_of("train")}
    found = []
    for evaluation in last_evaluations(run_data):
        if evaluation.dataset is not None and evaluation.dataset in trained:
            continue
        for name, value in evaluation.metrics.items():
            if value == value and abs(value) != math.inf and (LOWER.search(name) or HIGHER.search(name)):
                rank = (bool(ACCURACY.search(name)), bool(LOWER.search(name)), evaluation.step or 0)
                found.append((rank, name, float(value), evaluation))
    if not found:
        return None
    (accuracy, low, _), name, value, evaluation = max(found, key=lambda one: one[0])
    constant = _majority(run_data) if accuracy and 0 <= value <= 100 else _without_inputs(name)
    return Score(name, value, evaluation.step, constant, "lower" if low else "higher", evaluation.samples)


def _without_inputs(name: str) -> Optional[float]:
    """What a constant prediction reaches by a metric by its definition: 0 of R², 0.5 of the area under the ROC curve."""
    if re.search(r"(^|_)r2", name, re.IGNORECASE):
        return 0.0
    return 0.5 if re.search(r"(^|_)(roc_?)?auc", name, re.IGNORECASE) else None


def _majority(run_data: RunData) -> Optional[float]:
    """The largest share of a class, in whichever set has most of one class; None where no classes were counted."""
    shares = []
    for dataset in run_data.datasets_of("train", "eval"):
        counts = dataset.label.counts
        if dataset.label.kind in ("class", "one_hot") and counts and not dataset.label.guess:
            shares.append(max(counts.values()) / sum(counts.values()))
    return max(shares) if shares else None
