"""One training as its monitors see it: the rows' common part, read once a step however many monitors there are."""

import time
from collections import deque
from datetime import datetime, timezone
from pathlib import Path
from typing import Optional

from msprec.callbacks.learning_rate import LearningRate
from msprec.callbacks.recorder_cell import RecorderCell, recorder_cell, without_recorder
from msprec.callbacks.resume_step import resumed_after
from msprec.callbacks.step_counters import ScaleTally
from msprec.callbacks.train_outputs import StepOutputs
from msprec.callbacks.update_counter import Updates
from msprec.record import step_recorder
from msprec.record.writer import warn_once
from msprec.runtime import environment, hook_points
from msprec.runtime.providers import provided


class Training:
    """Shared by the monitors of one ``Model.train`` that write to one recorder.

    Args:
        recorder: The recorder.
        parameters: The callbacks' parameters (``run_context.original_args()``) at the beginning of the training.
    """

    def __init__(self, recorder, parameters) -> None:
        self.recorder, self.parameters = recorder, parameters
        done = int(parameters.get("cur_step_num") or 0)
        # a second training of the run goes on counting; one that resumes from a checkpoint counts on by itself
        self.offset = max(0, recorder.last_step - done)
        self.first_step = done + self.offset + 1
        self.outputs = StepOutputs(parameters.get("train_network"), parameters.get("loss_scale_mananger"))
        self.optimizer = optimizer = optimizer_of(parameters)
        self.rate = LearningRate(optimizer, parameters.get("list_callback"))
        self.updates = Updates()
        self.updates.begin(optimizer)
        self.users: set = set()
        #: The epoch whose end was told and whose modes were looked at; the steps at which evaluations were seen
        self._told_epoch: Optional[int] = None
        self._epoch: Optional[int] = None
        self._judged: Optional[tuple] = None
        self._evaluated: Optional[int] = None
        self.ended = False
        self.cell, self.sink = recorder_cell(parameters.get("train_network")), False
        if self.cell is not None:
            self.cell.skip()
        #: The steps that the present callback stands for: ``(step, fields)`` of each that was seen, oldest first.
        self.ended_steps: list = []
        self.first_of_sink, self.count = self.first_step, 1
        #: ``(step, outputs, learning rate, epoch, batch)`` of steps that have ended and have no row yet
        self.noted: deque = deque()
        #: The batch of the step that is worked out
        self.batch = None
        self._begun: Optional[int] = None
        self._seen, self._last = 0, done
        self._done, self._placed = done, False
        self._previous_outputs = parameters.get("net_outputs")

    @classmethod
    def of(cls, recorder, parameters) -> "Training":
        """The training that these parameters belong to; made by the first monitor that asks."""
        training = getattr(recorder, "training", None)
        if training is None or training.parameters is not parameters or training.ended:
            if training is not None:
                training.end()
            training = recorder.training = cls(recorder, parameters)
            if step_recorder.in_use() is not recorder:  # nobody else writes this run's run.json
                training.by_hand = ByHand(recorder, training)
        return training

    by_hand: Optional["ByHand"] = None

    def _place(self) -> None:
        """At the first step: finds its number where this process goes on with an earlier one's training."""
        self._placed = True
        if self.by_hand is None or self.recorder.earlier is None:
            return
        earlier, self.recorder.earlier = self.recorder.earlier, None
        found = (
            (self._done, "initial_step") if self._done else resumed_after(earlier, self.parameters, self.updates.before)
        )
        if found is None:
            return
        step, how = found
        self.offset, self.first_step = step - self._done, step + 1
        self.recorder.resume_after(step)
        self.recorder.writer.event("resumed", step, by=how, recorded=earlier.last, updates=self.updates.before)

    def end_epoch(self) -> None:
        """Writes what the first epoch has told, once."""
        if self.by_hand is None:
            return
        if not self.by_hand.told:
            self.by_hand.write(None, ended=False, told=True)
        if self.parameters.get("cur_epoch_num") != self._told_epoch:
            self._told_epoch = self.parameters.get("cur_epoch_num")
            self.by_hand.facts.epoch_ended(self.parameters.get("batch_num"))

    def evaluates(self, parameters) -> None:
        """A step of an evaluation has ended; the first monitor's call counts. ``parameters``: the callbacks' at it."""
        step = self._last, parameters.get("cur_step_num")
        if self.by_hand is None or parameters.get("dataset_sink_mode") or self._judged == step:
            return
        self._judged, batch = step, parameters.get("eval_dataset_element")
        self.by_hand.facts.evaluates(parameters.get("valid_dataset"), batch, batch_size(batch))

    def evaluated(self, parameters) -> None:
        """A `Model` has evaluated; the first monitor's call counts. ``parameters``: the callbacks' at its end."""
        if self.by_hand is not None and self._evaluated != self._last:
            self._evaluated = self._last
            self.by_hand.facts.evaluated(parameters)

    def step(self) -> int:
        """Number of the present step in the run."""
        return int(self.parameters["cur_step_num"]) + self.offset

    def begin_step(self) -> int:
        """Reads what has to be read before the step; the first monitor's call counts. Returns its number."""
        if not self._placed:
            self._place()
        step = self.step()
        if self._begun == step:
            return step
        self._begun = step
        if self.parameters.get("dataset_sink_mode") and self.steps_since_last() > 1 and not self.sink:
            self.sink = True
            if self.cell is None:
                self.rate.forget()
        self.outputs.before()
        self.rate.before()
        return step

    def end_step(self) -> int:
        """Puts the common fields of the step; the first monitor's call counts. Returns its number."""
        step = self.note_end()
        self.work_out(step)
        return step

    def note_end(self) -> int:
        """Takes what the row of the step that ends is made of, for `work_out`; the first call counts. Returns its number."""
        if not self._placed:
            self._place()
        parameters = self.parameters
        step = parameters["cur_step_num"] + self.offset
        if self._seen != step:
            self._seen = step
            told = parameters.get
            outputs = self._previous_outputs = told("net_outputs")
            rate = self.rate.fields() if self.rate.reads else None
            epoch = told("cur_epoch_num")
            if epoch != self._epoch and self.by_hand is not None:
                self._epoch = epoch
                self.by_hand.facts.stepped(step)
            self.noted.append((step, outputs, rate, epoch, told("train_dataset_element")))
        return step

    def reads(self) -> tuple:
        """The functions of `begin_step` without which a step may begin that is like the last and may wait."""
        return (self.rate.before,) if self.rate.reads else ()

    def may_wait(self) -> bool:
        """Whether `work_out` may be called when later steps have run: nothing that the noted step left changes with them."""
        return not self.parameters.get("dataset_sink_mode") and self.outputs.may_wait(self._previous_outputs)

    def work_out(self, step: int) -> None:
        """Puts the common fields of step ``step``, which is the oldest that was noted, if it was."""
        if not self.noted or self.noted[0][0] != step:
            return
        step, outputs, rate, epoch, self.batch = self.noted.popleft()
        rate = self.rate.fields() if rate is None else rate
        self.first_of_sink, self.count = self._last + self.offset + 1, max(1, step - self.offset - self._last)
        ended = self._ended_in_sink(self.cell, step, outputs) if self.sink and self.cell is not None else None
        if not ended:
            ended = [(step, {**self.outputs.after(outputs), **rate})]
        batch = None if self.parameters.get("dataset_sink_mode") else batch_size(self.batch)
        if self.by_hand is not None:
            self.by_hand.facts.delivered(self.batch, epoch, batch)
        for number, fields in ended:
            self.recorder.put(number, epoch=epoch, batch=batch, **fields)
        self.ended_steps, self._last = ended, step - self.offset

    def scale(self):
        """The loss scale of the step that has begun: a number, a tensor of its own, or None."""
        if self.noted:
            self.recorder.flush()
        return self.outputs.scale

    def _ended_in_sink(self, cell: RecorderCell, step: int, outputs) -> list:
        """``(step, fields)`` of each step of the sink that ends with ``step``, as the `RecorderCell` has kept them."""
        kept = cell.take()
        numbers = range(step - len(kept) + 1, step + 1)
        seen = zip(numbers, self.outputs.after_sink(outputs, kept), kept.updates_before())
        rows = [(number, {**fields, **self.rate.fields(updates)}) for number, fields, updates in seen]
        missing = self.count - len(rows)
        if missing > 0:
            last = step - max(1, len(rows))
            self.recorder.writer.event("steps_missing", step, first=self.first_of_sink, last=last, holds=cell.steps)
            warn_once(
                self,
                f"{missing} steps of a sink of {self.count} are missing: the ring of the RecorderCell "
                f"holds {cell.steps}; see msprec.keep_steps",
            )
        return rows[-self.count :]

    def steps_since_last(self) -> int:
        """How many steps the present callback stands for: 1, or a sink's."""
        return max(1, self.step() - self.offset - self._last)

    def unseen_step(self) -> bool:
        """Whether a step has run whose end no monitor was told: another callback raised before."""
        new = self.parameters.get("net_outputs") is not self._previous_outputs
        return new and self._begun is not None and self._seen != self.step()

    def end(self, error=None) -> None:
        """Writes what is pending and, where nobody else does, the run's facts."""
        if self.ended:
            return
        self.ended = True
        self.recorder.flush()
        if self.by_hand is not None:
            self.by_hand.write(error, ended=True)
        self.batch = self.optimizer = None
        self.parameters = dict.fromkeys(("net_outputs",), None)  # lets the user's network go


