"""The loss scale, step by step."""

from msprec.callbacks._base import Monitor
from msprec.callbacks.tallies import ScaleTally


class LossScaleMonitor(Monitor):
    """Records loss, overflow flag and loss scale of every step.

    Columns of ``steps.csv``: ``loss``, ``overflow`` (0 or 1; empty where no flag exists, as with
    ``FixedLossScaleManager(drop_overflow_update=False)``), ``scale`` (what the step was computed with), ``next_scale``
    (after its update). Works with ``TrainOneStepWithLossScaleCell`` and its subclasses, whatever the order of their
    outputs, with the loss-scale managers of ``Model``, and without loss scaling. Events: ``overflow_streak`` (3 steps
    or more in a row), ``scale_floor`` (an overflow leaves the scale at its lowest), ``scale_nonfinite``.

    In sink mode the callback sees the last step of each sink only.

    Args:
        out: The run folder; ``None``: a new one below ``msprec_runs``, shared by all monitors of the process. Under
            ``msprec run`` all monitors write into that run's folder.

    Examples:
        >>> monitor = LossScaleMonitor("run")
        >>> model.train(10, dataset, callbacks=[monitor])
        >>> monitor.summary()["overflows"]
        6
    """

    def __init__(self, out=None) -> None:
        super().__init__(out)
        self._tally = ScaleTally()

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        recorder, facts = self.recorder, self.training.outputs.facts
        self._events = recorder.add_listener(ScaleTally(recorder.writer.event), name="scale events")
        self._events.starts(facts)
        self._tally.starts(facts)
        recorder.add_listener(self._tally)

    def summary(self) -> dict:
        """What was seen so far, over all trainings that this monitor was given to.

        Returns:
            dict: ``steps``; ``flagged_steps``, those with an overflow flag; ``overflows``; ``overflow_rate``, the share
                of the
            flagged steps that overflowed (``None`` without any); ``longest_streak`` in steps; ``first_overflow`` and
            ``last_overflow``, steps of the run; ``kind`` ("dynamic", "fixed", "none"); ``final_scale``; ``floor``, the
            lowest value that a dynamic scale can take; ``floor_reached``, whether an overflow left it there. ``None``:
            not known.
        """
        if self.training is not None:
            self.recorder.flush()
        return self._tally.summary()

    def _training_over(self, error=None) -> None:
        self.recorder.remove_listener(self._tally)
        self._tally.end_streak()
        self._events.end_streak()
