"""Which steps make one curve, where a run trains with several optimizers or several networks (hp.01, hp.02)."""

from typing import Optional

import numpy as np

from msprec.engine.run_data import RunData


def last_training_start(run_data: RunData) -> int:
    """The step after which the last of several trainings began, one after the other (the folds of a cross-validation, a
    teacher and then its student); 0 where there was one."""
    return max(_by_networks(run_data), _by_optimizers(run_data), _by_hand_first(run_data))


def last_rows(run_data: RunData) -> Optional[np.ndarray]:
    """Which rows of the steps belong to the last of several trainings: (rows,) bool.

    None where optimizers of different networks take turns, as in a GAN: their losses are two curves in one column, and
    neither has to fall.
    """
    spans = _spans(run_data)
    if _overlap(spans) and _take_turns(run_data):
        return None
    steps = run_data.steps()
    return np.asarray(steps["step"], float) > last_training_start(run_data) if len(steps) else np.zeros(0, bool)


def last_evaluations(run_data: RunData) -> list:
    """The evaluations of the run, or of the last of several trainings."""
    start = last_training_start(run_data)
    return [one for one in run_data.evaluations if not start or (one.step or 0) > start]


def rates_of(run_data: RunData) -> np.ndarray:
    """The rate of each step of the run, or of the last of several trainings, where it was seen: (steps,) float."""
    steps, rows = run_data.steps(), last_rows(run_data)
    if "lr" not in steps:
        return np.zeros(0)
    seen = steps.seen("lr")
    return np.asarray(steps["lr"], float)[seen if rows is None else rows & seen]


def last_datasets(run_data: RunData) -> list:
    """The training sets of the last of several trainings: where all others together fed the steps before it, the last one."""
    datasets, start = run_data.datasets_of("train"), last_training_start(run_data)
    before = [one.fed or 0 for one in datasets[:-1]]
    return datasets[-1:] if start and before and sum(before) == start else datasets


def _by_networks(run_data: RunData) -> int:
    """Networks of their own that were trained one after the other, not in turn."""
    phases = [one for one in run_data.phases if one.phase == "train" and None not in (one.first_step, one.last_step)]
    spans = sorted((one.first_step, one.last_step) for one in phases)
    networks = [one for one in run_data.networks if one.role == "train"]
    apart = all(before[1] < after[0] for before, after in zip(spans, spans[1:]))
    return spans[-1][0] if apart and 1 < len(spans) <= len(networks) else 0


def _by_optimizers(run_data: RunData) -> int:
    spans = _spans(run_data)
    return max(spans)[0] - 1 if len(spans) > 1 and not _overlap(spans) else 0


def _by_hand_first(run_data: RunData) -> int:
    """A training that the script updated by itself, and after it, in a function of its own, the first that has an optimizer."""
    counts, firsts = [one.count or 0 for one in run_data.train_steps], [first for first, _ in _spans(run_data)]
    before = min(firsts, default=1) - 1
    return before if len(counts) > 1 and before > 1 and abs(sum(counts[:-1]) - before) <= 2 else 0


def _spans(run_data: RunData) -> list:
    """First and last step of each optimizer that was used."""
    return [tuple(o.steps) for o in run_data.optimizers if o.used is not False and len(o.steps) == 2]


def _overlap(spans: list) -> bool:
    """Whether another optimizer was at work while the last one was."""
    if len(spans) < 2:
        return False
    first, last = max(spans)
    return any(other != (first, last) and other[1] >= first and other[0] <= last for other in spans)


def _take_turns(run_data: RunData) -> bool:
    """Whether the optimizers' steps overlap without being shared: each made fewer updates than its span has steps."""
    used = [o for o in run_data.optimizers if o.used is not False and len(o.steps) == 2 and o.updates is not None]
    overflows = int((np.nan_to_num(run_data.steps()["overflow"]) > 0).sum()) if "overflow" in run_data.steps() else 0
    short = [o for o in used if o.updates + overflows < 0.9 * (o.steps[1] - o.steps[0] + 1)]
    return len(short) > 1
