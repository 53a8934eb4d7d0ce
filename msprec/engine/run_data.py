"""Everything that checks may know about a run, and the only way they may learn it."""

import copy
import re
from collections.abc import Iterable
from typing import Optional

from msprec.bilingual import Text
from msprec.engine import schema as shapes
from msprec.engine.finding import Evidence
from msprec.engine.schema import Fact
from msprec.record import ranks as across
from msprec.record.reader import RunFolder
from msprec.source.entry_scripts import starts_by_itself
from msprec.source.files import File
from msprec.source.flow import execution_paths
from msprec.source.pipelines import read_pipelines
from msprec.source.project import Project
from msprec.source.static_input import Scripts
from msprec.source.user_code import Code
from msprec.source.values import Values

_AROUND = 3
_SLICED = ("semi_auto_parallel", "auto_parallel", "hybrid_parallel")
# what a user declared or handed over, and what was done after the script had ended: there once for all ranks
_OF_THE_RUN = ("design", "probes", "range_test", "reference_data", "reference_weights", "reference_run")


class RunData:
    """One run, or scripts that were only read: facts, steps, source, a reference, and the thresholds to judge them by."""

    def __init__(
        self,
        folder: RunFolder,
        thresholds: dict,
        scripts: Optional[Scripts] = None,
        reference: Optional[Scripts] = None,
    ):
        self._folder = folder
        self._thresholds = thresholds
        self._scripts, self._reference = scripts, reference
        self._made = {}  # what is read from the source, by name: once for all ranks
        self._files = {}
        self._against = self._readings = self._own_readings = None
        self._home, self._ranks = 0, None
        self.consulted = []
        self.run = Fact(folder.run, shapes.RUN)
        self._take_facts()

    def _take_facts(self) -> None:
        self.datasets = self._list("datasets", shapes.DATASETS, "datasets")
        self.networks = self._list("network", shapes.NETWORK, "networks")
        self.parameters = self._list("parameters", shapes.PARAMETERS, "parameters")
        self.optimizers = self._list("optimizer", shapes.OPTIMIZER, "optimizers")
        self.losses = self._list("loss", shapes.LOSS, "losses")
        self.train_steps = self._list("train_step", shapes.TRAIN_STEP, "steps")
        self.scalers = self.file("train_step", shapes.TRAIN_STEP).scalers
        self.loads = self._list("weights_loaded", shapes.WEIGHTS_LOADED, "loads")
        self.phases = self._list("modes", shapes.MODES, "phases")
        self.inputs = self._list("inputs", shapes.INPUTS, "inputs")
        self.evaluations = self._list("evaluation", shapes.EVALUATION, "evaluations")
        self.silent_evaluations = self._list("evaluation", shapes.EVALUATION, "without_result")
        self.precision = self.file("precision", shapes.PRECISION)
        self.probes = self.file("probes", shapes.PROBES)
        self.design = self.file("design", shapes.DESIGN)
        self.range_test = self.file("range_test", shapes.RANGE_TEST)
        self.reference_run = self.file("reference_run", shapes.REFERENCE_RUN)

    def of_rank(self, rank: int) -> "RunData":
        """The same run as one rank saw it: its own facts, steps and events, and no other rank."""
        one = copy.copy(self)
        one._home, one._ranks, one.run = rank, [rank], self.run_of(rank)
        one._take_facts()
        return one

    # facts

    @property
    def has_gradients(self) -> bool:
        """Whether gradients were sampled (``gradients.csv``)."""
        return (self._folder.path / f"rank_{self._home}" / "gradients.csv").is_file()

    def file(self, name: str, shape: dict, rank: Optional[int] = None) -> Fact:
        """One of the fact files, as a whole."""
        if rank is None:
            rank = 0 if name in _OF_THE_RUN else self._home
        if (name, rank) not in self._files:
            self._files[name, rank] = Fact(self._folder.facts(name, rank), shape)
        return self._files[name, rank]

    def _list(self, name: str, shape: dict, key: str) -> list:
        return getattr(self.file(name, shape), key)

    def has(self, name: str) -> bool:
        """Was this fact file written (and can it be read)?"""
        return self._folder.has_facts(name, 0 if name in _OF_THE_RUN else self._home)

    def has_facts_of(self, rank: int) -> bool:
        """Did a rank write any fact of its training (rather than nothing, or steps alone)?"""
        return any(self._folder.has_facts(name, rank) for name in ("datasets", "parameters", "network"))

    @property
    def ranks(self) -> list:
        return self._folder.ranks() if self._ranks is None else self._ranks

    def run_of(self, rank: int) -> Fact:
        """What ``run.json`` says of one rank."""
        return Fact(self._folder.run_of(rank), shapes.RUN)

    def parameters_of(self, rank: int) -> list:
        """The parameters of one rank."""
        return self.file("parameters", shapes.PARAMETERS, rank).parameters

    @property
    def first_nonfinite(self) -> Optional[across.FirstNonFinite]:
        """The first step that went non-finite on any rank."""
        return across.first_nonfinite(self._folder)

    @property
    def disagreements(self) -> list:
        """Where the ranks of a distributed run do not agree; see `msprec.record.ranks`."""
        return across.disagreements(self._folder)

    @property
    def trained_as_one(self) -> bool:
        """Whether the ranks were seen to add up their gradients: then they train one model, and have to agree.

        Not where the parallel mode gives each its own slices.
        """
        parallel = self.run.parallel
        return len(self.ranks) > 1 and bool(parallel.gradients_reduced) and parallel.mode not in _SLICED

    def final_weights_differ(self) -> Optional[bool]:
        """Whether the trained parameters differ between ranks at the end; None: not known."""
        return across.weights_differ(self._folder, self.ranks, "final")

    def steps(self, rank: Optional[int] = None):
        return self._folder.steps(self._home if rank is None else rank)

    def events(self, name: str, rank: Optional[int] = None) -> list:
        """The events of one name, in the order in which they happened."""
        events = self._folder.events(self._home if rank is None else rank)
        return [Fact(event, shapes.EVENT) for event in events if event.get("event") == name]

    @property
    def damaged(self) -> list:
        return self._folder.damaged

    def datasets_of(self, *roles: str) -> list:
        return [dataset for dataset in self.datasets if dataset.role in roles]

    @property
    def training_steps(self) -> int:
        """Training steps that were seen, by whichever fact counted most of them."""
        counted = [step.count or 0 for step in self.train_steps] or [0]
        rows = len(self.steps())
        return max(self.run.training_steps or 0, sum(counted), rows)

    @property
    def trained(self) -> bool:
        return self.training_steps > 0 or any(phase.gradient or phase.phase == "train" for phase in self.phases)

    @property
    def trains_nothing(self) -> bool:
        """The script ran to its end and plainly is no training script: no step, no gradient, no optimizer."""
        finished = self.run.exit.kind in ("ok", "exit") and self.run.exit.code in (0, None)
        return finished and self.run.training_steps == 0 and not self.trained and not self.optimizers

    # judging

    def limit(self, name: str) -> float:
        """The threshold of that name. What a check consulted is shown with its finding."""
        threshold = self._thresholds[name]
        if threshold not in self.consulted:
            self.consulted.append(threshold)
        return threshold.value

    # source

    @property
    def was_run(self) -> bool:
        """Are there records of a run, or only scripts?"""
        return self._folder.path is not None

    @property
    def mindspore_version(self) -> Optional[str]:
        """The version that the run was made with; None: not known."""
        return self.run.versions.get("mindspore")

    @property
    def project(self) -> Project:
        """The user's own files with what their names mean: those of the run, and the scripts that were named beside it."""
        if "project" not in self._made:
            names = self._folder.source_names()
            paths = {file.name: file.path for file in self._named}
            texts = {name: self._folder.source(name) for name in names}
            # what a run imported is complete: nothing is looked for on the disk of another machine
            files = [File(n, None if self.was_run else paths.get(n), t) for n, t in texts.items() if t is not None]
            files += [file for file in self._named if file.name not in texts]
            self._made["project"] = Project(files, self._passed, follow=not self.was_run)
        return self._made["project"]

    @property
    def _named(self) -> list:
        return self._scripts.files if self._scripts is not None else []

    @property
    def _passed(self) -> list:
        return self._scripts.passed if self._scripts is not None else []

    @property
    def source_files(self) -> set:
        """The names of the user's files that the run imported."""
        return set(self._folder.source_names())

    @property
    def values(self) -> Values:
        """What the expressions of the user's files stand for; of a run, with the arguments of its command."""
        if "values" not in self._made:
            self._made["values"] = Values(self.project, self._arguments())
        return self._made["values"]

    def _arguments(self) -> Optional[list]:
        """The words after the script in the command of the run; None: not known."""
        script, words = (self.run.script or "").replace("\\", "/"), self.run.command
        names = [word.replace("\\", "/").lstrip("./") for word in words]
        places = [i for i, name in enumerate(names) if name and f"/{script}".endswith(f"/{name}")]
        return words[places[0] + 1 :] if places else None

    @property
    def entries(self) -> list:
        """The modules that a user starts: the script of the run, the scripts that were named, or those that run by themselves."""
        named = [self.run.script] if self.was_run else self._scripts.entries if self._scripts is not None else []
        found = [self.project.module_at(name) for name in named if name]
        found = [module for module in found if module is not None]
        if self.was_run and not found and self.run.script:
            tail = self.run.script.replace("\\", "/").rsplit("/", 1)[-1]
            found = [m for m in self.project.modules.values() if m.file.rsplit("/", 1)[-1] == tail][:1]
        return found or [module for module in self.project.modules.values() if starts_by_itself(module)]

    @property
    def readings(self) -> list:
        """What the scripts named beside a run were seen to do, as `msprec.source.pipelines.Reading`s (dp.02, api.02)."""
        if self._readings is None:
            named = self._scripts.entries if self.was_run and self._scripts is not None else []
            run = set(self.entries) if named else set()
            found = [self.project.module_at(name) for name in named]
            values = Values(self.project)  # the arguments of the run's command are not theirs
            self._readings = [
                read_pipelines(self.project, values, module)
                for module in found
                if module is not None and module not in run
            ]
        return self._readings

    @property
    def own_readings(self) -> list:
        """The same of the script of the run itself."""
        if self._own_readings is None:
            self._own_readings = [read_pipelines(self.project, self.values, module) for module in self.entries[:1]]
        return self._own_readings

    @property
    def ways(self) -> list:
        """The ways through each script that is started, as lists of `msprec.source.flow.ExecutionPath`; see there."""
        if "ways" not in self._made:
            whole = not self.was_run and not (self._scripts is not None and self._scripts.entries)
            self._made["ways"] = execution_paths(self.project, self.values, self.entries, whole)
        return self._made["ways"]

    @property
    def against(self):
        """The comparison with the reference run (``--reference-run``): None without one."""
        if self._against is None and self.reference_run:
            from msprec.checklists.common.loss_divergence import ReferenceComparison

            self._against = ReferenceComparison(self)
        return self._against

    @property
    def reference_project(self) -> Optional[Project]:
        """The reference script (``--reference-script``) with its own modules, or None."""
        if self._reference is None:
            return None
        if "reference" not in self._made:
            self._made["reference"] = Project(self._reference.files, self._reference.passed)
        return self._made["reference"]

    @property
    def reference_script(self) -> Optional[str]:
        """The name of the reference script."""
        return self._reference.entries[0] if self._reference is not None and self._reference.entries else None

    @property
    def source(self) -> Code:
        """The user's own files, read without running them."""
        if "code" not in self._made:
            texts = {name: self._folder.source(name) for name in self._folder.source_names()}
            if not self.was_run:
                texts = {module.file: self.project.text_of(module.file) for module in self.project.modules.values()}
            self._made["code"] = Code({name: text for name, text in texts.items() if text is not None})
        return self._made["code"]

    def lines(self, place: Fact, around: int = _AROUND) -> Optional[tuple]:
        """The lines around a place and the number of the first, or None when there is no copy."""
        text = self._text(place.file) if place.file else None
        lines = text.splitlines() if text else []
        if not place.line or place.line > len(lines):
            return None
        first = max(1, place.line - around)
        return first, lines[first - 1 : place.line + around]

    def _text(self, name: str) -> Optional[str]:
        """The text of a file: of the run, of the scripts, of the modules that they import, of the reference."""
        text = self._folder.source(name)
        project = self._made.get("project")
        if text is None and project is not None and project.module_at(name) is not None:
            text = project.text_of(name)
        if text is None and self._reference is not None:
            text = self._reference.source(name) or self.reference_project.text_of(name)
        return text

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
        seen, pieces = set(), []
        for place in places:
            if place and (place.file, place.line) not in seen and len(seen) < most:
                seen.add((place.file, place.line))
                pieces.append(self.code(place, title, source))
        return pieces

    def find_lines(self, pattern: str, most: int = 5) -> list:
        """Places in the user's files whose line matches a regular expression (comments left out)."""
        return [place(*hit) for hit in self.source.grep(re.compile(pattern))][:most]


def place(file: str, line: int) -> Fact:
    return Fact({"file": file, "line": line}, shapes.PLACE)
