"""The facts of trainings that callbacks watch: what the recorders of `msprec run` tell without its hooks.

`msprec.callbacks` is handed this module. During a training only references and copies are taken; what they hold is worked out
when the process ends, or earlier where that keeps to `SHARE` of the time. Nothing is drawn from a pipeline, no random
number is used, and no cell is called.
"""

import atexit
import functools
import os
import re
import sys
import time
from pathlib import Path
from typing import Optional

from msprec.observe.data.datasets import DatasetObserver
from msprec.observe.data.held_batches import HeldBatches
from msprec.observe.kernel_cells import add_cell, cells_of, running_shell
from msprec.observe.network.modes import ModeObserver, trained_networks
from msprec.observe.network.network_entry import network_entry
from msprec.observe.network.optimizers import OptimizerObserver
from msprec.observe.network.parameters import ParameterObserver
from msprec.observe.network.precision import PrecisionObserver
from msprec.observe.source_copies import SourceObserver
from msprec.observe.train_steps.loss_facts import LossFacts
from msprec.record.notebook_cells import NAME, Cells
from msprec.record.step_recorder import process_rank
from msprec.record.time_budget import Budget
from msprec.runtime.cells import is_loss_class, walk
from msprec.runtime.collection import no_collection
from msprec.runtime.source_locations import user_place

#: Share of the time since the start that writing facts may take before the process ends.
SHARE = 0.002
#: Seconds that statistics of batches may take at a writing.
STATISTICS_SECONDS = 0.5
#: Seconds that writing is reckoned with the first time: so many, and so many a byte of what is held.
BASE_COST, BYTE_COST = 0.1, 2e-8
#: Bytes of copies of initial parameters; beyond them samples are kept.
PARAMETER_BYTES = 256 << 20
#: Networks, optimizers and data sets of a process that are described.
MOST = 4

#: Where a source asks for mixed precision in a way that cells need not show.
_ASKS_FOR_HALF = re.compile(r"amp_level|auto_mixed_precision|custom_mixed_precision|build_train_network")

_waiting: list = []


def of(recorder) -> "TrainingFacts":
    """The facts of the run that ``recorder`` writes; made at its first training."""
    found = getattr(recorder, "training_facts", None)
    if found is None:
        found = recorder.training_facts = TrainingFacts(recorder)
    return found


def write_waiting() -> None:
    """Works out and writes what was put off."""
    while _waiting:
        _waiting.pop(0).write(True)


def safely(method):
    """The method, an error of which is told once and reaches nobody."""

    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self.recorder.report_error(method.__qualname__, error)
            return None

    return guarded


