"""Everything that checks may know about a run, and the only way they may learn it."""

import copy
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, Callable, Optional, TypeVar

from msprec.bilingual import Text
from msprec.engine.finding import Evidence, Finding
from msprec.engine.schema import Fact, place
from msprec.engine.thresholds import Threshold
from msprec.record import schema as shapes
from msprec.record.reader import Records, Steps
from msprec.source.run_sources import RunSources
from msprec.source.static_input import Scripts

_AROUND = 3
# what a user declared or handed over, and what was done after the script had ended: there once for all ranks
_OF_THE_RUN = ("design", "probes", "range_test", "reference_data", "reference_weights", "reference_run")
_Made = TypeVar("_Made")


class RunData(RunSources):
    """One run, or scripts that were only read: facts, steps, source, a reference, and the thresholds to judge them by.

    The facts of the rank are attributes, lists of `Fact` where a file holds several (``datasets``, ``networks``,
    ``parameters``, ``optimizers``, ``losses``, ``train_steps``, ``evaluations``, …); a fact that was not recorded is an empty
    list, or a `Fact` of which every key is None. ``msprec/record/SCHEMA.md`` says what each holds.
    """

    def __init__(
        self,
        folder: Records,
        thresholds: dict[str, Threshold],
        scripts: Optional[Scripts] = None,
        reference: Optional[Scripts] = None,
    ):
        self.run = Fact(folder.run, shapes.RUN)
        super().__init__(folder, scripts, reference, self.run.script, self.run.command)
        self._thresholds = thresholds
        self._made: dict[Callable, Any] = {}
        self._files: dict[tuple[str, int], Fact] = {}
        #: The rank whose facts, steps and events these are
        self.rank = 0
        self._ranks: Optional[list[int]] = None
        self.consulted: list[Threshold] = []
        #: What the items that were examined concluded, by their ids; complete when sections are made
        self.findings: dict[str, Finding] = {}
        self._take_facts()

    def _take_facts(self) -> None:
        self.datasets = self._list("datasets", shapes.DATASETS, "datasets")
        self.networks = self._list("network", shapes.NETWORK, "networks")
        self.copies = self._list("network", shapes.NETWORK, "copies")
        self.parameters = self._list("parameters", shapes.PARAMETERS, "parameters")
        self.optimizers = self._list("optimizer", shapes.OPTIMIZER, "optimizers")
        self.losses = self._list("loss", shapes.LOSS, "losses")
        self.train_steps = self._list("train_step", shapes.TRAIN_STEP, "steps")
        self.scalers = self.file("train_step", shapes.TRAIN_STEP).scalers
        self.without_optimizer = self._list("train_step", shapes.TRAIN_STEP, "without_optimizer")
        self.loads = self._list("weights_loaded", shapes.WEIGHTS_LOADED, "loads")
        self.phases = self._list("modes", shapes.MODES, "phases")
        self.inputs = self._list("inputs", shapes.INPUTS, "inputs")
        self.evaluations = self._list("evaluation", shapes.EVALUATION, "evaluations")
        self.reshapes = self._list("datasets", shapes.DATASETS, "reshapes")
        self.square_comparisons = self._list("evaluation", shapes.EVALUATION, "squares")
        self.silent_evaluations = self._list("evaluation", shapes.EVALUATION, "without_result")
        self.trained_samples = self._list("evaluation", shapes.EVALUATION, "trained_samples")
        self.precision = self.file("precision", shapes.PRECISION)
        self.probes = self.file("probes", shapes.PROBES)
        self.design = self.file("design", shapes.DESIGN)
        self.range_test = self.file("range_test", shapes.RANGE_TEST)
        self.reference_run = self.file("reference_run", shapes.REFERENCE_RUN)

    def of_rank(self, rank: int) -> "RunData":
        """The same run as one rank saw it: its own facts, steps and events, and no other rank."""
        one = copy.copy(self)
        one.rank, one._ranks, one.run = rank, [rank], self.run_of(rank)
        one._made = {}
        one._take_facts()
        return one

    def once(self, make: Callable[["RunData"], _Made]) -> _Made:
        """What ``make(run_data)`` gives, made at the first call and kept: for what several items build on."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]

    # facts

    @property
    def has_gradients(self) -> bool:
        """Whether gradients were sampled (``gradients.csv``)."""
        home = self.folder.path
        return home is not None and (home / f"rank_{self.rank}" / "gradients.csv").is_file()

    def file(self, name: str, shape: dict, rank: Optional[int] = None) -> Fact:
        """One of the fact files, as a whole."""
        if rank is None:
            rank = 0 if name in _OF_THE_RUN else self.rank
        if (name, rank) not in self._files:
            self._files[name, rank] = Fact(self.folder.facts(name, rank), shape)
        return self._files[name, rank]

    def _list(self, name: str, shape: dict, key: str) -> list:
        return getattr(self.file(name, shape), key)

    def has(self, name: str) -> bool:
        """Was this fact file written (and can it be read)?"""
        return self.folder.has_facts(name, 0 if name in _OF_THE_RUN else self.rank)

    def has_facts_of(self, rank: int) -> bool:
        """Did a rank write any fact of its training (rather than nothing, or steps alone)?"""
        return any(self.folder.has_facts(name, rank) for name in ("datasets", "parameters", "network"))

    @property
    def ranks(self) -> list:
        """The ranks that left something, 0 first; of `of_rank`, that one."""
        return self.folder.ranks() if self._ranks is None else self._ranks

    def run_of(self, rank: int) -> Fact:
        """What ``run.json`` says of one rank."""
        return Fact(self.folder.run_of(rank), shapes.RUN)

    def parameters_of(self, rank: int) -> list:
        """The parameters of one rank."""
        return self.file("parameters", shapes.PARAMETERS, rank).parameters

    def steps(self, rank: Optional[int] = None) -> Steps:
        """The table of training steps (``steps.csv``) of a rank, by default this one; without rows where there is none."""
        return self.folder.steps(self.rank if rank is None else rank)

    def gradients(self) -> list:
        """The rows of ``gradients.csv`` of this rank, as dictionaries: a row for each parameter of a sampled step."""
        return self.folder.gradients(self.rank)

    def events(self, name: str, rank: Optional[int] = None) -> list:
        """The events of one name, in the order in which they happened."""
        events = self.folder.events(self.rank if rank is None else rank)
        return [Fact(event, shapes.EVENT) for event in events if event.get("event") == name]

    @property
    def damaged(self) -> list:
        """What of the folder could not be read, as lines ``file: why``."""
        return self.folder.damaged

    def datasets_of(self, *roles: str) -> list:
        """The data sets of these roles: "train", "eval", "predict", "unknown"."""
        return [dataset for dataset in self.datasets if dataset.role in roles]

    @property
    def training_steps(self) -> int:
        """Training steps that were seen, by whichever fact counted most of them."""
        counted = sum(step.count or 0 for step in self.train_steps)
        return max(self.run.training_steps or 0, counted, len(self.steps()))

    @property
    def trained(self) -> bool:
        """Whether a training step, or a gradient, was seen."""
        return self.training_steps > 0 or any(phase.gradient or phase.phase == "train" for phase in self.phases)

    @property
    def trains_nothing(self) -> bool:
        """The script ran to its end and plainly is no training script: no step, no gradient, no optimizer."""
        finished = self.run.exit.kind in ("ok", "exit") and self.run.exit.code in (0, None)
        return finished and self.run.training_steps == 0 and not self.trained and not self.optimizers

    def without(self, left_out: dict[str, list]) -> "RunData":
        """The same run without some definitions of its sources: what was made of them is made anew."""
        one = super().without(left_out)
        one._made = {}
        return one

    # judging

    def limit(self, name: str) -> float:
        """The threshold of that name, in its own unit. What a check consulted is shown with its finding. KeyError for none."""
        threshold = self._thresholds[name]
        if threshold not in self.consulted:
            self.consulted.append(threshold)
        return threshold.value

    # source

    @property
    def mindspore_version(self) -> Optional[str]:
        """The version that the run was made with; None: not known."""
        return self.run.versions.get("mindspore")

    def code(self, place: Fact, title: Text, source: str = "run", around: int = _AROUND) -> Optional[Evidence]:
        """The place as evidence, with the lines around it; None when the folder has no copy of the file."""
        found = self.lines(place, around) if place else None
        if found is None:
            return None
        first, lines = found
        return Evidence(
            "code", title, source, file=place.file, first_line=first, highlight=[place.line], code="\n".join(lines)
        )

    def code_at(self, places: Iterable[Fact], title: Text, source: str = "run", most: int = 3) -> list:
        """Several places as evidence, each once."""
        distinct: dict[tuple, Fact] = {}
        for one in filter(None, places):
            distinct.setdefault((one.file, one.line), one)
        return [self.code(one, title, source) for one in [*distinct.values()][:most]]

    def matches_at(self, pattern: str, where: Fact) -> bool:
        """Whether the line of a place matches a regular expression; not where there is none."""
        return bool(where) and (where.file, where.line) in self.source.grep(re.compile(pattern))

    def find_lines(self, pattern: str, most: int = 5) -> list:
        """Places in the user's files whose line matches a regular expression (comments left out)."""
        return [place(*hit) for hit in islice(self.source.grep(re.compile(pattern)), most)]
