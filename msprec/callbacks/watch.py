"""Monitors for loops without ``Model``."""

import time
from types import SimpleNamespace
from typing import Any, Optional

from msprec.callbacks.base import clock, guarded
from msprec.callbacks.gradient_sampler import GradientSampler
from msprec.callbacks.learning_rate import LearningRate
from msprec.callbacks.non_finite import POLICIES
from msprec.callbacks.nonfinite_parameters import FiniteParameters
from msprec.callbacks.resume_step import recorder_of_training, resumed_after
from msprec.callbacks.step_counters import FirstBadGradient, FirstNonFinite, ScaleTally, TimeTally
from msprec.callbacks.step_snapshots import CPU_STEPS, DEVICE_STEPS, StepKeeper, save_step
from msprec.callbacks.summary import SummaryWriter
from msprec.callbacks.tensorboard import attach
from msprec.callbacks.train_context import ByHand, batch_size
from msprec.callbacks.update_counter import Updates
from msprec.callbacks.whole_output import ScaleFollower
from msprec.errors import NonFiniteError
from msprec.record.overflow_rules import FLAG, LOSS, SCALE
from msprec.record.step_recorder import in_use
from msprec.record.tensorboard import require
from msprec.runtime.tensor_snapshot import on_cpu


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
        network: The network; with it, parameters are looked at when the loss goes bad.
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


class Watch:
    """What `watch` returns; a context manager that closes itself."""

    lets_pass = (NonFiniteError,)
    style, sink = "functional", False

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
        self._follower = ScaleFollower(scaler, network)
        facts = self._follower.facts
        source = {"dynamic": SCALE, "fixed": LOSS}.get(facts["kind"])
        self.outputs = SimpleNamespace(facts={"flag": source == SCALE, "overflow_from": source, **facts})
        self.parameters = {"train_network": network}
        self.updates = Updates()
        self._go_on(optimizer)
        self.step_number = self.recorder.last_step
        self.first_step = self.step_number + 1
        self._batch: Any = None
        self._wait: Optional[float] = None
        self._found: Optional[tuple[int, float]] = None
        self._state = (None, None)
        self._optimizer, self._tensorboard = optimizer, tensorboard
        self._prepare(network, optimizer)
        self._next()

    @guarded
    def _prepare(self, network, optimizer) -> None:
        self._rate = LearningRate(optimizer, None)
        self._finite = FiniteParameters(network) if network is not None else None
        self._keeper = StepKeeper(CPU_STEPS if on_cpu() else DEVICE_STEPS)
        if not self._records:
            return
        writer, add = self.recorder.writer, self.recorder.add_listener
        if self._tensorboard:
            attach(self.recorder, self._tensorboard)
        if self._summary is not None:
            add(self._summary)
        self._gradients = GradientSampler(writer, replay=False)
        warn = self.policy != "record"
        self._events = add(ScaleTally(writer.event), name="scale events")
        self._tally, self._times = add(ScaleTally()), add(TimeTally())
        for tally in (self._events, self._tally):
            tally.starts(self.outputs.facts)
        self._finding = add(FirstNonFinite(writer.event, warn=warn), name="first non-finite")
        add(FirstBadGradient(writer.event, warn=warn), name="first bad gradient")
        self.by_hand = ByHand(self.recorder, self)
        self.recorder.earlier = None

    @property
    def folder(self):
        """The run folder."""
        return self.recorder.writer.folder

    @property
    def first(self) -> Optional[tuple]:
        """``(step, value)`` of the first non-finite loss seen so far, or ``None``."""
        return self._found

    def batches(self, iterable):
        """Yields what ``iterable`` yields; the wait for each batch is recorded, and the batch is kept for the case that
        its step goes bad."""
        iterator = iter(iterable)
        while True:
            began = time.perf_counter()
            try:
                batch = next(iterator)
            except StopIteration:
                return
            self._delivered(batch, time.perf_counter() - began)
            yield batch

    @guarded
    def step(self, loss=None, overflow=None, scale=None) -> None:
        """Tells that a training step has ended.

        Args:
            loss: Its loss, a Tensor or number, unscaled. It is read later, in batches. Or the whole output of a training cell
                with a loss scale, ``(loss, overflow, scale)``; name that cell as the network, so that its scale is known before
                each step.
            overflow: Whether its gradients overflowed, a bool or bool Tensor; ``None``: told by the scaler, if any.
            scale: The loss scale that it was computed with; ``None``: the scaler's.

        Raises:
            NonFiniteError: The loss is not finite and the policy is ``"raise"``.
        """
        if self.closed:
            return
        loss, overflow, scale = self._follower.parts(loss, overflow, scale)
        number, seconds = self.step_number, max(0.0, self._now() - self._began)
        if self._records:
            after = self._follower.state()
            if overflow is None:
                overflow = self._follower.overflow(self._state, after)
            else:
                self.outputs.facts.update(flag=True, overflow_from=FLAG)
            self.recorder.put(
                number,
                loss=loss,
                overflow=overflow,
                scale=self._state[0] if scale is None else scale,
                next_scale=after[0],
                grad_norm=self._gradients.end(number),
                seconds=seconds,
                data_seconds=self._wait,
                batch=batch_size(self._batch),
                **self._rate.fields(),
            )
            self.recorder.end(number)
        try:
            self._judge(number, loss)
        finally:
            self._next()

    def summary(self) -> dict:
        """As `PrecisionMonitor.summary`."""
        self.recorder.flush()
        return {
            "loss_scale": self._tally.summary() if self._records else None,
            "gradients": self._gradients.summary() if self._records else None,
            "step_time": self._times.summary() if self._records else None,
            "first_nonfinite": self._found,
        }

    @guarded
    def close(self) -> None:
        """Writes what is left. Steps told later are not recorded."""
        if self.closed:
            return
        found = self._keeper.rest() if self._found is None else None
        if found is not None and found.what == "loss":
            self._lost(found.step, found.value)
        self.closed = True
        if not self._records:
            return
        self._gradients.close()
        self.recorder.flush()
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
    def _delivered(self, batch, wait: float) -> None:
        self._batch, self._wait = batch, wait
        if self._found is None:
            self._keeper.begin(self.step_number, batch)
        self._began = self._now()

    @guarded
    def _next(self) -> None:
        """The next step begins, unless a batch is still to come."""
        self.step_number += 1
        self._batch = self._wait = None
        self._state = self._follower.state()
        self._rate.before()
        if self._records:
            self._gradients.begin(self.step_number, self._optimizer, self._state[0])
        self._began = self._now()

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
        kept = self._keeper.kept(step)
        if self._keeper.had_no_room(step):
            self.recorder.writer.event("step_not_kept", step, why=self._keeper.why_not_kept(step))
        elif kept is not None:
            save_step(self.recorder.writer.rank_folder / "nonfinite", kept)
        bad = self._finite.bad() if self._finite is not None else []
        if bad:
            self.recorder.writer.event("first_nonfinite", step, what="parameter", parameters=bad[:20], count=len(bad))

    def failed(self, where: str, error: Exception) -> None:
        self.recorder.report_error(where, error)
