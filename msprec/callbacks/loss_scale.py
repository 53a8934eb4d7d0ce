"""The loss scale, step by step."""

from typing import Optional

from msprec.callbacks.base import Monitor
from msprec.callbacks.step_counters import ScaleTally
from msprec.callbacks.train_context import optimizer_of
from msprec.callbacks.update_counter import Updates
from msprec.record.overflow_rules import LOSS


class LossScaleMonitor(Monitor):
    """Records loss, overflow flag and loss scale of every step.

    Columns of ``steps.csv``: ``loss``, ``overflow`` (0 or 1; empty where no flag exists, as with
    ``FixedLossScaleManager(drop_overflow_update=False)``), ``scale`` (what the step was computed with), ``next_scale``
    (after its update). Works with ``TrainOneStepWithLossScaleCell`` and its subclasses, whatever the order of their
    outputs, with the loss-scale managers of ``Model``, and without loss scaling. Events: ``overflow_streak`` (3 steps
    or more in a row), ``scale_floor`` (an overflow leaves the scale at its lowest), ``scale_nonfinite``.

    In sink mode the callback sees the last step of each sink only, unless the training cell keeps them all: see
    `msprec.keep_steps`.

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
        self._updates = Updates()

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        recorder, facts = self.recorder, self.training.outputs.facts
        self._events = recorder.add_listener(ScaleTally(recorder.writer.event), name="scale events")
        self._events.starts(facts)
        self._tally.starts(facts)
        recorder.add_listener(self._tally)
        self._updates.begin(optimizer_of(run_context.original_args()))

    def summary(self) -> dict:
        """What was seen so far, over all trainings that this monitor was given to.

        A dynamic scale that starts too high is lowered until the first update goes through; that is its initial search,
        and from the first step without overflow on it counts as *settled*: before it the weights are still the initial
        ones, so the overflows tell of the starting value only. A fixed scale is settled from its first step.

        Returns:
            dict, ``None`` where something is not known:

            - ``steps``: int; ``flagged_steps``: int, those with an overflow flag.
            - ``overflow_from``: ``"flag"``, or ``"loss"`` where there is a loss scale and no flag: then steps with a NaN
              or infinite loss count, and gradients may have overflowed unseen.
            - ``overflows``: int, steps; ``overflow_rate``: float, their share of the steps for which it is known.
            - ``settled_step``: int, the first step after the initial search; ``settled_rate``: float, the overflow rate
              from that step on.
            - ``longest_streak``: int, overflowing steps in a row; ``first_overflow``, ``last_overflow``: int, steps of
              the run.
            - ``updates``: int, updates made, by the optimizer's own count (``global_step``); ``skipped_steps``: list of
              int, steps whose update was skipped for an overflow (where updates and overflows do not add up to the
              steps, as with gradient accumulation, it is not known which).
            - ``kind``: ``"dynamic"``, ``"fixed"``, ``"none"``; ``final_scale``: float; ``floor``: float, the lowest
              value that a dynamic scale can take; ``floor_reached``: bool, whether an overflow left it there.
        """
        if self.training is not None:
            self.recorder.flush()
        told = self._tally.summary()
        updates = self._updates.made()
        return {**told, "updates": updates, "skipped_steps": _skipped(self._tally, told, updates)}

    def _training_over(self, error=None) -> None:
        self.recorder.remove_listener(self._tally)
        self._tally.end_streak()
        self._events.end_streak()
        self._updates.end()


def _skipped(tally: ScaleTally, told: dict, updates: Optional[int]) -> Optional[list]:
    """Steps without an update, where overflows and the optimizer's count agree on them."""
    if updates == told["steps"]:
        return []
    if told["overflow_from"] == LOSS or updates not in (None, told["steps"] - told["overflows"]):
        return None
    return tally.overflowed.tolist()
