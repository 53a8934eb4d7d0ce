"""What an experiment begins with: a recorded run, its problems, and the script that it can start again."""

import json
import os
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.record.reader import RunFolder, RunFolderError


class CannotExperiment(Exception):
    """Why, in one line."""


class Problem(NamedTuple):
    """An item that was concluded to be a problem: its id, its sentence, and the places ``(file, line)``."""

    item: str
    summary: str
    places: tuple = ()


class Case:
    """A run folder as experiments read it.

    Args:
        run: The run folder.
        lang: The language in which the folder is concluded where it holds no ``checklist.json``.

    Raises:
        CannotExperiment: It is no run folder, or its script is gone or has changed.
    """

    def __init__(self, run: Path, lang: str = "en") -> None:
        self.run = run.absolute()
        try:
            self.folder = RunFolder(self.run)
        except RunFolderError as error:
            raise CannotExperiment(str(error)) from None
        recorded = self.folder.run
        self.cwd = Path(recorded.get("cwd") or ".")
        script = recorded.get("script")
        if not isinstance(script, str) or not self.cwd.is_dir() or not (self.cwd / script).is_file():
            raise CannotExperiment(f"the script of {run} is no longer there: {script}")
        self.script = (self.cwd / script).resolve()
        exit_facts = recorded.get("exit") or {}
        #: The class of the exception that ended the script after it had trained; None: it ended well.
        self.ended_by = (
            (exit_facts.get("exception") or {}).get("type") if exit_facts.get("kind") == "exception" else None
        )
        self.module = recorded.get("module") or None
        self.args = [str(given) for given in recorded.get("command", [])[2:]]
        if (recorded.get("rank_size") or 1) > 1:
            raise CannotExperiment(f"{run} was distributed; experiments start one process")
        if any(root == root.parent for root in self.roots):
            raise CannotExperiment(
                f"{run} was started in the root folder, which cannot be copied; run it in the script's folder"
            )
        if not recorded.get("training_steps"):
            raise CannotExperiment(f"{run} has recorded no training step")
        self._require_module_found()
        self._require_unchanged()
        self.problems = problems_of(self.run, lang)

    def facts(self, name: str) -> dict:
        """``facts/NAME.json``; empty where it was not written."""
        return self.folder.facts(name)

    @property
    def roots(self) -> tuple:
        """The folders that the script lives in: its own, of a module that above its packages, and the working directory, less
        one that lies in the other."""
        folders = {self.cwd.resolve(), self._import_root() if self.module else self.script.parent}
        return tuple(sorted(one for one in folders if not any(other in one.parents for other in folders)))

    @property
    def sets_seed(self) -> bool:
        """Whether the script sets a seed itself."""
        return bool(self.folder.run.get("seeds"))

    def path(self, file: str) -> Path:
        """The user's file of a place."""
        return (self.cwd / file).resolve()

    def patchable(self, path: Path) -> bool:
        """Whether a file is the user's own: below the script's folder or the working directory."""
        return path.is_file() and any(root in path.parents for root in self.roots)

    def training_set(self) -> Optional[dict]:
        """The data set that the training used; None where it was no data set of MindSpore's or not one alone."""
        found = [one for one in self.facts("datasets").get("datasets", []) if one.get("role") == "train"]
        return found[0] if len(found) == 1 and found[0].get("pipeline") else None

    def optimizer(self) -> Optional[dict]:
        """The optimizer that trained; None where there is not exactly one."""
        found = [one for one in self.facts("optimizer").get("optimizers", []) if one.get("used")]
        return found[0] if len(found) == 1 and found[0].get("place") else None

    def seconds(self) -> float:
        """An estimate of how long the script runs: its own time, which was taken before the probes."""
        return max(1.0, float(self.folder.run.get("seconds") or 0))

    def _import_root(self) -> Path:
        """The folder that the first package of the module lies in: ``src`` of ``src/package/train.py``."""
        names = str(self.module).split(".")
        depth = len(names) if self.script.stem == "__main__" and names[-1] != "__main__" else len(names) - 1
        return self.script.parents[depth]

    def _require_module_found(self) -> None:
        """A module that is found by an installation would not be found in the copy."""
        searched = [self.cwd, *map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
        if self.module and self._import_root() not in [one.resolve() for one in searched]:
            raise CannotExperiment(
                f"{self.module} lies neither in the working directory nor in a folder of PYTHONPATH; experiments need it there"
            )

    def _require_unchanged(self) -> None:
        for name, kept in (self.folder.run.get("source_files") or {}).items():
            now, then = self.cwd / name, self.run / str(kept)
            if now.is_file() and then.is_file() and now.read_bytes() != then.read_bytes():
                raise CannotExperiment(f"{name} has changed since that run; run it again with msprec run")


def problems_of(run: Path, lang: str) -> list:
    """The problems of ``checklist.json``, or of concluding the folder where there is none that can be read."""
    try:
        checklist = json.loads((run / "checklist.json").read_text(encoding="utf-8"))
        entries = [*checklist["items"], *checklist.get("beyond", [])]
    except (OSError, ValueError, KeyError, TypeError):
        from msprec.engine import conclude

        checklist = conclude(run, lang)
        entries = [*checklist["items"], *checklist.get("beyond", [])]
    return [
        Problem(entry["id"], entry["summary"], tuple((p["file"], p["line"]) for p in entry.get("locations") or ()))
        for entry in entries
        if entry.get("conclusion") == "problem"
    ]
