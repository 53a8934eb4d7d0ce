"""Running a script several times under ``msprec run``: whether its losses repeat bit by bit, and what is random if not."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from msprec.record.reader import RunFolder, RunFolderError

_RANDOM_CELLS = ("Dropout", "AlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout")
_STATS = ("min", "max", "mean", "std", "zeros")


class Source(NamedTuple):
    """A random source that is not fixed.

    Attributes:
        kind: "weights", "order", "values" (of the data), "dropout", "kernels", or "length" (another number of steps).
        what: Names, to show.
        places: ``file:line`` of them.
    """

    kind: str
    what: tuple = ()
    places: tuple = ()


class Repeated(NamedTuple):
    """What came of it.

    Attributes:
        runs: The run folders.
        steps: Steps that all runs have.
        differs: The first step whose loss differs; None: all are the same.
        relative: By how much, relative to the first run's loss.
        sources: What is not fixed.
        seeds: The seeds that the script sets.
        workers: Parts of its data pipelines that run in several workers.
        statuses: Exit statuses.
    """

    runs: list
    steps: int
    differs: Optional[int]
    relative: float
    sources: list
    seeds: tuple
    workers: tuple
    statuses: list


def run_repeatedly(
    script: str, args: list, folder: Path, times: int, options: tuple = (), first: tuple = ()
) -> Repeated:
    """Runs the script ``times`` times, one after the other, each in a process of its own, and compares the runs.

    What the first prints goes where it would go; that of the others into ``run_N.log`` beside their folders.

    Args:
        script, args: The script and its arguments.
        folder: Gets ``run_1``, ``run_2``, ….
        times: At least 2.
        options: Further options of ``msprec run``.
        first: Those of the first run alone.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs, statuses = [], []
    for number in range(1, times + 1):
        run = folder / f"run_{number}"
        given = (*options, *first) if number == 1 else options
        command = [sys.executable, "-m", "msprec", "run", "--out", str(run), *given, script, *args]
        if number == 1:
            statuses.append(subprocess.run(command, check=False).returncode)
        else:
            with open(folder / f"run_{number}.log", "wb") as log:
                done = subprocess.run(
                    command, check=False, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
                )
                statuses.append(done.returncode)
        runs.append(run)
    return compare_runs(runs, statuses)


def compare_runs(runs: list, statuses: Optional[list] = None) -> Repeated:
    """Compares run folders of one script, the first with each other.

    Args:
        runs: Paths.
        statuses: The exit status of each, where it was started here.

    Raises:
        RunFolderError: One is none.
    """
    folders = [RunFolder(run) for run in runs]
    differs, relative, steps = _first_difference(folders)
    sources = []
    lengths = {len(folder.steps()) for folder in folders}
    if len(lengths) > 1:
        sources.append(Source("length", tuple(map(str, sorted(lengths)))))
    if differs is not None:
        for other in folders[1:]:
            sources += [s for s in _sources(folders[0], other) if s.kind not in {known.kind for known in sources}]
        if not {"weights", "order", "values"} & {source.kind for source in sources}:
            sources.append(_inside(folders[0]))
    return Repeated(
        list(runs), steps, differs, relative, sources, _seeds(folders[0]), _workers(folders[0]), statuses or []
    )


def _first_difference(folders: list) -> tuple:
    """``(step, relative difference, common steps)``: the first step whose loss is not the same number in every run."""
    columns = [(folder.steps()["step"], folder.steps()["loss"]) for folder in folders if len(folder.steps())]
    if len(columns) < len(folders):
        raise RunFolderError(f"{folders[0].path.parent}: a run has recorded no training step")
    count = min(len(steps) for steps, _ in columns)
    first = columns[0][1][:count]
    earliest, relative = None, 0.0
    for _, loss in columns[1:]:
        same = (loss[:count] == first) | (np.isnan(loss[:count]) & np.isnan(first))
        if not same.all():
            at = int(np.argmin(same))
            if earliest is None or at < earliest:
                earliest = at
                relative = abs(loss[at] - first[at]) / max(abs(first[at]), 1e-30)
    return (None if earliest is None else int(columns[0][0][earliest])), float(relative), count


