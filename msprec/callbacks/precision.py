"""All monitors in one line."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Callable

from mindspore.train import Callback

from msprec.callbacks.base import HOOKS, Monitor, clock
from msprec.callbacks.gradient_sampler import FIRST_SAMPLE, GRADIENT_SHARE
from msprec.callbacks.gradients import GradientMonitor
from msprec.callbacks.loss_scale import LossScaleMonitor
from msprec.callbacks.non_finite import NonFiniteMonitor
from msprec.callbacks.step_time import StepTimeMonitor
from msprec.callbacks.summary import SummaryMonitor
from msprec.callbacks.tensorboard import TensorBoardMonitor
from msprec.callbacks.train_context import Training
from msprec.runtime.collection import no_collection

#: So many steps are worked out together, or those until rows are to be written.
TOGETHER = 64


class JoinedMonitors(Callback):
    """Calls monitors as one: what they share is done once a step, and their row ends once.

    Args:
        members: The monitors, in the order in which they are called.
    """

    def __init__(self, members: Sequence[Monitor]) -> None:
        super().__init__()
        #: The monitors, in the order in which they are called
        self.members = tuple(members)
        for member in self.members:
            member.member = id(self)
        self._watching: list[Monitor] = []
        self._beginning: list[Monitor] = []
        self._noting: tuple = ()
        #: The steps that have ended and have no row yet, and until when they may wait
        self._steps: deque = deque()
        self._until = 0.0
        #: How many of the next steps are quiet, what is read before each of them, and the last step that was not
        self._quiet, self._told = 0, 0
        self._reads: tuple = ()
        #: Whether a quiet step has begun and not ended
        self._begun_quietly = False
        self._context, self._working = None, False

    @no_collection()
    def on_train_begin(self, run_context) -> None:
        for member in self.members:
            member.on_train_begin(run_context)
        self._watching = [member for member in self.members if member.training is not None]
        self._quiet, self._told = 0, 0
        self._beginning = [one for one in self._watching if type(one).before_step is not Monitor.before_step]
        if self._watching:
            notes = [note for member in self._watching for note in member.notes()]
            self._noting = ((self._watching[0].training.note_end, self._steps.append), *notes)
            self._watching[0].recorder.before_flush(self._work_out)

    def on_train_step_begin(self, run_context) -> None:
        # on the cold caches that a step leaves, a call costs several times what it does in a loop: most steps need none here
        quiet = self._quiet
        self._begun_quietly = bool(quiet)
        if quiet:
            self._quiet = quiet - 1
            if not self._reads:
                return
        clock.enter()
        try:
            if quiet:
                self._of_training(self._read)
            else:
                self._before_step(run_context)
        finally:
            clock.leave()

    def _read(self, training: Training) -> None:
        for read in self._reads:
            read()

    def _before_step(self, run_context) -> None:
        step = self._of_training(Training.begin_step)
        self._told = step or self._told
        for member in self._beginning if step is not None else ():
            try:
                member.before_step(step, run_context)
            except Exception as error:
                _failed(member, "before_step", error)

    def on_train_step_end(self, run_context) -> None:
        self._context, self._begun_quietly = run_context, False
        try:
            for take, keep in self._noting:
                keep(take())
        except Exception as error:
            self._watching[0].failed("notes", error)
        if not self._quiet or len(self._steps) >= TOGETHER or time.monotonic() >= self._until:
            clock.enter()
            try:
                self._work_out()
            finally:
                clock.leave()

    @no_collection()
    def on_train_end(self, run_context) -> None:
        self._work_out()
        for member in self.members:
            member.on_train_end(run_context)
        self._over()

    def __exit__(self, kind, error, trace) -> None:
        if error is None:
            return  # an evaluation's end
        self._work_out()
        self._of_training(self._broken_off)
        for member in self.members:
            member.__exit__(kind, error, trace)
        self._over()

    def _broken_off(self, training: Training) -> None:
        """An error has ended the training, maybe inside a quiet step: its members hear of that one now."""
        if self._begun_quietly:
            training.batch = training.parameters.get("train_dataset_element")
            for member in self._beginning:
                member.passed_step(training.step())

    def on_eval_step_end(self, run_context) -> None:
        for member in self._watching[:1]:
            member.on_eval_step_end(run_context)

    def _over(self) -> None:
        if self._watching:
            self._watching[0].recorder.remove_before_flush(self._work_out)
        self._watching, self._beginning, self._noting, self._context = [], [], (), None
        self._steps.clear()

    def _quiet_steps(self, training: Training) -> int:
        """How many of the next steps may begin with nothing but `_reads`, and be worked out together: of a handful, all but
        the first find the code and data that they need in the caches."""
        if any(member.at_once for member in self._watching) or not training.recorder.has_only(id(self)):
            return 0
        if not training.may_wait():
            return 0
        self._until = min([training.recorder.due(), *(member.due_at() for member in self._beginning)])
        self._reads = (*training.reads(), *(read for member in self._beginning for read in member.reads()))
        return min((member.steps_until_due() for member in self._beginning), default=TOGETHER)

    @no_collection()
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
            self._working = False
            self._quiet = self._of_training(self._quiet_steps) or 0

    def _end_row(self, training: Training, step: int) -> None:
        # the members are one to their recorder
        training.recorder.end(step, by=id(self), first=training.first_of_sink, more=bool(self._steps))

    def _tell(self, step: int) -> None:
        for member in self._beginning if step > self._told else ():
            try:
                member.passed_step(step)
            except Exception as error:
                _failed(member, "passed_step", error)
        for member in self._watching:
            try:
                member.after_step(step, self._context)
            except Exception as error:
                _failed(member, "after_step", error)

    def _of_training(self, read: Callable, *given):
        """What ``read`` tells of the training; None where nothing watches, or it fails."""
        if not self._watching:
            return None
        first = self._watching[0]
        try:
            return read(first.training, *given) if first.training is not None else None
        except Exception as error:
            first.failed(read.__qualname__, error)
            return None


class PrecisionMonitor(JoinedMonitors):
    """`LossScaleMonitor`, `NonFiniteMonitor`, `GradientMonitor` and `StepTimeMonitor` with their defaults, but for the
    samples of gradients, which take 0.2 % of the time instead of 0.5 % and begin ten seconds after the start.

    Without ``msprec run`` the facts of data, network, optimizer, modes and sources are recorded too. The batches of the first
    passes (up to 64 MB), copies of the initial parameters (up to 256 MB) and the networks are held for it; the facts are written
    when the process ends, in an interactive session when the training ends, and in between where that takes less than 0.2 % of
    the time. With ``dataset_sink_mode=True`` no batch is seen, and nothing is recorded of the data.

    Args:
        policy: What to do at a non-finite loss: ``"record"``, ``"warn"``, ``"stop"`` or ``"raise"``, as for
            `NonFiniteMonitor`.
        out: The run folder, as for `LossScaleMonitor`.
        resume: Go on in the folder where it holds steps of an earlier process, also where the training begins anew.
        tensorboard: ``True``, or a folder: write the scalars of each step as TensorBoard events too (needs
            ``pip install "msprec[tensorboard]"``).
        summary: A ``mindspore.train.SummaryRecord``: write them there too, see `SummaryMonitor`.

    Raises:
        ValueError: ``policy`` is none of these.
        ImportError: ``tensorboard`` is asked for and tensorboardX is not installed.
        TypeError: ``summary`` is no SummaryRecord.

    Examples:
        >>> model.train(10, dataset, callbacks=[PrecisionMonitor()])
    """

    def __init__(self, policy: str = "warn", out=None, tensorboard=False, summary=None, resume: bool = False) -> None:
        self.loss_scale = LossScaleMonitor(out)
        self.non_finite = NonFiniteMonitor(policy, out)
        self.gradients = GradientMonitor(out, GRADIENT_SHARE, first_cost=FIRST_SAMPLE)
        self.step_time = StepTimeMonitor(out)
        more = [TensorBoardMonitor(tensorboard, out)] if tensorboard else []
        more += [SummaryMonitor(summary, out)] if summary is not None else []
        super().__init__((self.loss_scale, self.non_finite, self.gradients, self.step_time, *more))
        for member in self.members:
            member.resume = resume

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
    if _name not in JoinedMonitors.__dict__:
        setattr(JoinedMonitors, _name, _for_all(_name))
