"""Keeps the batches at which the loss rises suddenly, for td.09 to name: found by the losses that are read while it trains."""

from collections import deque
from pathlib import Path
from typing import Callable

from msprec.callbacks.step_snapshots import CPU_STEPS, DEVICE_STEPS, StepKeeper, save_batch
from msprec.record.time_budget import Budget
from msprec.runtime.tensor_snapshot import on_cpu

#: Losses before one that it is judged by, at least and at most; so many steps pass from one threshold to the next.
FEWEST, MOST, EVERY = 20, 40, 16
#: As td.09's deviations, extremes and rise (its thresholds.toml): what is kept is judged there.
DEVIATIONS, EXTREMES, RISE = 10.0, 3.0, 0.1
#: Batches that are kept of a training, bytes of one of them, and steps without another after one.
MOST_KEPT, MOST_BYTES, APART = 16, 16 << 20, 20
#: Share of the training's time that writing may take, and seconds that are free.
SHARE, GRACE = 0.002, 0.1


def keeper_for(writer, dynamic: bool = True, draws: bool = True, spikes: bool = True) -> StepKeeper:
    """What keeps the steps of a training that has begun, on its device; with ``writer`` the batches at ``spikes`` are written."""
    found = SpikeBatches(writer.rank_folder, writer.event) if spikes else None
    return StepKeeper(CPU_STEPS if on_cpu() else DEVICE_STEPS, dynamic, draws, spikes=found)


class SpikeBatches:
    """Looks at each loss once it is read, and writes the batch of one that stands out to ``spikes/step_N.npz``.

    Args:
        folder: The folder of the rank.
        event: Writes an event.
    """

    def __init__(self, folder: Path, event: Callable) -> None:
        self._folder, self._event = folder, event
        self._losses: deque = deque(maxlen=MOST)
        self._start, self._usual, self._threshold = 0.0, 0.0, float("inf")
        self._seen, self._last, self._kept = 0, -APART, 0
        self._budget = Budget(SHARE, grace=GRACE)

    def look(self, step: int, loss: float, batch_of: Callable) -> None:
        """The finite ``loss`` of ``step`` is known; ``batch_of(step)``: what it was called with, or None."""
        if loss > self._threshold and step - self._last >= APART and self._kept < MOST_KEPT and self._budget.due():
            self._last = step
            with self._budget.spending():
                self._keep(step, loss, batch_of(step))
        self._losses.append(loss)
        self._seen += 1
        if self._seen >= FEWEST and not self._seen % EVERY:
            self._measure()

    def _measure(self) -> None:
        ordered = sorted(self._losses)
        self._usual = usual = ordered[len(ordered) // 2]
        if self._threshold == float("inf"):
            self._start = sorted(list(self._losses)[:5])[2]
        away = sorted(abs(loss - usual) for loss in ordered)
        noise, extreme = 1.4826 * away[len(away) // 2], ordered[-2] - usual  # one that stood out already does not count
        gained = max(self._start - usual, 0.0)
        self._threshold = usual + max(DEVIATIONS * noise, EXTREMES * extreme, RISE * gained, 1e-6 * abs(usual))

    def _keep(self, step: int, loss: float, batch) -> None:
        file = self._folder / "spikes" / f"step_{step}.npz"
        arrays = save_batch(file, batch, MOST_BYTES) if batch is not None else []
        if arrays:
            self._kept += 1
            name = f"{self._folder.name}/spikes/{file.name}"
            self._event("loss_spike", step, value=loss, usual=self._usual, file=name, batch=arrays)