def _sources(one: RunFolder, other: RunFolder) -> list:
    found = []
    weights = _weights(one, other)
    if weights is not None:
        found.append(weights)
    data = _data(one, other)
    return found + ([data] if data is not None else [])


def _weights(one: RunFolder, other: RunFolder) -> Optional[Source]:
    """Parameters whose initial values differ."""
    theirs = {p.get("name"): p for p in other.facts("parameters").get("parameters", ())}
    names, places = [], []
    for parameter in one.facts("parameters").get("parameters", ()):
        initial, again = parameter.get("initial"), (theirs.get(parameter.get("name")) or {}).get("initial")
        if initial and again and any(initial.get(key) != again.get(key) for key in _STATS):
            names.append(parameter["name"])
            places += _place(parameter.get("created"))
    return Source("weights", tuple(names), tuple(dict.fromkeys(places))) if names else None


def _data(one: RunFolder, other: RunFolder) -> Optional[Source]:
    """A training data set whose first samples differ in some pass."""
    pairs = zip(_training(one), _training(other))
    for a, b in pairs:
        if [p.get("first_keys") for p in _passes(a)] == [p.get("first_keys") for p in _passes(b)]:
            continue
        what = [*((a.get("shuffle") or {}).get("means") or ())]
        places = [place for step in a.get("pipeline") or () for place in _place(step.get("place"))]
        operations = [
            str(o) for step in a.get("pipeline") or () for o in (step.get("args") or {}).get("operations") or ()
        ]
        same = _columns(a) == _columns(b)
        return Source(
            "order" if same else "values", tuple(what if same else operations or what), tuple(dict.fromkeys(places))
        )
    return None


def _training(folder: RunFolder) -> list:
    return [d for d in folder.facts("datasets").get("datasets", ()) if d.get("role") == "train"]


def _passes(dataset: dict) -> list:
    return (dataset.get("order") or {}).get("passes") or []


def _columns(dataset: dict) -> list:
    """What the columns hold, whatever the order: sums in another order differ in their last digits."""
    return [
        (c.get("name"), c.get("elements"), c.get("min"), c.get("max"), c.get("nan"), _rounded(c.get("mean")))
        for c in dataset.get("columns") or ()
    ]


def _rounded(value):
    return float(f"{value:.6g}") if isinstance(value, (int, float)) else value


def _inside(folder: RunFolder) -> Source:
    """Weights and data are the same: what draws at random in the network, else the kernels."""
    cells = [
        cell
        for network in folder.facts("network").get("networks", ())
        if network.get("role") == "train"
        for cell in network.get("cells") or ()
    ]
    drawing = [c for c in cells if c.get("class") in _RANDOM_CELLS and c.get("mode_dependent")]
    if drawing:
        places = [place for cell in drawing for place in _place(cell.get("created"))]
        return Source("dropout", tuple(c.get("path") or c["class"] for c in drawing), tuple(dict.fromkeys(places)))
    return Source("kernels")


def _place(place: Optional[dict]) -> list:
    return [f"{place['file']}:{place['line']}"] if place and place.get("file") else []


def _seeds(folder: RunFolder) -> tuple:
    return tuple(f"{seed.get('function')}({seed.get('value')})" for seed in folder.run.get("seeds") or ())


def _workers(folder: RunFolder) -> tuple:
    found = []
    for dataset in _training(folder):
        for step in dataset.get("pipeline") or ():
            workers = (step.get("args") or {}).get("num_parallel_workers")
            if isinstance(workers, int) and workers > 1:
                found.append(f"{step.get('op')}(num_parallel_workers={workers})")
    return tuple(dict.fromkeys(found))


def exit_status(statuses: list) -> int:
    """The script's own: the first that is not 0."""
    return next((status for status in statuses if status), os.EX_OK if hasattr(os, "EX_OK") else 0)