def optimizer_of(parameters):
    """The optimizer of the Model, or of the training cell that the Model was given."""
    cell, optimizer = parameters.get("train_network"), parameters.get("optimizer")
    while optimizer is None and cell is not None:
        optimizer, cell = getattr(cell, "optimizer", None), getattr(cell, "network", None)
    return optimizer


def batch_size(batch) -> Optional[int]:
    """The length of the first input of a batch: a tensor, or a dictionary, tuple or list of them; None: it has none."""
    first = batch
    if isinstance(batch, dict):
        first = next(iter(batch.values()), None)
    elif isinstance(batch, (tuple, list)):
        first = batch[0] if batch else None
    shape = getattr(first, "shape", None)
    return int(shape[0]) if shape else None


class ByHand:
    """Leaves ``run.json`` and ``facts/train_step.json`` where the callbacks run without ``msprec run``."""

    def __init__(self, recorder, training) -> None:
        self.writer, self.training, self.recorder = recorder.writer, training, recorder
        before = getattr(recorder, "by_hand", None)
        recorder.by_hand = self
        self.began = before.began if before else (time.monotonic(), _now())
        self.earlier_runs = before.earlier_runs if before else _earlier_runs(recorder.earlier)
        self.entries = [*(before.entries if before else _earlier_entries(recorder.earlier)), self._entry()]
        self.told, self._tally = False, recorder.add_listener(ScaleTally())
        told = training.parameters.get
        self.facts = provided("training_facts").of(recorder)
        self.facts.begins(
            without_recorder(told("train_network")),
            training.optimizer,
            None if told("dataset_sink_mode") else told("train_dataset"),
            told("loss_fn"),
        )
        self._tally.starts(training.outputs.facts)
        self.write(None, ended=False)

    def write(self, error, ended: bool, told: bool = False) -> None:
        """Writes the run as it stands; ``ended``: the training is over, by ``error`` or well; ``told``: it has told how
        it goes."""
        if ended or told:
            self.told = True
            facts, counted = self.training.outputs.facts, getattr(self.training, "updates", None)
            updates = counted.made() if counted is not None else None
            self.entries[-1].update(
                count=max(0, self.recorder.last_step - self.training.first_step + 1),
                sink=self.training.sink,
                overflow_flag=facts["flag"],
                overflow_from=facts["overflow_from"],
                updates=updates,
                accumulation=max(1, round((self._tally.steps - self._tally.overflows) / updates)) if updates else 1,
            )
            self.writer.facts("train_step", {"steps": self.entries})
        if ended:
            self.recorder.remove_listener(self._tally)
            self.facts.ends()
        self.writer.run(self._run(error, ended))

    def _entry(self) -> dict:
        facts = dict(self.training.outputs.facts)
        cell = without_recorder(self.training.parameters.get("train_network"))
        flag, source = facts.pop("flag"), facts.pop("overflow_from")
        return {
            "style": getattr(self.training, "style", "model"),
            "class": type(cell).__name__ if cell is not None else None,
            "function": None,
            "mode": environment.current_mode(),
            "place": None,
            "count": 0,
            "sink": False,
            "loss_scale": facts,
            "overflow_flag": flag,
            "overflow_from": source,
        }

    def _run(self, error, ended: bool) -> dict:
        from msprec._version import __version__

        if error is not None:
            told = {"type": type(error).__name__, "message": str(error)[:2000]}
            kind = "interrupt" if isinstance(error, KeyboardInterrupt) else "exception"
            end = {"kind": kind, "code": 1, "exception": told}
        else:
            end = {"kind": "ok", "code": 0} if ended else {"kind": "running"}
        rank, size = step_recorder.process_rank()
        modes = {entry["mode"] for entry in self.entries}
        parallel = {"parallel": self._parallel()} if size > 1 else {}
        return {
            "schema": 1,
            "tool": {"name": "msprec", "version": __version__},
            **self.facts.script(),
            "cwd": str(Path.cwd()),
            "started": self.began[1],
            "ended": _now() if ended else None,
            "seconds": round(time.monotonic() - self.began[0], 3),
            "exit": end,
            "versions": environment.versions(),
            "platform": environment.platform_facts(),
            "device_target": environment.device_target(),
            "mode": modes.pop() if len(modes) == 1 else "mixed",
            "rank": rank,
            "rank_size": size,
            **parallel,
            "source_files": self.facts.sources.facts(),
            "notes": ["callbacks"],
            "training_steps": self.recorder.last_step,
            "earlier": self.earlier_runs,
            "script_imports_mindspore": True,
            "hooks_missing": hook_points.missing(),
        }

    def _parallel(self) -> dict:
        cell = without_recorder(self.training.parameters.get("train_network"))
        self.reduced = self.reduced or bool(getattr(cell, "reducer_flag", False))
        return environment.parallel_facts(True if self.reduced else None)

    reduced = False


def _earlier_runs(earlier) -> list:
    """The entries ``earlier`` of ``run.json`` for the processes that wrote into this folder before."""
    run = earlier.run() if earlier is not None else {}
    if not run:
        return []
    kept = {name: run.get(name) for name in ("started", "ended", "seconds", "exit", "training_steps")}
    return [*(run.get("earlier") or []), kept]


def _earlier_entries(earlier) -> list:
    entries = earlier.facts("train_step").get("steps") if earlier is not None else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
