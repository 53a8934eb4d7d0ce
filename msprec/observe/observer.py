"""The one object that hears from all hooks, and the run folder that comes out of it."""

import math
import sys
import time
import traceback
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple, Optional, Union

from msprec._version import __version__
from msprec.observe.data.data_files import listen
from msprec.observe.source_copies import SourceObserver
from msprec.record.writer import RunWriter
from msprec.runtime import environment, hook_points
from msprec.runtime.patching import Patches

_MOST_ERRORS = 20
# facts are written again while the script runs, at growing intervals (seconds), so that a killed run is readable
_SAVE_INTERVALS = (1, 2, 5, 10, 20, 40, 60)
# and only while writing them has taken less than this share of the run's time
_SAVE_SHARE = 0.003


#: Seconds for probes where none are given: so many and a share of the script's own, up to so many; after a script of less than a
#: minute more, of which a share of its time is taken away. With the report, a run of a minute is to take a fifth more at most.
PROBE_LEAST, PROBE_SHARE, PROBE_MOST = 5.0, 0.004, 30.0
PROBE_SHORT, PROBE_AWAY = 30.0, 0.4


class Options(NamedTuple):
    """``locate``: whether steps that are not finite are replayed; ``again``: a `Capsule` to try on the first step that fits
    it, or a `StepDumper`, instead of recording; ``tensorboard``: True or a folder: write TensorBoard events too; ``sweep``:
    a `Sweep` that sets the learning rate; ``probe_seconds``: how long probes may take once the script has ended, None: as its
    own time allows; ``module``: the dotted name under which the script is run, as by ``python -m``; ``after``: the observer of an
    earlier run of this process: what was made while it looked on counts in this run too."""

    locate: bool = True
    again: Optional[object] = None
    tensorboard: Union[bool, str, None] = None
    sweep: Optional[object] = None
    probe_seconds: Optional[float] = 0.0
    module: Optional[str] = None
    after: Optional["Observer"] = None

    @property
    def probes(self) -> bool:
        """Whether there are to be any."""
        return self.probe_seconds is None or self.probe_seconds > 0

    def seconds_for_probes(self, script: float) -> float:
        """How long probes may take after a script of so many seconds."""
        if self.probe_seconds is not None:
            return self.probe_seconds
        return min(PROBE_MOST, max(PROBE_LEAST + PROBE_SHARE * script, PROBE_SHORT - PROBE_AWAY * script))


