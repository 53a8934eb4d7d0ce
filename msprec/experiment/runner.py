"""Starts experiments, each in a process and a copy of its own, and keeps what came of them: started again, it goes on."""

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from msprec.experiment.case import Case
from msprec.experiment.processes import Job, Processes
from msprec.experiment.source_edit import Project, line_after
from msprec.experiment.working_copy import WorkingCopy
from msprec.record.metric_names import metric_in
from msprec.record.reader import RunFolder, RunFolderError

#: Points of a loss curve that are kept.
_POINTS = 400
#: A run that takes so many times as long as the slowest before it is ended.
_PATIENCE = 10.0
_NUMBER = re.compile(r"(?<![\w.])([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(%?)(?![\w.]*\w)")


class Task(NamedTuple):
    """One run: the remedies, the number that is added to the seeds, whether hooks are left aside for edits of the source,
    and further hooks."""

    remedies: tuple = ()
    seed: int = 0
    edited: bool = False
    hooks: tuple = ()

    @property
    def name(self) -> str:
        """``shuffle+standardise-1``; ``baseline-0``."""
        ids = [one.id for one in self.remedies] + [one["name"] for one in self.hooks]
        return f"{'+'.join(ids) or 'baseline'}{'-edited' if self.edited else ''}-{self.seed}"


class Ended(Exception):
    """The runs were ended from outside."""


class Runner:
    """Runs tasks and keeps their results in ``remedies/runs`` of the run folder.

    Args:
        case: The recorded run.
        jobs: How many at a time.
        told: Called with a task before it runs and with the task and its result afterwards.
        machine: Where the processes run: `Processes`, or a `Cluster`.
    """

    def __init__(self, case: Case, jobs: int = 1, told: Optional[Callable] = None, machine=None) -> None:
        self.case, self.jobs, self._told = case, jobs, told or (lambda task, result: None)
        self.folder = case.run / "remedies"
        self._machine = machine or Processes()
        self._ended = False
        self._seconds = []

    def run(self, tasks: list) -> list:
        """The results of tasks, in their order; those that were run before are read."""
        if self.jobs == 1 or len(tasks) == 1:
            return [self._one(task) for task in tasks]
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                return list(pool.map(self._one, tasks))
            except BaseException:
                self._ended = True
                self._machine.end()
                raise

    def known(self, task: Task) -> Optional[dict]:
        """The result of a task that was run before."""
        with contextlib.suppress(OSError, ValueError):
            return json.loads(self._result_file(task).read_text(encoding="utf-8"))
        return None

    def seconds(self) -> float:
        """How long a run takes, as far as is known."""
        return sum(self._seconds) / len(self._seconds) if self._seconds else self.case.seconds()

    def _one(self, task: Task) -> dict:
        if task.edited and all(one.hook() is None for one in task.remedies):
            task = task._replace(edited=False)  # the same run: what has no hook was tried as its edit
        found = self.known(task)
        if found is None:
            self._told(task, None)
            found = self._run(task)
            if self._ended:  # its process was ended: that is no result
                raise Ended
            path = self._result_file(task)
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            part.write_text(json.dumps(found, allow_nan=False), encoding="utf-8")
            part.replace(path)
        self._seconds.append(found["seconds"])
        self._told(task, found)
        return found

    def _run(self, task: Task) -> dict:
        home = self.folder / "work" / f"{task.name[:80]}-{self._key(task)}"
        shutil.rmtree(home, ignore_errors=True)
        try:
            copy = WorkingCopy(home / "copy", self.case.roots, without=(self.case.run,))
            for path, text in self._texts(task).items():
                copy.write(path, text)
            begin = time.monotonic()
            status, log = self._start(task, home, copy)
            return _result(task, home / "run", status, time.monotonic() - begin, log)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def _start(self, task: Task, home: Path, copy: WorkingCopy) -> tuple:
        """Exit status (None: ended for taking too long) and what was printed."""
        (home / "tmp").mkdir()
        spec = home / "spec.json"
        spec.write_text(json.dumps(self._spec(task, home, copy)), encoding="utf-8")
        log = home / "log"
        job = Job(
            ["-m", "msprec.experiment.child", str(spec)],
            self._environment(home, copy),
            str(copy.inside(self.case.cwd.resolve())),
            str(log),
            max(300.0, _PATIENCE * max([self.case.seconds(), *self._seconds])),
        )
        return self._machine.run(job), log.read_bytes()

    def _spec(self, task: Task, home: Path, copy: WorkingCopy) -> dict:
        roots = self.case.roots
        texts = self._texts(task)
        hooks = [{**one, **_moved(one, copy, texts)} for one in self._hooks(task)]
        return {
            "script": str(copy.inside(self.case.script)),
            "module": self.case.module,
            "args": [copy.text(given, roots) for given in self.case.args],
            "cwd": str(copy.inside(self.case.cwd.resolve())),
            "run": str(home / "run"),
            "copy": str(copy.home),
            "roots": [str(root) for root in roots],
            "hooks": hooks,
            "edited": [str(path) for path in texts],
            "seed": task.seed,
            "script_sets_seed": self.case.sets_seed,
        }

    def _environment(self, home: Path, copy: WorkingCopy) -> dict:
        given = dict(os.environ)
        path = given.get("PYTHONPATH")
        if path:
            given["PYTHONPATH"] = os.pathsep.join(copy.text(one, self.case.roots) for one in path.split(os.pathsep))
        # a script whose streams are no terminal may block-buffer; what it said before it failed is wanted
        given.update(PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1", TMPDIR=str(home / "tmp"))
        return given

    def _hooks(self, task: Task) -> list:
        made = [] if task.edited else [remedy.hook() for remedy in task.remedies]
        return [*(one for one in made if one is not None), *task.hooks]

    def _texts(self, task: Task) -> dict:
        """The files that are edited in the copy: by the remedies that have no hook, or by all."""
        project = Project(self.case)
        for remedy in task.remedies:
            if task.edited or remedy.hook() is None:
                remedy.edit(project)
        return {path: after for path, (_, after) in project.changed().items()}

    def _key(self, task: Task) -> str:
        texts = {str(path): text for path, text in self._texts(task).items()}
        source = self.case.script.read_text(encoding="utf-8", errors="replace")
        parts = [self._hooks(task), texts, task.seed, source, self.case.args]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]

    def _result_file(self, task: Task) -> Path:
        return self.folder / "runs" / f"{task.name[:80]}-{self._key(task)}.json"


