"""The user's sources behind a run folder or behind scripts that are only read: one reading of each, kept."""

import copy
from collections.abc import Iterable
from typing import Any, Callable, Optional, TypeVar

from msprec.record.reader import Records
from msprec.source.entry_scripts import starts_by_itself
from msprec.source.files import File, Passed
from msprec.source.flow import ExecutionPath, execution_paths
from msprec.source.module import Module
from msprec.source.pipelines import read_pipelines
from msprec.source.project import Project
from msprec.source.static_input import Scripts
from msprec.source.unused import is_unused, unused_in, without_lines
from msprec.source.user_code import Code
from msprec.source.values import Values

_Sources = TypeVar("_Sources", bound="RunSources")


class RunSources:
    """``scripts``: named beside the run, or in its place; ``reference``: the script to compare with.

    ``script`` and ``command`` are the run's own, as ``run.json`` has them.
    """

    def __init__(
        self,
        folder: Records,
        scripts: Optional[Scripts],
        reference: Optional[Scripts],
        script: Optional[str],
        command: list[str],
    ):
        self.folder = folder
        self._scripts, self._reference = scripts, reference
        self._script, self._command = script, command
        self._read: dict[str, Any] = {}  # by name, each read once for all ranks
        self._left_out: dict[str, list] = {}  # by file, the first and last lines of definitions that nothing uses

    def _once(self, name: str, read: Callable[[], Any]) -> Any:
        if name not in self._read:
            self._read[name] = read()
        return self._read[name]

    @property
    def was_run(self) -> bool:
        """Are there records of a run, or only scripts?"""
        return self.folder.path is not None

    @property
    def source_files(self) -> set[str]:
        """The names of the user's files that the run imported."""
        return set(self.folder.source_names())

    @property
    def project(self) -> Project:
        """The user's own files with what their names mean: those of the run, and the scripts that were named beside it."""
        return self._once("project", self._project)

    def _project(self) -> Project:
        texts = self._texts()
        paths = {file.name: file.path for file in self._named}
        # what a run imported is complete: nothing is looked for on the disk of another machine
        files = [File(n, None if self.was_run else paths.get(n), t) for n, t in texts.items() if t is not None]
        files += [file for file in self._named if file.name not in texts]
        return Project(files, self._passed, follow=not self.was_run)

    def _texts(self) -> dict[str, Optional[str]]:
        texts = {name: self.folder.source(name) for name in self.folder.source_names()}
        for name, spans in self._left_out.items():
            texts[name] = without_lines(texts[name] or "", spans)
        return texts

    def unused_at(self, places: Iterable[dict]) -> dict[str, list]:
        """``{file: [(first line, last line), …]}`` of what nothing in the run uses, of the files where one of some places lies in
        such a definition; the script itself is taken as it is."""
        given = sorted({(one["file"], one["line"]) for one in places if one["file"] and one["line"] is not None})
        others = self.source_files - {module.file for module in self.entries}
        files = {file for file, line in given if file in others and is_unused(self.source, file, line)}
        return {file: unused_in(self.source, file) for file in files}

    def without(self: _Sources, left_out: dict[str, list]) -> _Sources:
        """The same without these definitions, read anew."""
        one = copy.copy(self)
        one._read = {}
        files = {*self._left_out, *left_out}
        one._left_out = {name: [*self._left_out.get(name, []), *left_out.get(name, [])] for name in files}
        return one

    @property
    def _named(self) -> list[File]:
        return self._scripts.files if self._scripts is not None else []

    @property
    def _passed(self) -> list[Passed]:
        return self._scripts.passed if self._scripts is not None else []

    @property
    def _started(self) -> list[str]:
        """The scripts that the user named."""
        return self._scripts.entries if self._scripts is not None else []

    @property
    def values(self) -> Values:
        """What the expressions of the user's files stand for; of a run, with the arguments of its command."""
        return self._once("values", lambda: Values(self.project, self._arguments()))

    def _arguments(self) -> Optional[list[str]]:
        """The words after the script in the command of the run; None: not known."""
        script, words = (self._script or "").replace("\\", "/"), self._command
        names = [word.replace("\\", "/").lstrip("./") for word in words]
        places = [i for i, name in enumerate(names) if name and f"/{script}".endswith(f"/{name}")]
        return words[places[0] + 1 :] if places else None

    @property
    def entries(self) -> list[Module]:
        """The modules that a user starts: the script of the run, the scripts that were named, or those that run by themselves."""
        named = [self._script] if self.was_run else self._started
        modules = [self.project.module_at(name) for name in named if name]
        found = [module for module in modules if module is not None]
        if self.was_run and not found and self._script:
            tail = self._script.replace("\\", "/").rsplit("/", 1)[-1]
            found = [m for m in self.project.modules.values() if m.file.rsplit("/", 1)[-1] == tail][:1]
        return found or [module for module in self.project.modules.values() if starts_by_itself(module)]

    @property
    def readings(self) -> list:
        """What the scripts named beside a run were seen to do, as `msprec.source.pipelines.values.Reading`s."""
        return self._once("readings", self._readings)

    def _readings(self) -> list:
        named = self._started if self.was_run else []
        run = set(self.entries) if named else set()
        found = [self.project.module_at(name) for name in named]
        values = Values(self.project)  # the arguments of the run's command are not theirs
        return [
            read_pipelines(self.project, values, module) for module in found if module is not None and module not in run
        ]

    @property
    def own_readings(self) -> list:
        """The same of the script of the run itself."""
        return self._once(
            "own_readings", lambda: [read_pipelines(self.project, self.values, one) for one in self.entries[:1]]
        )

    @property
    def ways(self) -> list[list[ExecutionPath]]:
        """The ways through each script that is started; see `msprec.source.flow`."""
        whole = not self.was_run and not self._started
        return self._once("ways", lambda: execution_paths(self.project, self.values, self.entries, whole))

    @property
    def reference_project(self) -> Optional[Project]:
        """The reference script (``--reference-script``) with its own modules, or None."""
        given = self._reference
        return None if given is None else self._once("reference", lambda: Project(given.files, given.passed))

    @property
    def reference_script(self) -> Optional[str]:
        """The name of the reference script."""
        return self._reference.entries[0] if self._reference is not None and self._reference.entries else None

    @property
    def source(self) -> Code:
        """The user's own files, read without running them."""
        return self._once("code", self._code)

    def _code(self) -> Code:
        if self.was_run:
            texts = self._texts()
        else:
            texts = {module.file: self.project.text_of(module.file) for module in self.project.modules.values()}
        return Code({name: text for name, text in texts.items() if text is not None})

    def text_of(self, name: str) -> Optional[str]:
        """The text of a file: of the run, of the scripts, of the modules that they import, of the reference."""
        text = self.folder.source(name)
        project = self._read.get("project")
        if text is None and project is not None and project.module_at(name) is not None:
            text = project.text_of(name)
        if text is None and self._reference is not None:
            text = self._reference.source(name)
            if not text and self.reference_project is not None:
                text = self.reference_project.text_of(name)
        return text

    def lines(self, place: Any, around: int = 3) -> Optional[tuple[int, list[str]]]:
        """The lines around a place (its ``file`` and ``line``) and the number of the first, or None when there is no copy."""
        text = self.text_of(place.file) if place.file else None
        lines = text.splitlines() if text else []
        if not place.line or place.line > len(lines):
            return None
        first = max(1, place.line - around)
        return first, lines[first - 1 : place.line + around]
