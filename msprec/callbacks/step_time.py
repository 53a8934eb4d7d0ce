"""Where the time of a step goes."""

from collections import deque
from typing import Optional

from msprec.callbacks.base import Monitor
from msprec.callbacks.callback_times import parts, times
from msprec.callbacks.step_counters import TimeTally
from msprec.runtime.memory import peak_device_memory, peak_host_memory


class StepTimeMonitor(Monitor):
    """Records how long each step computes, waits for its data, and is held up by callbacks.

    Columns of ``steps.csv``, in seconds by a monotonic clock of the host, the monitors' own time left out: ``seconds``,
    the computation (in sink mode the mean over the sink's steps); ``data_seconds``, the wait for the batch;
    ``callback_seconds``, what callbacks took between the computation of the step before and this one. The order of the
    callbacks does not matter. A device that works on while the host goes ahead is seen as the host sees it.

    Args:
        out: The run folder, as for `LossScaleMonitor`.
    """

    def __init__(self, out=None) -> None:
        super().__init__(out)
        self._tally = TimeTally()
        self._tail_before: Optional[float] = None
        self._noted: deque = deque()

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        self.recorder.add_listener(self._tally)
        if self._tail_before is None:
            times.begin()
            self._tail_before = times.tail

    def notes(self) -> tuple:
        return ((times.marks, self._noted.append),)

    def after_step(self, step: int, run_context) -> None:
        compute, wait, told = parts(*self._noted.popleft())
        if compute is not None:
            self._put(compute, wait, told)

    def _put(self, compute: float, wait, told) -> None:
        """Puts the time of the step, or the mean to each step of a sink, whose first one waited for the data."""
        training = self.training
        (first, _), *later = training.ended_steps
        of_each = {"seconds": compute / training.count}
        if training.count > 1:
            of_each["sink_from"] = first
        self.recorder.put(first, data_seconds=wait, callback_seconds=told, **of_each)
        for step, _ in later:
            self.recorder.put(step, **of_each)

    def summary(self) -> dict:
        """Times so far, over all trainings that this monitor was given to.

        Returns:
            dict: as `msprec.record.step_times.analyse` returns it (of a first sink, ``first_step`` is the whole of it),
            and ``peak_memory`` and ``peak_device_memory``, the largest memory of the process and on the device so far, in
            bytes, ``None`` where not known.
        """
        if self.training is not None:
            self.recorder.flush()
        return {**self._tally.summary(), "peak_memory": peak_host_memory(), "peak_device_memory": peak_device_memory()}

    def _training_over(self, error=None) -> None:
        self.recorder.remove_listener(self._tally)
        if self._tail_before is not None:
            times.end()
            self._tally.tail += times.tail - self._tail_before
            self._tail_before = None