def _moved(hook: dict, copy: WorkingCopy, texts: dict) -> dict:
    """File and line of a hook in the copy: what is edited there may have moved the line."""
    if "file" not in hook:
        return {}
    path = Path(hook["file"])
    edited = texts.get(path.resolve())
    line = line_after(path.read_text(encoding="utf-8"), edited, hook["line"]) if edited and "line" in hook else None
    return {"file": str(copy.inside(path)), **({"line": line} if line else {})}


def _result(task: Task, run: Path, status: Optional[int], seconds: float, log: bytes) -> dict:
    """What is kept of a run: its losses, thinned, and the metrics of its evaluations. Numbers that are not finite are None."""
    said = log.decode("utf-8", "replace").strip().splitlines()
    found = {
        "remedies": [one.id for one in task.remedies],
        "seed": task.seed,
        "edited": task.edited,
        "status": status,
        "seconds": round(seconds, 3),
        "said": [line[:400] for line in said[-3:]],
        "steps": [],
        "losses": [],
        "metrics": {},
    }
    try:
        folder = RunFolder(run)
    except RunFolderError:
        return found
    rows = folder.steps()
    steps, losses = rows["step"], rows["loss"]
    # a curve is thinned by averages over windows, so that the last ones stay comparable
    found["steps"], found["losses"] = _thinned(steps, losses / _factor(task))
    found["training_steps"] = int(folder.run.get("training_steps") or 0)
    for entry in folder.facts("evaluation").get("evaluations", []):
        for name, value in (entry.get("metrics") or {}).items():
            if isinstance(value, (int, float)):
                found["metrics"].setdefault(name, []).append([entry.get("step"), _finite(value)])
    if not found["metrics"]:
        printed = printed_metrics(found["said"])
        found["metrics"] = {name: [[found["training_steps"], value]] for name, value in printed.items()}
    return found


def printed_metrics(lines: list) -> dict:
    """``{name: value}`` of the metrics that a script prints at its end, such as ``accuracy on the test set: 91.2 %``: for
    evaluations that were not seen as such. The words between two numbers name the second; those of the training do not count.
    """
    found = {}
    for line in lines:
        end = 0
        for number in _NUMBER.finditer(line):
            words, end = line[end : number.start()], number.end()
            name = metric_in(" ".join(re.findall(r"[A-Za-z_]\w*", words)))
            if name is not None and not re.search("train|loss", words, re.IGNORECASE):
                found[name] = float(number[1]) / (100 if number[2] else 1)
    return found


def _factor(task: Task) -> float:
    return 1.0 if task.edited else math.prod(one.loss_factor for one in task.remedies)


def _thinned(steps, losses) -> tuple:
    width = max(1, -(-len(steps) // _POINTS))
    starts = range(0, len(steps), width)
    last = [int(steps[min(at + width, len(steps)) - 1]) for at in starts]
    return last, [_finite(losses[at : at + width].mean()) for at in starts]


def _finite(value) -> Optional[float]:
    value = float(value)
    return value if abs(value) < float("inf") else None
