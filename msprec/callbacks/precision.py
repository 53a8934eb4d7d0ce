"""All monitors in one line."""

import time
from collections import deque
from typing import Callable

from mindspore.train import Callback

from msprec.callbacks._base import HOOKS, Monitor, clock
from msprec.callbacks.gradients import GradientMonitor
from msprec.callbacks.kept_steps import MOST_AHEAD
from msprec.callbacks.loss_scale import LossScaleMonitor
from msprec.callbacks.non_finite import NonFiniteMonitor
from msprec.callbacks.step_time import StepTimeMonitor
from msprec.callbacks.tensorboard import TensorBoardMonitor
from msprec.callbacks.training import Training

#: So many steps are worked out together, unless the first has waited longer than so many seconds.
TOGETHER, LATEST = MOST_AHEAD, 0.25
#: Share of the run's time for samples of gradients: with all the rest at a step of 20 ms, about one per cent.
GRADIENT_SHARE = 0.002


class PrecisionMonitor(Callback):
    """`LossScaleMonitor`, `NonFiniteMonitor`, `GradientMonitor` and `StepTimeMonitor` with their defaults, but for the
    samples of gradients, which take 0.2 % of the time instead of 0.5 %.

    Args:
        policy: What to do at a non-finite loss: ``"record"``, ``"warn"``, ``"stop"`` or ``"raise"``, as for
            `NonFiniteMonitor`.
        out: The run folder, as for `LossScaleMonitor`.
        tensorboard: ``True``, or a folder: write the scalars of each step as TensorBoard events too (needs
            ``pip install "msprec[tensorboard]"``).

    Raises:
        ValueError: ``policy`` is none of these.
        ImportError: ``tensorboard`` is asked for and tensorboardX is not installed.

    Examples:
        >>> model.train(10, dataset, callbacks=[PrecisionMonitor()])
    """

    def __init__(self, policy: str = "warn", out=None, tensorboard=False) -> None:
        super().__init__()
        self.loss_scale = LossScaleMonitor(out)
        self.non_finite = NonFiniteMonitor(policy, out)
        self.gradients = GradientMonitor(out, GRADIENT_SHARE)
        self.step_time = StepTimeMonitor(out)
        more = [TensorBoardMonitor(tensorboard, out)] if tensorboard else []
        #: The monitors, in the order in which they are called
        self.members = (self.loss_scale, self.non_finite, self.gradients, self.step_time, *more)
        for member in self.members:
            member.member = id(self)
        self._watching, self._beginning, self._noting = [], [], []
        #: The steps that have ended and have no row yet; when the last was worked out, and whether the next may wait
        self._steps, self._worked_out, self._may_wait = deque(), 0.0, False
        self._context, self._working = None, False

    @property
    def folder(self):
        """The run folder written to; ``None`` before the first training."""
        return self.loss_scale.folder

    def summary(self) -> dict:
        """The summaries of the members.

        Returns:
            dict: ``loss_scale``, ``gradients`` and ``step_time``, see the members' ``summary``;
            ``first_nonfinite``, ``(step, value)`` of the first non-finite loss or ``None``.
        """
        return {
            "loss_scale": self.loss_scale.summary(),
            "gradients": self.gradients.summary(),
            "step_time": self.step_time.summary(),
            "first_nonfinite": self.non_finite.first,
        }

    def on_train_begin(self, run_context) -> None:
        for member in self.members:
            member.on_train_begin(run_context)
        self._watching = [member for member in self.members if member.training is not None]
        self._beginning, self._noting = self._that_have("before_step"), self._that_have("note_step")
        self._may_wait = False
        if self._watching:
            self._watching[0].recorder.before_flush(self._work_out)

    def on_train_step_begin(self, run_context) -> None:
        clock.enter()
        try:
            # the common part once: on the cold caches that a step leaves, a call costs several times what it does in a loop
            step = self._of_training(Training.begin_step)
            if step is not None:
                for member in self._beginning:
                    try:
                        member.before_step(step, run_context)
                    except Exception as error:
                        _failed(member, "before_step", error)
        finally:
            clock.leave()

    def on_train_step_end(self, run_context) -> None:
        clock.enter()
        try:
            step = self._of_training(Training.note_end)
            if step is not None:
                self._context = run_context
                self._steps.append(step)
                for member in self._noting:
                    try:
                        member.note_step()
                    except Exception as error:
                        _failed(member, "note_step", error)
            late = time.monotonic() - self._worked_out > LATEST
            if late or not self._may_wait or self.gradients.at_once or len(self._steps) >= TOGETHER:
                self._work_out()
        finally:
            clock.leave()

    def on_train_end(self, run_context) -> None:
        self._work_out()
        for member in self.members:
            member.on_train_end(run_context)
        self._over()

    def __exit__(self, kind, error, trace) -> None:
        if error is None:
            return  # an evaluation's end
        self._work_out()
        for member in self.members:
            member.__exit__(kind, error, trace)
        self._over()

    def _over(self) -> None:
        if self._watching:
            self._watching[0].recorder.remove_before_flush(self._work_out)
        self._watching, self._beginning, self._noting, self._context = [], [], [], None
        self._steps.clear()

    def _that_have(self, method: str) -> list:
        return [one for one in self._watching if getattr(type(one), method) is not getattr(Monitor, method)]

    def _can_wait(self, training: Training) -> bool:
        """Whether steps like the last can be worked out with the next ones: of a handful together, all but the first find
        the code and data that they need in the caches."""
        if any(member.at_once for member in self._watching) or not training.recorder.has_only(id(self)):
            return False
        return training.by_hand is not None and training.may_wait()

    def _work_out(self) -> None:
        """Does what is left to do for the steps that have ended, in their order."""
        if self._working:
            return
        self._working = True
        try:
            while self._steps:
                step = self._steps.popleft()
                self._of_training(Training.work_out, step)
                try:
                    self._tell(step)
                finally:
                    self._of_training(self._end_row, step)
        finally:
            self._working, self._worked_out = False, time.monotonic()
            self._may_wait = self._of_training(self._can_wait)

    def _end_row(self, training: Training, step: int) -> None:
        # the members are one to their recorder
        training.recorder.end(step, by=id(self), first=training.first_of_sink)

    def _tell(self, step: int) -> None:
        for member in self._watching:
            try:
                member.after_step(step, self._context)
            except Exception as error:
                _failed(member, "after_step", error)

    def _of_training(self, read: Callable, *given):
        """What ``read`` tells of the training; None where nothing watches, or it fails."""
        first = self._watching[0] if self._watching else None
        try:
            return read(first.training, *given) if first is not None and first.training is not None else None
        except Exception as error:
            first.failed(read.__qualname__, error)
            return None


def _failed(member: Monitor, what: str, error: Exception) -> None:
    if isinstance(error, member.lets_pass):
        raise error
    member.failed(f"{type(member).__name__}.{what}", error)


def _for_all(name: str):
    def hook(self, run_context) -> None:
        for member in self.members:
            getattr(member, name)(run_context)

    hook.__name__ = hook.__qualname__ = name
    return hook


for _name in HOOKS:
    if _name not in PrecisionMonitor.__dict__:
        setattr(PrecisionMonitor, _name, _for_all(_name))
