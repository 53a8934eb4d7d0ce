"""Whether the training would have come further: its last weights trained on, beside batches that are only looked at."""

import contextlib
import itertools
import math
from collections import Counter
from typing import Optional

import numpy as np

from msprec.locate.gradients import Plain
from msprec.locate.replay import undisturbed, watched
from msprec.locate.trace import to_numpy
from msprec.probe.steps.captured_steps import Material
from msprec.probe.training.learning_rate_probe import HIGH, STILL, Cannot, see_gradients, training_step
from msprec.probe.training.weight_decay_trial import NoDecay, decays_of
from msprec.range_test.lr_setter import RateSetter
from msprec.record.nested import tensors_in
from msprec.record.step_recorder import to_number
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.cells import all_parameters
from msprec.runtime.scalars import first_scalar

#: A training whose loss came down to this share of its start leaves no doubt.
GONE = 0.1
#: Steps of a trial at the run's own rate: twice those of the run, so many at least and at most; fewer than `ENOUGH` tell nothing.
FEWEST, MOST, ENOUGH = 60, 400, 20
#: A run of fewer steps that brought next to nothing may have ended too early: so many at its own rate are tried before others.
SHORT = 200
#: One batch in so many is kept back, and so many at most.
KEPT, MOST_KEPT = 4, 8
#: So many are looked at where one takes long, or as many as fit into this share of the time.
LOOKS, LOOKING = 3, 0.1
#: Powers of ten of the run's rate, tried in turn where that brought next to nothing, and share of the time for the first.
POWERS, FIRST = (2, 3, 1), 0.5
#: A fall to this share of the loss needs no other rate; seconds for a run that is short or brought next to nothing.
CLEAR, STUCK = 0.6, 4.0
#: Seconds that the trial without weight decay may take beyond the others', of a run whose loss came to no less than this share.
DECAY, LOST = 4.0, 0.3
#: Of a run that is not finite after so many steps or fewer the first are made again, so many at least; and powers of ten of its
#: rate at which they are made as well.
AT_ONCE, LEAST, LOWER = 32, 6, (-2, -3)
#: A batch begins another pass where more than this share of its samples has been seen. Where more than `REPEATED` of the first
#: batch repeat within it, only where it is so much more than of any before, or nearly all of the second batch.
AGAIN, REPEATED, JUMP, WHOLE = 0.5, 0.02, 0.3, 0.95


def further_training(material: Material, seconds: float, reached: Optional[tuple], most: float) -> Optional[dict]:
    """``further`` of ``probes.json``; None where the run leaves no doubt.

    Args:
        material: What the run left.
        seconds: The probe takes no longer, give or take a step.
        reached: Number of the run's losses, and the means of its first ones, second tenth and last tenth.
        most: Where the run is short or brought next to nothing, `STUCK` seconds, but no more than these.

    Raises:
        Cannot: ``"optimizers"``, ``"weights"``, ``"gradients"``: as for the range test; ``"slow"``: too few steps fit in.
    """
    if reached is None:
        return None
    steps, first, _, end = reached
    if 0 <= end <= GONE * first:
        return None
    if len(material.optimizers) != 1:
        raise Cannot("optimizers")
    if material.initial is None:
        raise Cannot("weights")
    stuck = steps >= ENOUGH and first - end < STILL * abs(first)
    sound = math.isfinite(end) and steps >= ENOUGH and not stuck
    until = busy_seconds() + (seconds if sound else max(seconds, min(most, STUCK)))
    trial = _Trial(material)
    if not math.isfinite(end):
        return _again(material, trial, steps, until)
    if material.style == "functional":
        with undisturbed(all_parameters(trial.roots), None, material.initial):
            see_gradients(material)
    batches = of_full_size(first_pass(material.batches))
    trained, looked = _parted(batches)
    used, each = trial.timed(looked[:1])
    if not used or (2 * LOOKS + ENOUGH) * each > until - busy_seconds():
        raise Cannot("slow")
    looked = looked[-max(LOOKS, int(LOOKING * (until - busy_seconds()) / each)) :]
    before = trial.run(0.0, [], looked)[1]
    found: list = []
    without: Optional[dict] = None
    for rate, most_steps in _to_try(used, steps, stuck):
        left = (until - busy_seconds()) * (FIRST if stuck and not found else 1.0)
        count = min(most_steps, int(left / each) - len(looked))
        if rate > HIGH or count < ENOUGH:
            continue
        losses, after = trial.run(rate, list(itertools.islice(itertools.cycle(trained), count)), looked, until)
        found.append({"rate": rate, "losses": losses, "after": after})
        if rate == used:
            left = until - busy_seconds() + (min(seconds, DECAY) if end > LOST * first else 0.0)
            steps_left = max(0, min(len(losses), int(left / each) - len(looked)))
            without = _without_decay(trial, list(itertools.islice(itertools.cycle(trained), steps_left)), looked)
        if float(np.mean(after)) < CLEAR * float(np.mean(before)):
            break
    if not found:
        raise Cannot("slow")
    apart = len(trained) < len(batches)
    return {
        "rate": used,
        "batches": len(trained),
        "apart": apart,
        "before": before,
        "trials": found,
        "without_decay": without,
    }