class Observer:
    """Observes one run of a script in this process."""

    def __init__(self, folder: Path, script: str, command: list, cwd: str, options: Optional[Options] = None) -> None:
        self.script, self.command, self.cwd, self.options = script, command, cwd, options or Options()
        self.rank, self.rank_size = environment.rank()
        self.writer = RunWriter(folder, self.rank)
        self.sources = SourceObserver(self.writer.folder)
        listen(anew=self.options.after is None)
        self.patches = Patches()
        self.busy, self.errors, self.notes = False, 0, []
        #: Of a notebook: its cells as ``run.json`` has them, and the hooks that were not there yet when it made something
        self.cells, self.late = None, []
        self.imports_mindspore = self.installed = self.finished = False
        self.began, self._cpu_began = time.perf_counter(), time.process_time()
        self.started = _now()
        self.saves, self.next_save, self.save_spent = 0, 0.0, 0.0
        self.steps = self.recorder = None

    # --- hooks --------------------------------------------------------------------------------------------------
    def install(self) -> None:
        """Called once the script has imported MindSpore. A hook or recorder that fails costs what it records, no more."""
        self.imports_mindspore = True
        from msprec.callbacks.tensorboard import attach
        from msprec.observe.recorders import hooking, make_recorders, take_over
        from msprec.runtime.active_observer import set_current

        hook_points.tell_version()
        self.guarded_call(hook_points.find_all)
        self._begin_recording()
        if self.options.tensorboard:
            self.guarded_call(attach, self.recorder, self.options.tensorboard)
        make_recorders(self)
        if self.options.after is not None and self.options.after.installed:
            self.guarded_call(take_over, self, self.options.after)
        self.guarded_call(_enable_loss_scale_on_cpu)
        for install in hooking(self):
            self.guarded_call(install, self.patches)
        if self.options.sweep is not None:
            self.options.sweep.install(self.patches, self.recorder)
        self.installed = True
        set_current(self)

    def _begin_recording(self) -> None:
        from msprec.callbacks.step_counters import FirstNonFinite, ScaleTally
        from msprec.record.step_recorder import StepRecorder, use_recorder

        self.recorder = StepRecorder(self.writer)
        self.recorder.add_listener(self._rows_written)
        # the names are those of the callbacks, so that each event is written once
        self.scale_tally = self.recorder.add_listener(ScaleTally(self.writer.event), name="scale events")
        self.recorder.add_listener(FirstNonFinite(self.writer.event), name="first non-finite")
        use_recorder(self.recorder)

    def guarded_call(self, function, *args):
        """Calls ``function``; an error of ours becomes an event and never reaches the script."""
        outer, self.busy = self.busy, True
        try:
            return function(*args)
        except Exception as error:
            self._own_error(function, error)
            return None
        finally:
            self.busy = outer

    def _own_error(self, function, error: Exception) -> None:
        self.errors += 1
        if self.errors > _MOST_ERRORS:
            return
        where = traceback.extract_tb(error.__traceback__)[-1]
        name = getattr(function, "__qualname__", str(function))
        step = self.steps.done if self.steps else 0
        self.writer.event(
            "monitor_error",
            step,
            where=f"{name} ({Path(where.filename).name}:{where.lineno})",
            error=f"{type(error).__name__}: {error}",
        )

    # --- steps --------------------------------------------------------------------------------------------------
    def make_monitors(self, users: list) -> list:
        """The monitors as one callback, less those that the user has put in."""
        from msprec.callbacks import MONITORS, NonFiniteMonitor
        from msprec.callbacks.precision import JoinedMonitors

        given = [one for user in users for one in getattr(user, "members", (user,))]
        made = {NonFiniteMonitor: {"locate": self.options.locate and self.options.again is None}}
        missing = [kind for kind in MONITORS if not any(isinstance(one, kind) for one in given)]
        return [JoinedMonitors([kind(**made.get(kind, {})) for kind in missing])] if missing else []

    def write_step(self, step, grad_norm=None) -> None:
        """Hands a finished step of a training cell or a functional loop to the recorder."""
        if grad_norm is not None:
            self.recorder.put(step.number, grad_norm=grad_norm)
        self.recorder.put(
            step.number,
            epoch=step.epoch,
            loss=step.loss,
            overflow=step.overflow,
            scale=step.scale,
            next_scale=step.next_scale,
            lr=step.rate,
            seconds=step.seconds,
            data_seconds=step.wait,
            batch=step.batch,
        )
        self.recorder.end(step.number)

    def step_seen(self) -> None:
        """Something new trains: copy the sources while they are as they were, and write what is known."""
        self.guarded_call(self.sources.collect)
        if self.rank_size > 1:
            self.guarded_call(self.environment.training)
        self.save(final=False)

    def model_train_ended(self) -> None:
        self.recorder.flush()

    def note_cpu_loss_scale(self, name: str) -> None:
        """Says once, on the terminal and in the run's facts, that the loss-scale cell runs through msprec's finite check."""
        if "cpu_loss_scale" in self.notes:
            return
        self.notes.append("cpu_loss_scale")
        self.writer.event("cpu_loss_scale", self.steps.done, **{"class": name})
        print(
            f"msprec: {name} does not run on a CPU by itself; its overflow check is done by a finite check here",
            file=sys.stderr,
        )

    def _rows_written(self, rows: list) -> None:
        if time.perf_counter() - self.began >= self.next_save:
            self.guarded_call(self.save, False)

    # --- the folder ---------------------------------------------------------------------------------------------
    def save(self, final: bool) -> None:
        """Writes all facts as they are known now."""
        begin = time.perf_counter()
        if not final and self.saves > 1 and self.save_spent > _SAVE_SHARE * (begin - self.began):
            return
        self._write_facts(final)
        self.write_run()
        self.saves += 1
        self.save_spent += time.perf_counter() - begin
        interval = _SAVE_INTERVALS[min(self.saves, len(_SAVE_INTERVALS) - 1)]
        self.next_save = time.perf_counter() - self.began + interval

    def _write_facts(self, final: bool, in_haste: bool = False) -> None:
        from msprec.observe.recorders import facts_of

        for name, make in facts_of(self, final, in_haste).items():
            made = self.guarded_call(make)
            if made is not None:
                self.writer.facts(name, made)

    def write_run(self, exit_facts: Optional[dict] = None) -> None:
        """``run.json``; without ``exit_facts`` the run is still going on."""
        facts = {
            "schema": 1,
            "tool": {"name": "msprec", "version": __version__},
            "command": self.command,
            "script": self.script,
            **({"module": self.options.module} if self.options.module else {}),
            "cwd": self.cwd,
            "started": self.started,
            "ended": _now() if exit_facts else None,
            "seconds": round(time.perf_counter() - self.began, 3),
            "exit": exit_facts or {"kind": "running", "code": None},
            "versions": environment.versions(),
            "platform": environment.platform_facts(),
            "rank": self.rank,
            "rank_size": self.rank_size,
            "source_files": self.sources.facts(),
            "notes": self.notes,
            # not known before the script has ended, and on a full disk this may be the last that is written
            "script_imports_mindspore": self.imports_mindspore or (False if exit_facts else None),
            "hooks_missing": [*hook_points.missing(), *self.late],
            **({"cells": self.cells} if self.cells is not None else {}),
            "training_steps": self.steps.done if self.steps else 0,
        }
        if self.installed:
            facts["device_target"] = self.guarded_call(environment.device_target)
            modes = {entry["mode"] for entry in self.steps.style_facts.entries.values()} or {
                self.guarded_call(environment.current_mode)
            }
            facts["mode"] = modes.pop() if len(modes) == 1 else "mixed"
            facts.update(self.environment.facts())
        self.writer.run(facts)

    def finish(self, exit_facts: dict, in_haste: bool = False) -> None:
        """The script has ended: writes the last rows, all facts and ``run.json``; hooks are taken out. ``in_haste``: without what
        takes long, the replay of a step, reading data files again, probes."""
        if self.finished:
            return
        self.finished = True
        if in_haste:
            self.guarded_call(self.write_run, exit_facts)
        self.guarded_call(self.sources.collect, self.script)
        if self.installed:
            if exit_facts.get("kind") == "exception" and not in_haste:
                self.guarded_call(self.steps.replays.crashed)
            self.guarded_call(self.steps.close_open)
            if not in_haste:
                self.guarded_call(self.steps.replays.rest)
            self.guarded_call(self.recorder.close)
            self.guarded_call(self.scale_tally.end_streak)
            self.guarded_call(self._write_facts, True, in_haste)
        self.write_run(exit_facts)
        self.patches.undo()
        if self.installed and not in_haste and exit_facts.get("kind") in ("ok", "exit", "exception"):
            self.guarded_call(self._probe, exit_facts["kind"])
        self.writer.close()

    def _probe(self, ended: str) -> None:
        """Short probes on what the run has left, within their budget."""
        from msprec.probe.run import reached, run_probes
        from msprec.runtime.busy_clock import busy_part

        crashed = ended == "exception" and math.isfinite((reached(self.writer) or (0.0,))[-1])
        if self.options.probes and self.steps.done and not self.options.again and not self.options.sweep:
            # on a machine that others use too a script takes longer, and is no longer one
            took = busy_part(time.perf_counter() - self.began, time.process_time() - self._cpu_began)
            seconds = self.options.seconds_for_probes(took)
            try:
                run_probes(self.steps, self.writer, seconds, self.rank_size, crashed)
            except KeyboardInterrupt:
                print("msprec: the probes were interrupted", file=sys.stderr)


def _enable_loss_scale_on_cpu() -> None:
    """As msprec's function of that name; where the script is importing just that module first of all, it will call it."""
    from importlib import import_module

    enable = getattr(import_module("msprec.runtime.cpu_loss_scale"), "enable_loss_scale_on_cpu", None)
    if enable is not None:
        enable()


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
