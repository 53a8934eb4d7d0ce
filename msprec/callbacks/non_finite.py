"""NaN and infinity in the loss."""

import math

from msprec.callbacks._base import Monitor
from msprec.callbacks.tallies import FirstNonFinite
from msprec.record.steps import to_number


class NonFiniteMonitor(Monitor):
    """Tells the first step whose loss is NaN or infinite: an event ``first_nonfinite`` in the run folder and one line
    of warning.

    The loss is read in batches, so the warning may come up to one second, or 256 steps, after the step; the step it
    names is exact.

    Args:
        stop: Stop the training at that step. The loss is then read at each step, which makes the host wait for the
            device.
        out: The run folder, as for `LossScaleMonitor`.
    """

    def __init__(self, stop: bool = False, out=None) -> None:
        super().__init__(out)
        self._stop = stop
        self._finding = None

    @property
    def first(self):
        """``(step, value)`` of the first non-finite loss seen so far in this run, or ``None``."""
        if self._finding is None or self._finding.step is None:
            return None
        return self._finding.step, self._finding.value

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        finding = FirstNonFinite(self.recorder.writer.event)
        self._finding = self.recorder.add_listener(finding, name="first non-finite")

    def on_train_step_end(self, run_context) -> None:
        super().on_train_step_end(run_context)
        if self._stop and self.training is not None:
            self._check(run_context)

    def _check(self, run_context) -> None:
        value = to_number(self.training.loss)
        if value is None or math.isfinite(value):
            return
        step = self.training.step()
        self._finding.found(step, value)
        self.recorder.writer.event("stopped", step, why=f"the loss is {value}")
        run_context.request_stop()