class TrainingFacts:
    """The facts of one run folder.

    Args:
        recorder: What the callbacks write with.
    """

    def __init__(self, recorder) -> None:
        self.recorder, self.writer = recorder, recorder.writer
        self.rank_size, self._pid = process_rank()[1], os.getpid()
        self._folder = Path(os.path.abspath(self.writer.folder))
        self.sources = SourceObserver(self._folder)
        self.datasets, self.optimizers = DatasetObserver(self), OptimizerObserver(self)
        self.parameters = ParameterObserver(digests=self.rank_size > 1, most_bytes=PARAMETER_BYTES)
        self.modes, self.losses, self.evaluations = ModeObserver(), LossFacts(), []
        self.roots: list = []
        self._batches: list = []
        self._feeding = self._judging = None
        #: The entries of ``modes.json`` of the present steps, and up to which step they are counted
        self._phase, self._phase_from = [], 0
        self._judgements = 0
        self._began, self._spent, self._last = time.monotonic(), 0.0, 0.0

    # what callbacks tell

    @safely
    def begins(self, cell, optimizer, dataset, loss=None) -> None:
        """A training begins.

        Args:
            cell: Its training cell or network, or None.
            optimizer: Its optimizer, or None.
            dataset: The pipeline that feeds it, or None.
            loss: The ``loss_fn`` of the Model, or None.
        """
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self._collect(*([os.path.abspath(main)] if main else []))
        roots = [root for root in (trained_networks(cell) if cell is not None else []) if self._is_kept(root)]
        known = [one for one, _ in self.optimizers.made]
        if optimizer is not None and not any(one is optimizer for one in known) and len(known) < MOST:
            self.optimizers.created(optimizer, None)
            self.optimizers.in_use(optimizer)
        self._note_losses(cell, loss)
        done = self.recorder.last_step
        self.parameters.note(roots, optimizer.parameters if optimizer is not None else [], done)
        if optimizer is not None:
            self.optimizers.takes_part([optimizer], done)
        self._feeding, self._phase, self._phase_from, self._training = None, [], 0, (roots, optimizer)
        if dataset is not None:
            self.fed_by(dataset)

    _training: tuple = ((), None)
    _cells: Optional[Cells] = None

    @safely
    def _collect(self, *files: str) -> None:
        self.sources.collect(*files)
        shell = running_shell()
        if shell is None:
            return
        self._cells = self._cells or Cells()
        known = self._cells.facts()
        for cell in cells_of(shell, after=known[-1]["number"] if known else 0):
            add_cell(self._cells, NAME, *cell)
        self.sources.keep(NAME, self._cells.text)

    def script(self) -> dict:
        """What ``run.json`` tells of the script."""
        if self._cells is None:
            script = sys.argv[0] if sys.argv else ""
            return {"command": [Path(sys.executable).name, *sys.argv], "script": script}
        return {"command": ["python", NAME], "script": str(Path.cwd() / NAME), "cells": self._cells.facts()}

    def _is_kept(self, root) -> bool:
        if not any(root is one for one in self.roots):
            if len(self.roots) >= MOST:
                return False
            self.roots.append(root)
        return True

    def _note_losses(self, cell, loss) -> None:
        if loss is not None:
            self.losses.note_of_model(loss, user_place())
        for _, inner in walk(cell) if cell is not None else ():
            if is_loss_class(type(inner)):
                self.losses.note_cell(inner)

    @safely
    def fed_by(self, dataset, anew: bool = False) -> None:
        """The batches to come are those of ``dataset``, a pipeline; None: of no pipeline. ``anew``: from a new iterator."""
        known, self._feeding = len(self._batches), self._held(dataset, "train")
        if anew and self._feeding is not None and len(self._batches) == known:
            self._feeding.iterated_anew()

    def _held(self, dataset, role: str):
        found = next((one for one in self._batches if one.is_of(dataset) and one.role == role), None)
        if found is None and len(self._batches) < MOST:
            found = HeldBatches(len(self._batches), dataset, role)
            self._batches.append(found)
            self.datasets.records.append(found.record)
        return found

    @safely
    def delivered(self, batch, epoch, count) -> None:
        """A batch of ``count`` samples has fed a step."""
        if self._feeding is not None:
            self._feeding.add(batch, epoch, count)

    @safely
    def epoch_ended(self, batches=None) -> None:
        """A pass is over, which has so many ``batches`` where that is known."""
        if self._feeding is not None:
            self._feeding.pass_ended(batches)
        if self._is_affordable():
            self.write(False)

    @safely
    def stepped(self, number: int) -> None:
        """Step ``number`` has just ended, in the modes that the networks are in now. To be told at the first step of each pass,
        and wherever the modes may have changed."""
        if not self._phase_from:  # a loop may never tell that it ends
            _register()
            if self not in _waiting:
                _waiting.append(self)
        self._count_steps(number - 1)
        self._phase = [self.modes.note("train", "call", root, None, number - 1, True) for root in self._training[0]]
        self._phase_from = number

    def _count_steps(self, done: int) -> None:
        """The steps up to ``done`` were in the modes of the present phase."""
        for entry in self._phase:
            entry["calls"] += max(0, done - self._phase_from)
            entry["last_step"] = max(entry["last_step"], done - 1)
        self._phase_from = done

    @safely
    def evaluates(self, dataset, batch, count) -> None:
        """A batch of ``dataset``, a pipeline, is evaluated."""
        if self._judging is None or not self._judging.is_of(dataset):
            self._judging = self._held(dataset, "eval")
        if self._judging is not None:
            self._judging.add(batch, self._judgements, count)

    @safely
    def evaluated(self, parameters) -> None:
        """A ``Model`` has evaluated; ``parameters``: the callbacks' own."""
        if self._judging is not None:
            self._judging.pass_ended(parameters.get("batch_num"))
        self._judgements += 1
        for root in trained_networks(parameters["eval_network"]):
            if any(root is one for one in self.roots):
                self.modes.note("eval", "Model.eval", root, None, self.recorder.last_step, False)
        metrics = parameters.get("eval_results") or parameters.get("metrics")
        if not isinstance(metrics, dict) or not metrics:
            return
        plain = {str(key): _number(value) for key, value in metrics.items()}
        step, epoch = self.recorder.last_step, parameters.get("cur_epoch_num")
        entry = {"step": step, "epoch": epoch, "metrics": plain, "place": user_place(), "via": "Model.fit"}
        self.evaluations.append(entry)

    @safely
    def ends(self) -> None:
        """A training is over."""
        if self._training[1] is not None:
            self.optimizers.takes_part([self._training[1]], max(0, self.recorder.last_step - 1))
        self._count_steps(self.recorder.last_step)
        self._training, self._phase, self._feeding, self._judging = ((), None), [], None, None
        self._collect()
        # an interactive session may go on for days
        if _is_interactive() or self._is_affordable():
            self.write(True)

    # writing

    def _is_affordable(self) -> bool:
        held = sum(one.held for one in self._batches) + self.parameters.copied
        cost = max(self._last, BASE_COST + BYTE_COST * held)
        return self._spent + cost <= SHARE * (time.monotonic() - self._began)

    @safely
    @no_collection()
    def write(self, final: bool) -> None:
        """Writes all facts; ``final``: with the parameters as they are now."""
        if (
            os.getpid() != self._pid or not self._folder.is_dir()
        ):  # a child of the training's process, or a folder that is gone
            return
        if final and self in _waiting:
            _waiting.remove(self)
        self._count_steps(self.recorder.last_step)
        began, looking = time.monotonic(), Budget(0.0, grace=STATISTICS_SECONDS)
        for one in self._batches:
            one.look(looking)
        for name, make in self._makers(final).items():
            self._write_one(name, make)
        self._last = time.monotonic() - began
        self._spent += self._last

    @safely
    def _write_one(self, name: str, make) -> None:
        made = make()
        if made is not None:
            self.writer.facts(name, made)

    def _makers(self, final: bool) -> dict:
        steps, optimized = self.recorder.last_step, self.optimizers.parameter_ids()
        losses = list(self.losses.found.values())
        names = " ".join(f"{entry['class']} {entry['args'] or ''}" for entry in losses)
        makers = {
            "optimizer": lambda: self.optimizers.facts(steps) if self.optimizers.made else None,
            "datasets": lambda: self.datasets.facts(names) if self._batches else None,
            "parameters": lambda: self.parameters.facts(optimized, steps, final) if self.parameters else None,
            "network": lambda: self._networks(optimized) if self.roots else None,
            "loss": lambda: {"losses": losses} if losses else None,
            "modes": lambda: self.modes.facts(self.optimizers.updating) if self.modes.phases else None,
            "precision": lambda: self._precision() if self.roots else None,
            "evaluation": lambda: {"evaluations": self.evaluations} if self.evaluations else None,
        }
        if final and self._batches:
            makers["label_sheet"] = lambda: self.datasets.label_sheet(self._folder / "samples")
        return makers

    def _networks(self, optimized) -> dict:
        return {"networks": [network_entry(i, root, "train", optimized) for i, root in enumerate(self.roots)]}

    def _precision(self) -> dict:
        types = sorted(set().union(*(one.dtypes for one in self._batches)))
        facts = PrecisionObserver().facts(self.roots, self.sources.texts, types)
        if not facts["half_compute"] and any(map(_ASKS_FOR_HALF.search, self.sources.texts.values())):
            facts["half_compute"] = None
        return facts


_registered: list = []


def _register() -> None:
    """Once a training has run: exit functions run last come first, and tensors must still be readable."""
    if not _registered:
        _registered.append(atexit.register(write_waiting))


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or running_shell() is not None


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)[:200]
