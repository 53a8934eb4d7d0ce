"""All monitors in one line."""

from typing import Callable

from mindspore.train import Callback

from msprec.callbacks._base import HOOKS, clock
from msprec.callbacks.gradients import GradientMonitor
from msprec.callbacks.loss_scale import LossScaleMonitor
from msprec.callbacks.non_finite import NonFiniteMonitor
from msprec.callbacks.step_time import StepTimeMonitor
from msprec.callbacks.tensorboard import TensorBoardMonitor
from msprec.callbacks.training import Training


class PrecisionMonitor(Callback):
    """`LossScaleMonitor`, `NonFiniteMonitor`, `GradientMonitor` and `StepTimeMonitor` with their defaults.

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
        self.gradients = GradientMonitor(out)
        self.step_time = StepTimeMonitor(out)
        more = [TensorBoardMonitor(tensorboard, out)] if tensorboard else []
        #: The monitors, in the order in which they are called
        self.members = (self.loss_scale, self.non_finite, self.gradients, self.step_time, *more)
        for member in self.members:
            member.member = id(self)

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

    def on_train_step_begin(self, run_context) -> None:
        clock.enter()
        try:
            self._in_step(Training.begin_step, "before_step", run_context)
        finally:
            clock.leave()

    def on_train_step_end(self, run_context) -> None:
        clock.enter()
        try:
            self._in_step(Training.end_step, "after_step", run_context)
        finally:
            self._end_row()
            clock.leave()

    def _in_step(self, read: Callable, what: str, *given) -> None:
        """What the members' own hooks do, with the common part done once: on the cold caches that a step leaves, each
        call more costs several times what it does in a loop of its own."""
        step = None
        for member in self.members:
            if member.training is None:
                continue
            try:
                if step is None:
                    step = read(member.training)
                getattr(member, what)(step, *given)
            except Exception as error:
                if isinstance(error, member.lets_pass):
                    raise
                member.failed(f"{type(member).__name__}.{what}", error)

    def _end_row(self) -> None:
        """The members are one to their recorder: the first that watches ends the row for all."""
        member = next((member for member in self.members if member.training is not None), None)
        try:
            if member is not None:
                member.end_row(member.training.step())
        except Exception as error:
            member.failed("PrecisionMonitor.end_row", error)

    def __exit__(self, *error) -> None:
        for member in self.members:
            member.__exit__(*error)


def _for_all(name: str):
    def hook(self, run_context) -> None:
        for member in self.members:
            getattr(member, name)(run_context)

    hook.__name__ = hook.__qualname__ = name
    return hook


for _name in HOOKS:
    if _name not in PrecisionMonitor.__dict__:
        setattr(PrecisionMonitor, _name, _for_all(_name))
