"""Which steps make one curve, where a run trains with several optimizers (hp.01, hp.02)."""

from typing import Optional

import numpy as np

from msprec.checklist.subject import Subject


def last_training(subject: Subject) -> Optional[np.ndarray]:
    """Which rows of the steps belong to the last of several trainings, one after the other (a teacher, then its student).

    None where optimizers of different networks take turns, as in a GAN: their losses are two curves in one column, and
    neither has to fall.
    """
    numbers = np.asarray(subject.steps()["step"], float)
    spans = [tuple(o.steps) for o in subject.optimizers if o.used is not False and len(o.steps) == 2]
    if len(spans) < 2:
        return np.ones(len(numbers), bool)
    first, last = max(spans)
    if any(other != (first, last) and other[1] >= first and other[0] <= last for other in spans):
        return None if _take_turns(subject) else np.ones(len(numbers), bool)
    return (numbers >= first) & (numbers <= last)


def _take_turns(subject: Subject) -> bool:
    """Whether the optimizers' steps overlap without being shared: each made fewer updates than its span has steps."""
    used = [o for o in subject.optimizers if o.used is not False and len(o.steps) == 2 and o.updates is not None]
    overflows = int((np.nan_to_num(subject.steps()["overflow"]) > 0).sum()) if "overflow" in subject.steps() else 0
    short = [o for o in used if o.updates + overflows < 0.9 * (o.steps[1] - o.steps[0] + 1)]
    return len(short) > 1
