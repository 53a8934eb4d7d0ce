"""Monitors for loops without ``Model``."""

import contextlib
import time
from collections import deque
from types import SimpleNamespace
from typing import NamedTuple, Optional

from msprec.callbacks.base import clock, guarded
from msprec.callbacks.gradient_sampler import FIRST_SAMPLE, GRADIENT_SHARE, GradientSampler
from msprec.callbacks.learning_rate import LearningRate
from msprec.callbacks.non_finite import POLICIES
from msprec.callbacks.nonfinite_parameters import FiniteParameters
from msprec.callbacks.resume_step import recorder_of_training, resumed_after
from msprec.callbacks.spike_batches import keeper_for
from msprec.callbacks.step_counters import FirstBadGradient, FirstNonFinite, ScaleTally, TimeTally
from msprec.callbacks.step_snapshots import leave_lost
from msprec.callbacks.summary import SummaryWriter
from msprec.callbacks.tensorboard import attach
from msprec.callbacks.train_context import ByHand, batch_size
from msprec.callbacks.train_outputs import ScalerFollower, StepOutputs, loss_and_flag, scaler_facts, scaling_cell
from msprec.callbacks.update_counter import Updates
from msprec.errors import NonFiniteError
from msprec.record.overflow_rules import FLAG, LOSS, SCALE
from msprec.record.step_recorder import in_use, to_number
from msprec.record.tensorboard import require
from msprec.runtime.collection import no_collection
from msprec.runtime.memory import reference


def watch(
    network=None,
    optimizer=None,
    scaler=None,
    policy: str = "warn",
    out=None,
    tensorboard=False,
    summary=None,
    resume: bool = False,
) -> "Watch":
    """Records the steps of a loop of your own as the monitors record those of ``Model.train``.

    Args:
        network: The network, or the training cell; with it, parameters are looked at when the loss goes bad, and of a training
            cell with a loss scale of its own, the scale and its overflows are recorded.
        optimizer: The optimizer; with it, the learning rate is recorded, and gradients are sampled in PyNative mode.
        scaler: A ``mindspore.amp.DynamicLossScaler`` or ``StaticLossScaler``; with it, the loss scale and its overflows
            are recorded.
        policy: What to do at a non-finite loss: ``"record"``, ``"warn"``, ``"stop"`` (then `Watch.stopped` is True) or
            ``"raise"``.
        out: The run folder; ``None``: a new one below ``msprec_runs``. Under ``msprec run``, which records the steps by
            itself, only the policy acts.
        tensorboard, summary, resume: As for `PrecisionMonitor`.

    Raises:
        ValueError: ``policy`` is none of these.
        ImportError: ``tensorboard`` is asked for and tensorboardX is not installed.
        TypeError: ``summary`` is no SummaryRecord.

    Examples:
        >>> monitor = msprec.watch(net, optimizer)
        >>> for image, label in monitor.batches(dataset.create_tuple_iterator(num_epochs=1)):
        ...     monitor.step(train_step(image, label))
        >>> monitor.close()
    """
    return Watch(network, optimizer, scaler, policy, out, tensorboard, summary, resume)


#: So many steps are worked out together, or those until rows are to be written.
TOGETHER = 64


class _Noted(NamedTuple):
    """A step that has ended and has no row yet. ``rate``: None where it was not read; ``begun``: whether the step is known to
    those that look at steps."""

    number: int
    seconds: float
    told: tuple
    states: tuple
    wait: Optional[float]
    batches: tuple
    rate: Optional[dict]
    epoch: int
    begun: bool