def _without_decay(trial: "_Trial", series: list, looked: list) -> Optional[dict]:
    """The same steps at the run's rate without the optimizer's weight decay."""
    decays = decays_of(trial.optimizer) if len(series) >= ENOUGH else None
    if decays is None:
        return None
    with contextlib.suppress(Exception):  # gradients that are no tensors, as of rows of an embedding
        losses, after = trial.run(trial.used, series, looked, watcher=NoDecay(trial.optimizer, decays, trial.used))
        return {"steps": len(losses), "after": after}
    return None


def _to_try(used: float, steps: int, stuck: bool) -> list:
    """``(rate, most steps)`` of the trials: higher rates have no more steps than the run had."""
    if not stuck:
        return [(used, min(MOST, max(FEWEST, 2 * steps)))]
    higher = [(used * 10.0**power, min(steps, MOST)) for power in POWERS]
    return [(used, SHORT), *higher] if steps < SHORT else higher


def _again(material: Material, trial: "_Trial", steps: int, until: float) -> Optional[dict]:
    """The first steps of a run that diverged again, at its own rate and at lower ones."""
    count = min(len(material.batches), AT_ONCE, max(LEAST, steps))
    if steps > AT_ONCE or not count:
        return None
    series = list(itertools.islice(itertools.cycle(material.batches[:count]), max(LEAST, count)))
    found: list = []
    with undisturbed(all_parameters(trial.roots), None, material.initial):
        if material.style == "functional":
            see_gradients(material)
        trial.run(0.0, [], series[:1])
        for power in (0, *LOWER):
            if not trial.used or busy_seconds() > until:
                break
            rate = trial.used * 10.0**power
            found.append({"rate": rate, "losses": trial.run(rate, series, [])[0], "after": []})
            if math.isfinite(found[-1]["losses"][-1]):
                break
    return {"rate": trial.used, "batches": count, "apart": False, "before": [], "trials": found} if found else None


def _parted(batches: list) -> tuple:
    """``(batches to train on, batches to look at)``; the same where there is but one."""
    kept = min(MOST_KEPT, math.ceil(len(batches) / KEPT))
    return (batches[:-kept], batches[-kept:]) if len(batches) > 1 else (batches, batches)


class _Trial:
    """Trains copies of the last weights: all is as before afterwards."""

    def __init__(self, material: Material) -> None:
        self.optimizer = material.optimizers[0]
        cells = [material.cell] if material.cell is not None else []
        self.roots = [*material.roots, self.optimizer, *cells]
        #: The largest rate that the optimizer uses itself; known after `run`
        self.used: Optional[float] = None
        self._step = training_step(material, self.optimizer)

    def timed(self, batches: list) -> tuple:
        """``(the run's rate, seconds of a step)``."""
        self.run(0.0, [], batches)  # the first step prepares kernels
        began = busy_seconds()
        self.run(0.0, [], batches)
        return self.used, max((busy_seconds() - began) / len(batches), 1e-4)

    def run(self, rate: float, batches: list, looked: list, until: float = math.inf, watcher=None) -> tuple:
        """``(losses of the batches trained on, losses of those only looked at afterwards)``; ``watcher``: of the steps."""
        losses: list = []
        with undisturbed(all_parameters(self.roots), None, None), watched(watcher or Plain()):
            setter = RateSetter(self.optimizer)
            self.used = setter.used
            try:
                setter.set(rate)
                for batch in batches:
                    losses.append(self._loss(batch))
                    if not math.isfinite(losses[-1]) or busy_seconds() > until:
                        break
                setter.set(0.0)
                return losses, [self._loss(batch) for batch in looked]
            finally:
                setter.restore()

    def _loss(self, batch) -> float:
        loss = first_scalar(self._step(*batch))
        return float(to_number(loss)) if loss is not None else math.nan


def first_pass(batches: list) -> list:
    """The batches before the first whose samples have mostly been seen: no pass over the data comes twice. Where samples repeat
    within a batch already, as short windows of a text do, they are seen more and more often, and a pass begins with a leap. Steps
    that are given nothing all work on the same."""
    seen: set = set()
    shares: list = []
    if not any(map(_samples, batches)):
        return batches[:1]
    for number, batch in enumerate(batches):
        samples = _samples(batch)
        share = (len(samples) - len(set(samples) - seen)) / len(samples) if samples else 0.0
        if number:
            before = max(shares) if number > 1 else WHOLE - JUMP
            if share > AGAIN and (shares[0] <= REPEATED or share - before > JUMP):
                return batches[:number]
        shares.append(share)
        seen |= set(samples)
    return batches


def of_full_size(batches: list) -> list:
    """The batches of half as many samples as the largest or more, where there are two of them: the rest of a pass, of one sample
    or two, would count for as much as a batch in a mean of losses."""
    sizes = [_size([value for value in tensors_in(batch) if value.shape]) for batch in batches]
    full = [batch for batch, size in zip(batches, sizes) if 2 * size >= max(sizes)]
    return full if len(full) > 1 else batches


def _size(arrays: list) -> int:
    """The most common first dimension; 0 where there is none."""
    return Counter(array.shape[0] for array in arrays).most_common(1)[0][0] if arrays else 0


def _samples(batch) -> list:
    """The contents of each sample, by hash; those of the arrays whose first dimension is the most common."""
    arrays = [array for array in map(to_numpy, tensors_in(batch)) if array.ndim]
    count = _size(arrays)
    rows = [np.ascontiguousarray(array) for array in arrays if len(array) == count]
    return [hash(tuple(array[row].tobytes() for array in rows)) for row in range(count)]
