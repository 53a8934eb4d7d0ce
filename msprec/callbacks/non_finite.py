"""NaN and infinity in the loss, in gradients and in parameters."""

import math
import sys
import time
from collections import deque
from typing import Any, Callable, Optional

from msprec.callbacks.base import UNSET, Monitor
from msprec.callbacks.nonfinite_parameters import FiniteParameters
from msprec.callbacks.recorder_cell import without_recorder
from msprec.callbacks.spike_batches import keeper_for
from msprec.callbacks.step_counters import FirstBadGradient, FirstNonFinite
from msprec.callbacks.step_snapshots import BadStep, StepKeeper, leave_lost
from msprec.errors import NonFiniteError
from msprec.record.step_recorder import process_rank, to_number
from msprec.runtime.providers import provided
from msprec.runtime.side_effects import draws_on_host

POLICIES = ("record", "warn", "stop", "raise")


class NonFiniteMonitor(Monitor):
    """Tells the first step whose loss, gradients or parameters hold NaN or infinity.

    Each is one event ``first_nonfinite`` in the run folder, with ``what``:

    - ``"loss"``: the step is exact. Its batch and random state, as they were before the step, are written to
      ``rank_N/nonfinite/`` (``batch.npz``, ``state.json``), a batch of no more than 256 MB. The last steps wait in memory
      until their losses are looked at, batches and weights of no more than 512 MB or two steps; an event
      ``step_not_kept`` tells where the bad one was no longer among them.
    - ``"gradient"``: an overflow flag at a loss scale of 1 or less, or without any scale: the scaling cannot have made
      it. The step is exact. Where the training cell has no flag, gradients are not visible here.
    - ``"parameter"``: looked at when the loss went bad, at the end of an epoch and at the end of the training, in no more
      than 0.5 % of the time; it happened at this step or before. Moving means and variances count.

    Args:
        policy: ``"record"``: events only. ``"warn"``: a line of warning too. ``"stop"``: warn, and stop the training at
            that step. ``"raise"``: raise `msprec.NonFiniteError` at that step. The last two read the loss at each step,
            which makes the host wait for the device. In a distributed run each rank acts by itself, and the others
            may wait for it until their own loss is not finite or the launcher ends them.
        out: The run folder, as for `LossScaleMonitor`.
        locate: Replay the bad step in PyNative mode and name the expression and source line that made the first
            non-finite value: an event ``located``. So are gradients that overflow at a scale of 1 or less, and the
            third overflow in a row of a dynamic scale. Weights before each step are copied as long as that takes less
            than 0.5 % of the time, on a CPU only. The training's numbers stay as they are. In a distributed run the
            step is kept and not replayed, as the ranks would wait for each other.

    Raises:
        ValueError: ``policy`` is none of these.
    """

    lets_pass = (NonFiniteError,)

    def __init__(self, policy: str = "warn", out=None, locate: bool = False) -> None:
        super().__init__(out)
        if policy not in POLICIES:
            raise ValueError(f"policy is one of {', '.join(POLICIES)}; got {policy!r}")
        self.policy, self._locate = policy, locate
        self._acts = policy in ("stop", "raise")
        self.at_once = self._acts
        self._finding: FirstNonFinite = UNSET
        self._gradient: FirstBadGradient = UNSET
        self._parameters: Optional[FiniteParameters] = None
        self._keeper: StepKeeper = UNSET
        #: A `Locator` and the copies of the weights that it replays from; None where nothing is located
        self._locator: Any = None
        self._copies: Any = None
        self._cell: Any = None
        self.bad_parameters: list = []
        self._found = False
        #: ``(step, random state)`` of steps that wait for `passed_step`
        self._states: deque = deque()

    @property
    def first(self):
        """``(step, value)`` of the first non-finite loss seen so far in this run, or ``None``."""
        if self._finding is None or self._finding.step is None:
            return None
        return self._finding.step, self._finding.value

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        recorder, warn = self.recorder, self.policy != "record"
        finding = FirstNonFinite(recorder.writer.event, warn=warn)
        self._finding = recorder.add_listener(finding, name="first non-finite")
        bad_gradient = FirstBadGradient(recorder.writer.event, warn=warn)
        self._gradient = recorder.add_listener(bad_gradient, name="first bad gradient")
        network = run_context.original_args().get("train_network")
        self._parameters = FiniteParameters(network) if network is not None else None
        dynamic = self.training.outputs.facts["kind"] == "dynamic"
        draws = network is not None and draws_on_host([network])
        self._states.clear()
        self._keeper = keeper_for(recorder.writer, dynamic, draws)
        if self._locate and network is not None:
            self._prepare_locating(network)

    def _prepare_locating(self, network) -> None:
        self._cell = without_recorder(network)
        replays, writer, alone = provided("replays"), self.recorder.writer, process_rank()[1] == 1
        self._locator = replays.Locator(writer.event, writer.rank_folder / "nonfinite", alone, self.policy != "record")
        self._copies = replays.WeightCopies()

    def before_step(self, step: int, run_context) -> None:
        parameters = run_context.original_args()
        if self._keeper is None or self._found or parameters.get("dataset_sink_mode"):
            return
        if self._locator is None:
            self._keeper.begin(step, parameters.get("train_dataset_element"))
        else:
            self._keep_to_locate(step, parameters)

    def steps_until_due(self) -> int:
        if self._found:
            return sys.maxsize
        if self._keeper is None or self.at_once or not self._may_be_told_of():
            return 0
        room, states = self._keeper.room(), self._keeper.states
        return min(room, states.left) if states.quiet else room

    def due_at(self) -> float:
        return math.inf if self._found or self._copies is None else self._copies.due_at()

    def _may_be_told_of(self) -> bool:
        """Whether a step may begin without `before_step`: nothing is located, or nothing of it but the loss, and its weights are
        not copied."""
        if self._locator is None:
            return True
        return self.training.outputs.facts["kind"] == "none" and time.monotonic() < self._copies.due_at()

    def reads(self) -> tuple:
        if self._found or self._keeper is None or self._keeper.states.quiet:
            return ()
        return (self._read_state,)

    def _read_state(self) -> None:
        self._states.append((self.training.step(), self._keeper.states.before_step()))

    def passed_step(self, step: int) -> None:
        read = self._states and self._states[0][0] == step
        state = self._states.popleft()[1] if read else None
        if self._found:
            return
        state, batch = state or self._keeper.states.passed(), self.training.batch
        if self._locator is None:
            self._keeper.begin(step, batch, state=state)
        else:
            self._keeper.begin(step, _inputs(batch), self._building(None), state=state)

    def after_step(self, step: int, run_context) -> None:
        if self._found:
            return
        for step, fields in self.training.ended_steps:
            loss, overflow, scale = fields.get("loss"), fields.get("overflow"), fields.get("scale")
            found = self._keeper.end(step, loss, overflow, scale, at_once=self._acts)
            if found is None:
                continue
            self._bad(found)
            if found.what == "loss":
                self._act(run_context, found.step, found.value)
                return

    def on_train_epoch_end(self, run_context) -> None:
        super().on_train_epoch_end(run_context)
        if self._parameters is not None and self._parameters.due():
            self._look_at_parameters()

    def _keep_to_locate(self, step: int, parameters) -> None:
        build = self._building(self.training.scale())
        copies = self._copies.take([self._cell])
        self._keeper.begin(step, _inputs(parameters.get("train_dataset_element")), build, copies)
        if copies and self._copies.spoilt:
            self._bad(self._keeper.rest() or BadStep(step, "parameter", None))

    def _building(self, scale) -> Callable:
        """What makes a step's replay from its inputs."""
        cell = self._cell
        return lambda inputs: provided("replays").of_train_cell(cell, inputs, to_number(scale))

    def _bad(self, found) -> None:
        if found.what == "loss":
            self._lost(found.step, found.value)
        if self._locator is not None:
            self._locator.tell(self._keeper, found)

    def _lost(self, step: int, value: float) -> None:
        """The loss of ``step`` is not finite: tells it, and keeps what the step began with."""
        self._found = True
        self._finding.found(step, value)
        leave_lost(self.recorder.writer, self._keeper, step, saves=self._locator is None)
        self._look_at_parameters()

    def _look_at_parameters(self) -> None:
        if self._parameters is None or self.bad_parameters:
            return
        step = self.training.step() if self.training is not None else self.recorder.last_step
        self.bad_parameters = self._parameters.tell(self.recorder.writer.event, step)

    def _act(self, run_context, step: int, value: float) -> None:
        if self.policy == "stop":
            self.recorder.writer.event("stopped", step, why=f"the loss is {value}")
            run_context.request_stop()
        elif self.policy == "raise":
            raise NonFiniteError(f"the loss is {value} at step {step}; see {self.recorder.writer.folder}")

    def on_train_end(self, run_context) -> None:
        if self._parameters is not None and self._parameters.due():
            self._look_at_parameters()
        super().on_train_end(run_context)

    def _training_over(self, error=None) -> None:
        # here, not at the end of the training: an error in another callback may have ended it
        found = self._keeper.rest() if self._keeper is not None and not self._found else None
        if found is not None:
            self._bad(found)
        elif isinstance(error, Exception) and self._keeper is not None and self._locator is not None:
            crash = self._keeper.crashed()
            if crash is not None:
                self._locator.tell(self._keeper, crash)
        self._keeper = UNSET
        self._parameters = self._locator = self._copies = self._cell = None


def _inputs(batch) -> tuple:
    return batch if isinstance(batch, tuple) else tuple(batch)
