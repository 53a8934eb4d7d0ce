"""The loss scalers of ``mindspore.amp`` that steps use, and their state around each step."""

import weakref

from msprec.callbacks.train_outputs import ScalerFollower
from msprec.observe.train_steps.kept_few import KeptFew
from msprec.observe.train_steps.open_step import OpenStep
from msprec.record.overflow_rules import FLAG, LOSS, SCALE
from msprec.record.step_recorder import to_number
from msprec.runtime.source_locations import user_place


class LossScaling:
    """Every loss scaler that the script makes."""

    def __init__(self) -> None:
        #: ``(weak reference, scaler, place)`` of each, in their order
        self.scalers = []
        self._followers = KeptFew(ScalerFollower)

    def install(self, patches) -> None:
        for name in ("dynamic_loss_scaler", "static_loss_scaler"):
            patches.hook(name, self._watch_init)

    def _watch_init(self, original):
        def __init__(scaler, *args, **kwargs):
            original(scaler, *args, **kwargs)
            self.scalers.append((weakref.ref(scaler), scaler, user_place(2)))

        return __init__

    def in_use(self, reached: tuple = ()):
        """The scaler of a step: the last that its function reaches, else the last that was made; or None."""
        if reached:
            return reached[-1]
        return self.scalers[-1][1] if self.scalers else None

    def begin(self, step: OpenStep, reached: tuple) -> None:
        """Notes the loss scaler of a step and its state before the step."""
        step.scaler = self.in_use(reached)
        if step.scaler is not None:
            step.state = self._followers.of(step.scaler).state()

    def end(self, step: OpenStep) -> None:
        """Reads the scaler's state after the step; it tells the overflow where no flag did."""
        if step.scaler is None or step.state[0] is None:
            return
        follower = self._followers.of(step.scaler)
        after = follower.state()
        step.next_scale = after[0]
        if step.overflow is None:
            step.overflow = follower.overflow(step.state, after)
            step.entry["overflow_from"] = LOSS if step.overflow is None else SCALE
        else:
            step.entry["overflow_from"] = FLAG

    def skipped(self, step: OpenStep) -> bool:
        """Whether the step is over without an update: its gradients overflowed, or its scaler has been adjusted."""
        if step.overflow is not None:
            return bool(to_number(step.overflow))
        if step.scaler is None or step.state[1] is None:
            return False
        now = self._followers.of(step.scaler).state()
        return tuple(map(to_number, step.state)) != tuple(map(to_number, now))
