"""Which steps make one curve, where a run trains with several optimizers or several networks (hp.01, hp.02)."""

from typing import Optional

import numpy as np

from msprec.checklist.subject import Subject


def last_began(subject: Subject) -> int:
    """The step after which the last of several trainings began, one after the other (the folds of a cross-validation, a
    teacher and then its student); 0 where there was one."""
    return max(_by_networks(subject), _by_optimizers(subject))


def last_rows(subject: Subject) -> Optional[np.ndarray]:
    """Which rows of the steps belong to the last of several trainings: (rows,) bool.

    None where optimizers of different networks take turns, as in a GAN: their losses are two curves in one column, and
    neither has to fall.
    """
    spans = _spans(subject)
    if _overlap(spans) and _take_turns(subject):
        return None
    steps = subject.steps()
    return np.asarray(steps["step"], float) > last_began(subject) if len(steps) else np.zeros(0, bool)


def _by_networks(subject: Subject) -> int:
    """Networks of their own that were trained one after the other, not in turn."""
    phases = [one for one in subject.phases if one.phase == "train" and None not in (one.first_step, one.last_step)]
    spans = sorted((one.first_step, one.last_step) for one in phases)
    networks = [one for one in subject.networks if one.role == "train"]
    apart = all(before[1] < after[0] for before, after in zip(spans, spans[1:]))
    return spans[-1][0] if apart and 1 < len(spans) <= len(networks) else 0


def _by_optimizers(subject: Subject) -> int:
    spans = _spans(subject)
    return max(spans)[0] - 1 if len(spans) > 1 and not _overlap(spans) else 0


def _spans(subject: Subject) -> list:
    """First and last step of each optimizer that was used."""
    return [tuple(o.steps) for o in subject.optimizers if o.used is not False and len(o.steps) == 2]


def _overlap(spans: list) -> bool:
    """Whether another optimizer was at work while the last one was."""
    if len(spans) < 2:
        return False
    first, last = max(spans)
    return any(other != (first, last) and other[1] >= first and other[0] <= last for other in spans)


def _take_turns(subject: Subject) -> bool:
    """Whether the optimizers' steps overlap without being shared: each made fewer updates than its span has steps."""
    used = [o for o in subject.optimizers if o.used is not False and len(o.steps) == 2 and o.updates is not None]
    overflows = int((np.nan_to_num(subject.steps()["overflow"]) > 0).sum()) if "overflow" in subject.steps() else 0
    short = [o for o in used if o.updates + overflows < 0.9 * (o.steps[1] - o.steps[0] + 1)]
    return len(short) > 1