class Watch:
    """What `watch` returns; a context manager that closes itself."""

    lets_pass = (NonFiniteError,)
    style, sink = "functional", False

    @no_collection()
    def __init__(
        self,
        network=None,
        optimizer=None,
        scaler=None,
        policy: str = "warn",
        out=None,
        tensorboard=False,
        summary=None,
        resume: bool = False,
    ) -> None:
        if policy not in POLICIES:
            raise ValueError(f"policy is one of {', '.join(POLICIES)}; got {policy!r}")
        self.policy, self.stopped, self.closed = policy, False, False
        if tensorboard:
            require()
        self._summary = SummaryWriter(summary) if summary is not None else None
        self.recorder = recorder_of_training(out, optimizer, resume)
        self._records = in_use() is None
        self._follower, facts = ScalerFollower(scaler), scaler_facts(scaler)
        source = {"dynamic": SCALE, "fixed": LOSS}.get(facts["kind"])
        #: Reads the outputs of the training cell, where that is the network and has a loss scale of its own
        self._cell = StepOutputs(network) if scaler is None and scaling_cell(network) is not None else None
        told = {**facts, "flag": source == SCALE, "overflow_from": source}
        self.outputs = SimpleNamespace(facts=told if self._cell is None else self._cell.facts)
        self.parameters = {"train_network": network}
        self.updates = Updates()
        self._go_on(optimizer)
        self.step_number = self.recorder.last_step
        self.first_step = self.step_number + 1
        #: What was delivered since the step before: several batches where gradients are accumulated
        self._batches: deque = deque(maxlen=16)
        self._wait: Optional[float] = None
        self._found: Optional[tuple[int, float]] = None
        self._state, self._passes = (None, None), 0
        #: Steps that wait to be worked out, until when they may, and how many of the next need not be looked at as they begin
        self._noted: deque = deque()
        self._until, self._quiet, self._begun, self._working = 0.0, 0, True, False
        self._fresh, self._iterator = True, reference(None)
        self._rate_known = self._rate_still = True
        #: The network, where it is a cell, and its mode at the step before
        self._network = network if hasattr(network, "training") else None
        self._was: Optional[bool] = None
        self._scaled = scaler is not None
        self.optimizer = optimizer
        self._tensorboard = tensorboard
        self._prepare(network, optimizer)
        self._next()

    @guarded
    def _prepare(self, network, optimizer) -> None:
        self._rate = LearningRate(optimizer, None)
        self._finite = FiniteParameters(network) if network is not None else None
        writer, add = self.recorder.writer, self.recorder.add_listener
        self._keeper = keeper_for(writer, spikes=self._records)
        if not self._records:
            return
        if self._tensorboard:
            attach(self.recorder, self._tensorboard)
        if self._summary is not None:
            add(self._summary)
        self._gradients = GradientSampler(writer, GRADIENT_SHARE, replay=False, first_cost=FIRST_SAMPLE)
        warn = self.policy != "record"
        self._events = add(ScaleTally(writer.event), name="scale events")
        self._tally, self._times = add(ScaleTally()), add(TimeTally())
        for tally in (self._events, self._tally):
            tally.starts(self.outputs.facts)
        self._finding = add(FirstNonFinite(writer.event, warn=warn), name="first non-finite")
        add(FirstBadGradient(writer.event, warn=warn), name="first bad gradient")
        self.recorder.before_flush(self._work_out)
        self.by_hand = ByHand(self.recorder, self)
        self.recorder.earlier = None

    @property
    def folder(self):
        """The run folder."""
        return self.recorder.writer.folder

    @property
    def first(self) -> Optional[tuple]:
        """``(step, value)`` of the first non-finite loss seen so far, or ``None``."""
        self._work_out()
        return self._found

    def batches(self, iterable):
        """Yields what ``iterable`` yields; the wait for each batch is recorded, and the batch is kept for the case that
        its step goes bad."""
        iterator = iter(iterable)
        self._begin_pass(iterator)
        while True:
            began = time.perf_counter()
            try:
                batch = next(iterator)
            except StopIteration:
                self._end_pass()
                return
            self._delivered(batch, time.perf_counter() - began)
            yield batch

    @guarded
    def step(self, loss=None, overflow=None, scale=None) -> None:
        """Tells that a training step has ended.

        Args:
            loss: Its loss, a Tensor or number, unscaled. It is read later, in batches. Or the whole output of a training cell
                with a loss scale, ``(loss, overflow, scale)``; name that cell as the network, or the scale is not known: what it
                puts out is the scale before the step or after it.
            overflow: Whether its gradients overflowed, a bool or bool Tensor; ``None``: told by the scaler, if any.
            scale: The loss scale that it was computed with; ``None``: the scaler's.

        Raises:
            NonFiniteError: The loss is not finite and the policy is ``"raise"``.
        """
        if self.closed:
            return
        seconds = max(0.0, self._now() - self._began)
        told, states = self._told(loss, overflow, scale)
        rate = self._rate.fields() if self._rate_known else None
        training = self._network.training if self._network is not None else None
        if self._fresh or training is not self._was:
            self._look_at_modes(training)
        self._noted.append(
            _Noted(
                self.step_number, seconds, told, states, self._wait, (*self._batches,), rate, self._passes, self._begun
            )
        )
        try:
            if not self._quiet or len(self._noted) >= TOGETHER or time.monotonic() >= self._until:
                self._work_out()
        finally:
            self._next()

    def _told(self, outputs, overflow, scale) -> tuple:
        """``((loss, overflow, scale), (state of the scaler before the step, after it))``"""
        if self._cell is None:
            loss, flag = loss_and_flag(outputs)
            after = self._follower.state() if self._scaled else self._state
            return (loss, flag if overflow is None else overflow, scale), (self._state, after)
        read = self._cell.after(outputs).get
        overflow, scale = read("overflow") if overflow is None else overflow, read("scale") if scale is None else scale
        return (read("loss"), overflow, scale), ((scale, None), (read("next_scale"), None))

    def summary(self) -> dict:
        """As `PrecisionMonitor.summary`."""
        self._work_out()
        self.recorder.flush()
        return {
            "loss_scale": self._tally.summary() if self._records else None,
            "gradients": self._gradients.summary() if self._records else None,
            "step_time": self._times.summary() if self._records else None,
            "first_nonfinite": self._found,
        }

    @guarded
    @no_collection()
    def close(self) -> None:
        """Writes what is left. Steps told later are not recorded."""
        if self.closed:
            return
        self._work_out()
        found = self._keeper.rest() if self._found is None else None
        if found is not None and found.what == "loss":
            self._lost(found.step, found.value)
        self.closed = True
        if not self._records:
            return
        self._gradients.close()
        self.recorder.flush()
        self.recorder.remove_before_flush(self._work_out)
        self._events.end_streak()
        for listener in (self._tally, self._times, self._summary):
            self.recorder.remove_listener(listener)
        if self._summary is not None:
            self.recorder.guard("SummaryWriter", self._summary.close)
        self.by_hand.write(self._error, ended=True)

    _error = None

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._error = error
        self.close()

    # inside

    @guarded
    def _go_on(self, optimizer) -> None:
        """Where the folder holds steps of an earlier process, the loop goes on from a checkpoint."""
        self.updates.begin(optimizer)
        earlier = self.recorder.earlier
        if not self._records or earlier is None or not earlier.last:
            return
        resumed = resumed_after(earlier, {}, self.updates.before)
        if resumed is None:
            return
        step, how = resumed
        self.recorder.resume_after(step)
        self.recorder.writer.event("resumed", step, by=how, recorded=earlier.last, updates=self.updates.before)

    @guarded
    def _begin_pass(self, iterator) -> None:
        self._work_out()
        self._passes, self._fresh = self._passes + 1, True
        if self._records:
            same, self._iterator = self._iterator() is iterator, reference(iterator)
            self.by_hand.facts.fed_by(getattr(iterator, "_Iterator__ori_dataset", None), not same)

    @guarded
    def _end_pass(self) -> None:
        self._work_out()
        if self._records:
            self.by_hand.facts.epoch_ended()

    @guarded
    def _delivered(self, batch, wait: float) -> None:
        if not self._batches and self._fresh:
            self._read_rate(True)  # it may be set from one pass to the next
        self._batches.append(batch)
        self._wait = wait
        if self._begun and self._found is None:
            self._keeper.begin(self.step_number, batch)
        self._began = self._now()

    @guarded
    def _next(self) -> None:
        """The next step begins, unless a batch is still to come."""
        self.step_number += 1
        self._batches.clear()
        self._wait = None
        if self._scaled:
            self._state = self._follower.state()
        if self._cell is not None:
            self._cell.before()
        self._begun = not self._quiet
        self._read_rate(self._begun)
        self._quiet = max(0, self._quiet - 1)
        if self._begun and self._records:
            self._gradients.begin(self.step_number, self.optimizer, self._state[0])
        self._began = self._now()

    def _look_at_modes(self, training: Optional[bool]) -> None:
        self._fresh, self._was = False, training
        if self._records:
            self.by_hand.facts.stepped(self.step_number)

    def _read_rate(self, due: bool) -> None:
        self._rate_known = due or not self._rate.steady
        if self._rate.reads and self._rate_known:
            self._rate.before()

    def _quiet_steps(self) -> int:
        """How many of the next steps need not be looked at as they begin, and may be worked out together."""
        states = self._keeper.states
        if not self._records or self.policy in ("stop", "raise") or not states.quiet:
            return 0
        if self._rate.kind == "constant" and self._rate.reads and not self._rate.steady:
            return 0
        self._until = self.recorder.due()
        room = self._keeper.room() if self._found is None else TOGETHER
        return min(TOGETHER, room, states.left, self._gradients.steps_until_due())

    @guarded
    @no_collection()
    def _work_out(self) -> None:
        """Does what is left to do for the steps that have ended, in their order."""
        if self._working:
            return
        self._working = True
        try:
            # what was not read is what it was before, where it is so still
            self._rate_still = all(step.rate is not None for step in self._noted) or self._rate.still()
            while self._noted:
                self._row(self._noted.popleft())
        finally:
            self._working = False
            self._quiet = self._quiet_steps()

    def _row(self, step: _Noted) -> None:
        (loss, overflow, scale), (before, after) = step.told, step.states
        if self._noted:  # of all but the last step, nobody waits for the device
            with contextlib.suppress(TypeError, ValueError):
                loss = to_number(loss)
        if not step.begun:
            self._gradients.pass_by()
            if self._found is None:
                state = self._keeper.states.passed()
                for batch in step.batches:
                    self._keeper.begin(step.number, batch, state=state)
        if self._records:
            size = batch_size(step.batches[-1]) if step.batches else None
            if overflow is None:
                overflow = self._follower.overflow(before, after)
            elif self._cell is None:
                self.outputs.facts.update(flag=True, overflow_from=FLAG)
            self.recorder.put(
                step.number,
                loss=loss,
                overflow=overflow,
                scale=before[0] if scale is None else scale,
                next_scale=after[0],
                grad_norm=self._gradients.end(step.number),
                seconds=step.seconds,
                data_seconds=step.wait,
                batch=size,
                **(self._rate_of(step)),
            )
            self.recorder.end(step.number, more=bool(self._noted))
            for batch in step.batches:
                self.by_hand.facts.delivered(batch, step.epoch, batch_size(batch))
        self._judge(step.number, loss)

    def _rate_of(self, step: _Noted) -> dict:
        if step.rate is not None:
            return step.rate
        return self._rate.fields() if self._rate_still else {}

    @staticmethod
    def _now() -> float:
        now, ours = clock.read()
        return now - ours

    def _judge(self, step: int, loss) -> None:
        if self._found is not None:
            return
        found = self._keeper.end(step, loss, at_once=self.policy in ("stop", "raise"))
        if found is None or found.what != "loss":
            return
        self._lost(found.step, found.value)
        if self.policy == "stop":
            self.stopped = True
            self.recorder.writer.event("stopped", step, why=f"the loss is {found.value}")
        elif self.policy == "raise":
            raise NonFiniteError(f"the loss is {found.value} at step {found.step}; see {self.folder}")

    def _lost(self, step: int, value: float) -> None:
        self._found = (step, value)
        if self._records:
            self._finding.found(step, value)
        leave_lost(self.recorder.writer, self._keeper, step)
        if self._finite is not None:
            latest = self._noted[-1].number if self._noted else self.recorder.last_step
            self._finite.tell(self.recorder.writer.event, max(step, latest))

    def failed(self, where: str, error: Exception) -> None:
        self.recorder.report_error(where, error)
