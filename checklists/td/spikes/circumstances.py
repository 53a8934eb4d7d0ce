"""What stood around a spike: its batch, the learning rate, the layer whose gradient grew first, what followed (td.09)."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.checklists.common.training.training_segments import last_rows
from msprec.checklists.td.gradient_flow.layers import Sampled, sampled_layers
from msprec.checklists.td.spikes.loss_spikes import Limits, Spike, find_spikes, window
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A rate is read at every eighth step at least (`SELDOM` of the learning rate's recorder).
_UNREAD = 8


class Seen(NamedTuple):
    """A spike and what stood around it.

    Attributes:
        spike: Its positions and heights.
        step: Its first step, from 1.
        back: Steps until the loss was back; None: it never was.
        epoch, batch: Its epoch, and the number of its batch in it, from 1; None where they are not known.
        rate: The learning rate at the step; before: the lowest in the window before. None where it is not known.
        jumped: Whether the rate rose by td.09.restart to above all earlier ones.
        restart: Whether it rose so, to no more than an earlier one: a schedule with restarts.
        layer: The weight whose gradient grew first, and by which factor; None where no sample near it shows growth.
        bad: First step within the window after it whose loss is not finite; None.
        stays: Whether the loss stays up: never back, over a window at least.
        long: Whether it took a window or more to recover.
        kept: The event of its batch, which lies in the run folder; None: it was not kept.
    """

    spike: Spike
    step: int
    back: Optional[int]
    epoch: Optional[int]
    batch: Optional[int]
    rate: Optional[float]
    before: Optional[float]
    jumped: bool
    restart: bool
    layer: Optional[tuple]
    bad: Optional[int]
    stays: bool
    long: bool
    kept: Optional[Fact]


def spikes_of(run_data: RunData) -> Optional[list[Seen]]:
    """The spikes of the last training's loss, without those of single batches where these are common.

    None where optimizers take turns, no loss was seen, or there are fewer than td.09.least_steps.
    """
    losses = run_data.once(training_losses)
    if losses is None:
        return None
    numbers, values = losses
    finite = np.isfinite(values)
    numbers, good = numbers[finite], values[finite]
    if len(good) < run_data.limit("td.09.least_steps"):
        return None
    limits = Limits(*(run_data.limit(f"td.09.{name}") for name in Limits._fields))
    spikes = find_spikes(good, limits)
    wide = window(len(good))
    single = [one for one in spikes if one.back is not None and one.back - one.first < wide // 5 + 1]
    if len(single) > max(3, len(good) // 500):  # outliers by the dozen: the loss of small batches
        spikes = [one for one in spikes if one not in single]
    bad = losses[0][~finite]
    course = _Course(run_data)
    sampled = sampled_layers(run_data) if spikes else Sampled(np.zeros(0, int), [])
    return [_seen(run_data, one, (numbers, good, wide), course, sampled, bad) for one in spikes]


class _Course:
    """Learning rates and epochs by step."""

    def __init__(self, run_data: RunData):
        steps, rows = run_data.steps(), last_rows(run_data)
        self.steps = np.asarray(steps["step"], float)[rows]
        self.rates = np.asarray(steps["lr"], float)[rows]
        self.epochs = np.asarray(steps["epoch"], float)[rows]
        self.highest = np.fmax.accumulate(self.rates) if len(self.rates) else self.rates

    def at(self, step: float) -> int:
        return int(np.searchsorted(self.steps, step))


def _seen(run_data: RunData, spike: Spike, losses: tuple, course: _Course, sampled: Sampled, bad: np.ndarray) -> Seen:
    numbers, values, wide = losses
    step = int(numbers[spike.first])
    epoch, batch = _place(course, step)
    rate, before, jumped, restart = _rate(run_data, course, step, wide)
    rest = values[spike.first :]
    level = spike.usual + run_data.limit("td.09.back") * spike.noise
    stays = spike.back is None and len(rest) >= wide and float(np.median(rest[-wide:])) > level
    after = bad[(bad >= step) & (bad <= numbers[min(len(numbers) - 1, spike.first + 2 * wide)] + 2 * wide)]
    return Seen(
        spike,
        step,
        int(numbers[spike.back]) - step if spike.back is not None else None,
        epoch,
        batch,
        rate,
        before,
        jumped,
        restart,
        _layer(run_data, sampled, step, int(numbers[spike.peak]), wide),
        int(after[0]) if after.size and spike.back is None else None,
        stays,
        spike.back is not None and spike.back - spike.first >= wide,
        _kept(run_data, step, int(numbers[spike.peak])),
    )


def _kept(run_data: RunData, step: int, peak: int) -> Optional[Fact]:
    """The first batch that was kept between the beginning of a spike and its peak."""
    return next((one for one in run_data.events("loss_spike") if step <= (one.step or 0) <= peak), None)


def _place(course: _Course, step: int) -> tuple:
    at = course.at(step)
    if at >= len(course.epochs) or not np.isfinite(course.epochs[at]):
        return None, None
    epoch = course.epochs[at]
    return int(epoch), int(step - course.steps[np.argmax(course.epochs == epoch)] + 1)


def _rate(run_data: RunData, course: _Course, step: int, wide: int) -> tuple:
    at = course.at(step)
    # between two readings that differ, some are not known: of the step itself the next one counts
    known = np.flatnonzero(np.isfinite(course.rates[at : at + _UNREAD]))
    around = course.rates[max(0, at - wide) : at + 1 + (int(known[0]) if len(known) else 0)]
    rates = around[np.isfinite(around)]
    if 2 * len(rates) < len(around) or not len(rates) or at <= wide:
        return (float(rates[-1]) if len(rates) else None), None, False, False
    low, high = float(rates.min()), float(rates.max())
    rose = high > run_data.limit("td.09.restart") * low and int(np.argmin(rates)) < int(np.argmax(rates))
    earlier = float(course.highest[max(0, at - wide)])
    return float(rates[-1]), low, rose and high > 1.01 * earlier, rose and high <= 1.01 * earlier


def _layer(run_data: RunData, sampled: Sampled, step: int, peak: int, wide: int) -> Optional[tuple]:
    """The weight whose gradient was the first to grow between the window before the spike and its peak."""
    for position in np.flatnonzero((sampled.steps >= step - wide) & (sampled.steps <= max(peak, step + wide))):
        grown = []
        for layer in sampled.layers:
            before = layer.gradient[:position]
            before = before[np.isfinite(before) & (before > 0)]
            if len(before) >= 2 and np.isfinite(layer.gradient[position]):
                grown.append((float(layer.gradient[position] / np.median(before)), layer.name))
        if grown and max(grown)[0] >= run_data.limit("td.09.norm"):
            factor, name = max(grown)
            return name, factor, int(sampled.steps[position])
    return None
