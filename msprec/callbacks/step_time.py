"""Where the time of a step goes."""

from msprec.callbacks._base import Monitor, clock
from msprec.callbacks.tallies import TimeTally


class StepTimeMonitor(Monitor):
    """Records how long each step computes and how long it waits for its data.

    Columns of ``steps.csv``, both in seconds by a monotonic clock of the host, the monitors' own time left out:
    ``seconds``, from the step's begin to its end (in sink mode the mean over the sink's steps), and ``data_seconds``,
    from the end of the step before, or the begin of the epoch, to the step's begin. What other callbacks do at the end
    of a step after this one counts as waiting, so put this one last if they are slow. A device that works on while the
    host goes ahead is seen as the host sees it.

    Args:
        out: The run folder, as for `LossScaleMonitor`.
    """

    def __init__(self, out=None) -> None:
        super().__init__(out)
        self._tally = TimeTally()
        self._waits_since = self._began = self._waited = None

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        self.recorder.add_listener(self._tally)
        self._waits_since = self._began = None

    def on_train_epoch_begin(self, run_context) -> None:
        self._waits_since = clock.read()

    def on_train_step_begin(self, run_context) -> None:
        now = clock.read()
        self._waited = _between(self._waits_since, now)
        super().on_train_step_begin(run_context)
        self._began = clock.read()

    def on_train_step_end(self, run_context) -> None:
        seconds = _between(self._began, clock.read())
        self._began = None
        if self.training is not None and seconds is not None:
            self._put(seconds)
        super().on_train_step_end(run_context)
        self._waits_since = clock.read()

    def _put(self, seconds: float) -> None:
        """Puts the time of the step, or the mean to each step of a sink, whose first one waited for the data."""
        training = self.training
        training.end_step()
        first = training.ended_steps[0][0]
        sink = {"sink_from": first} if training.count > 1 else {}
        for step, _ in training.ended_steps:
            self.recorder.put(step, seconds=seconds / training.count, **sink)
        self.recorder.put(first, data_seconds=self._waited)

    def summary(self) -> dict:
        """Times so far, over all trainings that this monitor was given to, in seconds.

        Returns:
            dict: ``steps``; ``first_step``, which compiles and is left out of all that follows, as is all of a first
            sink; ``median``, ``p95``, ``max`` of ``seconds``; ``data_median``; ``data_share``, the share of waiting for
            data in step and wait together. ``None``: not known.
        """
        if self.training is not None:
            self.recorder.flush()
        return self._tally.summary()

    def _training_over(self, error=None) -> None:
        self.recorder.remove_listener(self._tally)


def _between(begin, end):
    if begin is None:
        return None
    return max(0.0, round(end[0] - begin[0] - (end[1] - begin[1]), 7))
