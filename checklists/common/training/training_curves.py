"""The curves of a training: its loss and its validation metrics, and what they show of their course."""

import ast
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.findings import plain_arrays
from msprec.checklists.common.training.constant_prediction import as_share, beneath_floor, learning_outcome
from msprec.checklists.common.training.training_segments import last_evaluations, last_rows, last_training_start
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.metric_names import HIGHER, LOWER

_KEEPS_BEST = re.compile(
    r"EarlyStopping\(|restore_best_weights\s*=\s*True|SaveBest|BestCheckpoint|save_best|ReduceLROnPlateau\b.*best"
)
_BEST = re.compile(r"best|patience|lowest|highest", re.IGNORECASE)


class ValidationCurve(NamedTuple):
    """One validation metric over the training, turned so that less is better; ``low``: it is a loss.

    ``samples``: of the data it was computed on, where known.
    """

    name: str
    steps: np.ndarray
    values: np.ndarray
    low: bool
    samples: Optional[int] = None

    @property
    def best(self) -> int:
        return int(np.argmin(self.values))

    @property
    def noise(self) -> float:
        """The usual distance of a value from the line through its neighbours."""
        if len(self.values) < 3:
            return 0.0
        middle = (self.values[:-2] + self.values[2:]) / 2
        return float(np.median(np.abs(self.values[1:-1] - middle)))

    @property
    def last(self) -> int:
        """How many values count as the end: a tenth of them, two at the least."""
        return min(len(self.values), max(2, len(self.values) // 10))

    @property
    def end(self) -> float:
        """The mean of the last values."""
        return float(self.values[-self.last :].mean())

    @property
    def error(self) -> float:
        """The standard error of a share of right answers, from the number of samples; 0 where that is not known."""
        unit = score_unit(np.abs(self.values).max())
        share = abs(float(self.values[self.best])) / unit
        if self.low or not self.samples or not 0 <= share <= 1:
            return 0.0
        return (share * (1 - share) / self.samples) ** 0.5 * unit

    def shown(self, value: float) -> float:
        return float(value if self.low else -value)


#: What of its whole fall a loss that falls evenly has in its last fifth.
EVEN_SHARE = 0.2


class TrainingCurve(NamedTuple):
    """The training loss: its fall over the last fifth, and how sure that is."""

    first: float
    before: float
    last: float
    sure: bool

    @property
    def relative(self) -> float:
        return (self.before - self.last) / abs(self.last) if self.last else 0.0

    @property
    def share(self) -> float:
        whole = self.first - self.last
        return (self.before - self.last) / whole if whole > 0 else 0.0


def validation_curves(run_data: RunData) -> list[ValidationCurve]:
    """Metrics evaluated at four steps of the (last) training or more, losses first."""
    points: dict = {}
    counted: dict = {}
    for evaluation in last_evaluations(run_data):
        for name, value in evaluation.metrics.items():
            if evaluation.step is not None and value == value and abs(value) != float("inf"):
                points.setdefault((name, evaluation.dataset), {})[evaluation.step] = float(value)
                counted[name, evaluation.dataset] = evaluation.samples
    curves = []
    for (name, dataset), found in points.items():
        low = bool(LOWER.search(name))
        if len(found) >= 4 and (low or HIGHER.search(name)):
            steps = np.array(sorted(found), dtype=float)
            values = np.array([found[step] for step in sorted(found)])
            samples = counted[name, dataset] or _samples(run_data, dataset)
            curves.append(ValidationCurve(name, steps, values if low else -values, low, samples))
    return sorted(curves, key=lambda curve: not curve.low)


def _samples(run_data: RunData, number) -> Optional[int]:
    """Samples a pass of the data that were evaluated; the only evaluation set where the facts name none."""
    sets = run_data.datasets_of("eval")
    named = [one for one in run_data.datasets if number is not None and one.id == number]
    found = named or (sets if len(sets) == 1 else [])
    return found[0].samples_per_pass if found else None


def validation_scores(run_data: RunData, names: str) -> list:
    """The last value of each metric of such a name, as a share."""
    last = {}
    for evaluation in last_evaluations(run_data):
        for name, value in evaluation.metrics.items():
            if re.search(names, name, re.IGNORECASE) and value == value and 0 <= value <= 100:
                last[name, evaluation.dataset] = as_share(value)
    return list(last.values())


def training_curve(run_data: RunData) -> Optional[TrainingCurve]:
    """The loss of the last fifth of the steps beside the fifth before it; None where too few losses are known."""
    rows = last_rows(run_data)
    if rows is None or "loss" not in run_data.steps():
        return None
    losses = run_data.steps()["loss"][rows & run_data.steps().seen("loss")]
    if len(losses) < 30 or not np.isfinite(losses).all():
        return None
    fifth = len(losses) // 5
    first, before, last = losses[: max(3, len(losses) // 20)], losses[-2 * fifth : -fifth], losses[-fifth:]
    error = float(np.hypot(before.std() / len(before) ** 0.5, last.std() / len(last) ** 0.5))
    halves = last[: len(last) // 2].mean(), last[len(last) // 2 :].mean()
    sure = before.mean() - last.mean() > 3 * error and halves[1] < halves[0] < before.mean()
    return TrainingCurve(float(first.mean()), float(before.mean()), float(last.mean()), bool(sure))


def turned_up(run_data: RunData, curve: ValidationCurve) -> bool:
    """Whether a metric was best well before the end and has been clearly worse since."""
    best, begun = float(curve.values[curve.best]), last_training_start(run_data)
    latest = run_data.limit("hp.02.before") * (last_step(run_data, curve) - begun)
    if curve.steps[curve.best] - begun > latest or len(curve.values) - curve.best < 3:
        return False
    worse = curve.end - best
    least = run_data.limit("hp.02.rise") * abs(best) if curve.low else run_data.limit("hp.02.drop") * score_unit(best)
    after = curve.values[curve.best + 1 :]
    # the same samples are judged each time: less than their errors alone would make of two shares
    return (
        worse >= max(least, 1.5 * curve.error)
        and worse > 4 * curve.noise
        and float((after > best + 0.25 * worse).mean()) >= 0.5
    )


def score_unit(score: float) -> float:
    """What a score is counted in: 1 for shares, 100 for percentages."""
    return 100.0 if abs(score) > 1.5 else 1.0


def last_step(run_data: RunData, curve: ValidationCurve) -> float:
    """The step at which the training ended, as far as steps or evaluations tell."""
    return max(float(run_data.training_steps), float(curve.steps[-1]))


def is_steep(run_data: RunData, training: TrainingCurve) -> bool:
    """Whether the training loss was still falling steeply at the end (hp.02.falling, or hp.02.falling_of_little where hp.02.most
    of a constant prediction's is gone, and hp.02.share)."""
    if training.last <= 0:  # no share of itself tells how far a loss without a floor at 0 may go
        return not beneath_floor(run_data) and training.sure and training.share >= EVEN_SHARE
    gain = learning_outcome(run_data).gain
    little = gain is not None and gain >= run_data.limit("hp.02.most")
    least = run_data.limit("hp.02.falling_of_little" if little else "hp.02.falling")
    return training.sure and training.relative >= least and training.share >= run_data.limit("hp.02.share")


def whole_training(run_data: RunData, steps: int) -> bool:
    """Whether a training of so many steps is no trial of a few epochs, whose loss may well be on its way."""
    return (epochs_of(run_data) or 0) >= run_data.limit("hp.02.epochs") and steps >= run_data.limit("td.01.whole_steps")


def epochs_of(run_data: RunData) -> Optional[int]:
    """Passes over the training data that the run made; those of the last training where the steps do not count them."""
    begun, steps = last_training_start(run_data), run_data.training_steps
    if begun and steps:
        passes = sum(dataset.passes or 0 for dataset in run_data.datasets_of("train"))
        return _passes_of_last(run_data, steps - begun) or round(passes * (steps - begun) / steps)
    epochs = run_data.steps().observed("epoch")
    counted = len(epochs) > 0 and bool(np.isfinite(epochs).all())
    if counted and epochs.max() > 1:  # each call of Model.train counts from 1
        last = np.append(np.diff(epochs) < 0, True)
        return int(epochs[last].sum())
    passes = [_times_seen(dataset) for dataset in run_data.datasets_of("train") if dataset.passes]
    return max([*passes, 1] if counted else passes, default=None)


def _times_seen(dataset: Fact) -> int:
    """Its passes; of plain arrays, whose passes could not be told apart, how often each of its inputs came."""
    seen = dataset.contradictions
    if plain_arrays(dataset) and dataset.passes == 1 and seen.distinct:
        return max(1, (seen.samples or 0) // seen.distinct)
    return dataset.passes


def _passes_of_last(run_data: RunData, steps: int) -> Optional[int]:
    """Passes of the last data sets that the training was fed with, where together they fed just so many steps."""
    passes = 0
    for dataset in reversed(run_data.datasets_of("train")):
        passes, steps = passes + (dataset.passes or 0), steps - (dataset.fed or 0)
        if steps <= 0:
            break
    return passes if steps == 0 else None


_ORDERS = (ast.Lt, ast.Gt, ast.LtE, ast.GtE)
SAVES = ("save_checkpoint", "save_best", "save_ckpt", "copy", "deepcopy", "clone")


def keeps_best(run_data: RunData) -> list:
    """Places where the script keeps the best weights or stops early by itself."""
    found = run_data.find_lines(_KEEPS_BEST.pattern, 2)
    for file in run_data.source.trees:
        for call, parents in run_data.source.calls_to(file, SAVES):
            tests = [parent for parent in parents if isinstance(parent, ast.If)]
            if any(_BEST.search(ast.unparse(one.test)) or kept_value(one, one.test) for one in tests):
                found.append(place(file, call.lineno))
    return found


def kept_value(branch: ast.If, test: ast.AST) -> Optional[tuple]:
    """``(value, whether it is kept where it is smaller)`` of ``if value < top:`` with ``top = value`` inside, whatever the names;
    None where ``test``, of that branch or a part of it, compares nothing that the branch keeps."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], _ORDERS):
        return None
    left, right = (ast.unparse(_without_margin(one)) for one in (test.left, test.comparators[0]))
    for statements, turned in ((branch.body, False), (branch.orelse, True)):
        assigned = [node for one in statements for node in ast.walk(one) if isinstance(node, ast.Assign)]
        for name, value in (pair for node in assigned for target in node.targets for pair in _pairs(target, node)):
            if {ast.unparse(name), ast.unparse(value)} == {left, right}:
                kept = ast.unparse(value)
                return kept, (isinstance(test.ops[0], (ast.Lt, ast.LtE)) == (kept == left)) != turned
    return None


def _without_margin(side: ast.expr) -> ast.expr:
    """``best`` of ``best - min_delta``."""
    return side.left if isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Add, ast.Sub)) else side


def _pairs(target: ast.expr, node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """(name, value) of an assignment, one by one where both sides are tuples."""
    value = node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts))
    return [(target, value)]
