"""Whether the training would have come further: its last weights trained on, beside batches that are only looked at."""

import itertools
import math
import time
from collections import Counter
from typing import Optional

import numpy as np

from msprec.locate.gradients import Plain
from msprec.locate.replay import undisturbed, watched
from msprec.locate.trace import to_numpy
from msprec.probe.captured_steps import Material
from msprec.probe.learning_rate_probe import HIGH, STILL, Cannot, see_gradients, training_step
from msprec.range_test.lr_setter import RateSetter
from msprec.record.nested import tensors_in
from msprec.record.step_recorder import to_number
from msprec.runtime.cells import all_parameters
from msprec.runtime.scalars import first_scalar

#: A training whose loss came down to this share of its start leaves no doubt.
GONE = 0.1
#: Steps of a trial: twice those of the run, so many at least and at most; fewer than `ENOUGH` tell nothing.
FEWEST, MOST, ENOUGH = 60, 400, 20
#: One batch in so many is kept back, and so many at most.
KEPT, MOST_KEPT = 4, 8
#: Powers of ten of the run's rate, tried in turn where its own does next to nothing.
POWERS = (1, 2, 3)
#: A batch begins another pass where more than this share of its samples has been seen.
AGAIN = 0.5


def further_training(material: Material, seconds: float, reached: Optional[tuple]) -> Optional[dict]:
    """``further`` of ``probes.json``; None where the run leaves no doubt.

    Args:
        material: What the run left.
        seconds: The probe takes no longer, give or take a step.
        reached: Number of the run's losses, and the means of its first ones, second tenth and last tenth.

    Raises:
        Cannot: ``"optimizers"``, ``"weights"``, ``"gradients"``: as for the range test; ``"slow"``: too few steps fit in.
    """
    if reached is None:
        return None
    steps, first, _, end = reached
    if not math.isfinite(end) or 0 <= end <= GONE * first:
        return None
    if len(material.optimizers) != 1:
        raise Cannot("optimizers")
    if material.initial is None:
        raise Cannot("weights")
    until = time.monotonic() + seconds
    trial = _Trial(material)
    if material.style == "functional":
        with undisturbed(all_parameters(trial.roots), None, material.initial):
            see_gradients(material)
    batches = first_pass(material.batches)
    kept = min(MOST_KEPT, math.ceil(len(batches) / KEPT)) if len(batches) > 1 else 0
    trained, held = batches[: len(batches) - kept], batches[len(batches) - kept :]
    looked = held or trained
    trial.run(None, [], looked)  # the first steps prepare kernels
    began = time.monotonic()
    used, _, before = trial.run(None, [], looked)
    each = (time.monotonic() - began) / len(looked)
    if not used:
        return None
    wanted = min(MOST, max(FEWEST, 2 * steps))
    affordable = int((until - time.monotonic()) / (1 + len(POWERS)) / max(each, 1e-4)) - len(looked)
    if affordable < ENOUGH:
        raise Cannot("slow")
    found, series = [], list(itertools.islice(itertools.cycle(trained), min(wanted, affordable)))
    for power in (0, *POWERS):
        rate = used * 10.0**power
        if power and (rate > HIGH or time.monotonic() > until or not _still(found[0]["losses"])):
            break
        _, losses, after = trial.run(rate, series, looked, until)
        if len(losses) < len(series) and math.isfinite(losses[-1]):
            break  # time is over
        found.append({"rate": rate, "losses": losses, "after": after})
    return {"batches": len(trained), "apart": bool(held), "before": before, "trials": found} if found else None


class _Trial:
    """Trains copies of the last weights: all is as before afterwards."""

    def __init__(self, material: Material) -> None:
        self.optimizer = material.optimizers[0]
        cells = [material.cell] if material.cell is not None else []
        self.roots = [*material.roots, self.optimizer, *cells]
        self._step = training_step(material, self.optimizer)

    def run(self, rate: Optional[float], batches: list, held: list, until: float = math.inf) -> tuple:
        """``(the run's rate, losses of the batches trained on, losses of those kept back)``; at ``rate`` None nothing moves."""
        losses: list = []
        with undisturbed(all_parameters(self.roots), None, None), watched(Plain()):
            setter = RateSetter(self.optimizer)
            try:
                setter.set(rate or 0.0)
                for batch in batches:
                    losses.append(self._loss(batch))
                    if not math.isfinite(losses[-1]) or time.monotonic() > until:
                        break
                setter.set(0.0)
                return setter.used, losses, [self._loss(batch) for batch in held]
            finally:
                setter.restore()

    def _loss(self, batch) -> float:
        loss = first_scalar(self._step(*batch))
        return float(to_number(loss)) if loss is not None else math.nan


def first_pass(batches: list) -> list:
    """The batches before the first whose samples have mostly been seen: no sample of theirs comes twice."""
    seen: set = set()
    for number, batch in enumerate(batches):
        samples = _samples(batch)
        if samples and sum(one in seen for one in samples) > AGAIN * len(samples):
            return batches[:number]
        seen |= set(samples)
    return batches


def _samples(batch) -> list:
    """The contents of each sample, by hash; those of the arrays whose first dimension is the most common."""
    arrays = [array for array in map(to_numpy, tensors_in(batch)) if array.ndim]
    if not arrays:
        return []
    count = Counter(len(array) for array in arrays).most_common(1)[0][0]
    rows = [np.ascontiguousarray(array) for array in arrays if len(array) == count]
    return [hash(tuple(array[row].tobytes() for array in rows)) for row in range(count)]


def _still(losses: list) -> bool:
    """Whether training on brought next to nothing."""
    third = max(3, len(losses) // 3)
    first, last = float(np.mean(losses[:third])), float(np.mean(losses[-third:]))
    return math.isfinite(last) and first - last < STILL * abs(first)
