"""What monitors share: they never harm a run, know their own time, and write rows even where a training crashes."""

import contextlib
import functools
import math
import time
from pathlib import Path
from typing import Any, Optional, Union

from mindspore.train import Callback

from msprec.callbacks.resume_step import recorder_of_training
from msprec.callbacks.train_context import Training, optimizer_of
from msprec.record.step_recorder import StepRecorder, recorder_for
from msprec.record.writer import warn_once
from msprec.runtime.collection import no_collection

#: The methods of a callback that monitors may define.
HOOKS = tuple(
    f"on_{phase}_{what}"
    for phase in ("train", "eval")
    for what in ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")
)


#: None, for attributes that hold a value from the begin of a training on: hooks are called between its begin and its end, and
#: look at none of them a second time
UNSET: Any = None


class _Clock:
    """Seconds that all monitors of this process have taken so far."""

    def __init__(self) -> None:
        #: Seconds taken up to when the last of them began
        self.spent = 0.0
        self._entered, self._depth = 0.0, 0

    def enter(self) -> None:
        if not self._depth:
            self._entered = time.perf_counter()
        self._depth += 1

    def leave(self) -> None:
        self._depth -= 1
        if not self._depth:
            self.spent += time.perf_counter() - self._entered

    def read(self) -> tuple:
        """``(now, seconds that monitors have taken up to now)``"""
        now = time.perf_counter()
        return now, self.spent + (now - self._entered if self._depth else 0.0)


clock = _Clock()


def guarded(method):
    """The callback method that swallows its own errors: one warning, one ``monitor_error`` event, and the training goes
    on."""

    @functools.wraps(method)
    def safely(self, *args, **kwargs):
        clock.enter()
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            if isinstance(error, self.lets_pass):
                raise
            self.failed(method.__qualname__, error)
            return None
        finally:
            clock.leave()

    safely.guarded = True  # type: ignore[attr-defined]
    return safely


class Monitor(Callback):
    """Base of the monitors, and of users' own.

    Whatever a subclass puts into its ``on_*`` methods, an exception there never reaches the training. A subclass calls
    ``super()`` in ``on_train_begin``, ``on_train_step_begin``, ``on_train_step_end`` and ``on_train_end`` where it
    defines them.

    Args:
        out: The run folder; ``None``: a new one below ``msprec_runs``, shared by all monitors of the process. Under
            ``msprec run`` all monitors write into that run's folder. Where the folder holds steps of an earlier process, a
            training whose optimizer has made updates goes on in it; one that begins anew gets a folder of its own beside it.
    """

    #: Errors that a monitor raises on purpose.
    lets_pass: tuple = ()
    #: Whether `after_step` has to be called at the step's end.
    at_once = False
    #: Whether a training that begins anew goes on in a folder that holds another's steps.
    resume = False

    def __init__(self, out: Union[str, Path, None] = None) -> None:
        super().__init__()
        self._out = out
        #: What it writes with; None before the first training
        self.recorder: StepRecorder = UNSET
        #: The training that is watched; None before and after it
        self.training: Training = UNSET
        #: Who this monitor is to its recorder: monitors that are called together are one
        self.member = id(self)

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        for name in HOOKS:
            method = cls.__dict__.get(name)
            if callable(method) and not hasattr(method, "guarded"):
                setattr(cls, name, guarded(method))

    @property
    def folder(self) -> Optional[Path]:
        """The run folder written to; ``None`` before the first training."""
        return self.recorder.writer.folder if self.recorder is not None else None

    @no_collection()
    def on_train_begin(self, run_context) -> None:
        told = run_context.original_args()
        self.recorder = recorder_of_training(self._out, optimizer_of(told), self.resume)
        self.training = Training.of(self.recorder, told)
        self.training.users.add(id(self))
        self.recorder.join(self.member)

    def on_train_step_begin(self, run_context) -> None:
        if self.training is not None:
            self.before_step(self.training.begin_step(), run_context)

    def on_train_step_end(self, run_context) -> None:
        if self.training is not None:
            step = self.training.end_step()
            for take, keep in self.notes():
                keep(take())
            try:
                self.after_step(step, run_context)
            finally:
                self.end_row(step)

    def before_step(self, step: int, run_context) -> None:
        """For subclasses: step ``step`` of the run begins; what all rows have is read already."""

    def steps_until_due(self) -> int:
        """For subclasses: how many of the next steps need no `before_step`: `passed_step` does, called when they are over."""
        return 0

    def due_at(self) -> float:
        """For subclasses: when `before_step` is needed again at the latest, by `time.monotonic`."""
        return math.inf

    def reads(self) -> tuple:
        """For subclasses: functions to be called before each of these steps all the same."""
        return ()

    def passed_step(self, step: int) -> None:
        """For subclasses: step ``step``, whose batch is the training's ``batch``, has begun without `before_step`."""

    def notes(self) -> tuple:
        """For subclasses: pairs of functions ``(take, keep)``; ``keep(take())`` is called when a step ends. So is taken what is
        not the same later: `after_step` may be called for several steps in a row when later ones have run, unless the
        monitor is `at_once`."""
        return ()

    def after_step(self, step: int, run_context) -> None:
        """For subclasses: step ``step`` has ended, and its row is still open."""

    def end_row(self, step: int) -> None:
        """This monitor adds no more to the row."""
        self.recorder.end(step, by=self.member, first=self.training.first_of_sink)

    def on_train_epoch_end(self, run_context) -> None:
        if self.recorder is not None:
            self.recorder.flush()
        if self.training is not None:
            self.training.end_epoch()

    def on_eval_begin(self, run_context) -> None:
        if self.recorder is not None:
            self.recorder.flush()

    def on_eval_step_end(self, run_context) -> None:
        if self.training is not None:
            self.training.evaluates(run_context.original_args())

    def on_eval_end(self, run_context) -> None:
        if self.training is not None:
            self.training.evaluated(run_context.original_args())

    def on_train_end(self, run_context) -> None:
        self._leave(None)

    def __exit__(self, kind, error, trace) -> None:
        # an evaluation inside a fit also enters and exits its callbacks: only an error ends the training here
        if error is not None:
            _leave_quietly(self, error)

    def _training_over(self, error=None) -> None:
        """For subclasses: all rows of this training have been handed to the listeners; ``error`` ended it, or none."""

    def _leave(self, error) -> None:
        training, recorder = self.training, self.recorder
        if training is None:
            return
        self.training = UNSET
        try:
            if error is not None and not training.ended and training.unseen_step():
                training.end_step()
            if error is not None and not training.ended:
                recorder.end(training._seen, by=self.member, first=training.first_of_sink)
            recorder.leave(self.member)
            recorder.flush()
            self._training_over(error)
        finally:
            training.users.discard(id(self))
            if not training.users:
                training.end(error)

    def failed(self, where: str, error: Exception) -> None:
        """Tells an error of this monitor, once for each ``where``; the training goes on."""
        recorder = self.recorder
        with contextlib.suppress(Exception):
            recorder = recorder or recorder_for(self._out)
        if recorder is not None:
            recorder.report_error(where, error)
        else:
            warn_once(self, f"a monitor failed in {where}, training goes on: {type(error).__name__}: {error}")


for _name in HOOKS:
    if _name in Monitor.__dict__:
        setattr(Monitor, _name, guarded(Monitor.__dict__[_name]))

_leave_quietly = guarded(Monitor._leave)
