"""All monitors in one line."""

from mindspore.train import Callback

from msprec.callbacks._base import HOOKS
from msprec.callbacks.gradients import GradientMonitor
from msprec.callbacks.loss_scale import LossScaleMonitor
from msprec.callbacks.non_finite import NonFiniteMonitor
from msprec.callbacks.step_time import StepTimeMonitor
from msprec.callbacks.tensorboard import TensorBoardMonitor


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
        self._tensorboard = [TensorBoardMonitor(tensorboard, out)] if tensorboard else []

    @property
    def members(self) -> tuple:
        """The monitors, in the order in which they are called."""
        return (self.loss_scale, self.non_finite, self.gradients, self.step_time, *self._tensorboard)

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
    setattr(PrecisionMonitor, _name, _for_all(_name))
