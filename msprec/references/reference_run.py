"""A run of the benchmark as facts (``--reference-run``): its losses, and of a run folder what two runs can be compared by."""

import contextlib
import csv
import math
from pathlib import Path
from typing import Any, Optional

import numpy as np

from msprec.compare.errors import CannotRead
from msprec.compare.losses.files import Losses, read_losses
from msprec.record.reader import RunFolder, RunFolderError
from msprec.references.errors import BadReference

#: Of a long course the first steps are kept, and of the rest so many that there are no more than the second number.
FIRST, MOST = 2000, 10_000
_PARAMETERS, _FILES, _COLUMNS, _PIPELINE = 5000, 20_000, 32, 64
_STEP, _RATE = ("step", "global_step", "iteration", "iter", "cur_step"), ("lr", "learning_rate", "rate")
_SPREAD = ("min", "max", "mean", "std", "zeros", "constant", "nonfinite")
_OF_PARAMETER = ("name", "path", "shape", "dtype", "size", "kind", "requires_grad", "in_optimizer", "cell_class")
_OF_COLUMN = ("name", "dtype", "kind", "shape", "varying_shape", "elements", "min", "max", "mean", "std", "channels")
_OF_SET = ("role", "shuffle", "batch_size", "samples_per_pass", "passes", "repeat", "scanned", "label", "sharding")
_OF_RUN = ("script", "started", "training_steps", "rank_size", "device_target", "mode", "versions", "seeds")
_OF_LOAD = ("function", "file", "md5", "parameters", "loaded", "optimizer", "network", "step")


def read_run(path: str) -> dict:
    """The facts ``reference_run`` of a run folder, a CSV file, TensorBoard events or a log (see record/SCHEMA.md).

    Raises BadReference: it cannot be read, or there is no loss in it.
    """
    if not Path(path).exists():
        raise BadReference(f"{path}: there is no such run folder or file")
    try:
        losses = read_losses(path)
    except CannotRead as error:
        raise BadReference(_without_options(str(error), path)) from None
    folder = _run_folder(Path(path))
    at = _kept(len(losses.steps))
    facts = {
        "source": str(path),
        "name": losses.name,
        "kind": "losses" if folder is None else "run",
        "numbered": losses.numbered,
        "notes": list(losses.notes),
        "recorded": len(losses.steps),
        "course": _course(losses, at, folder, Path(path)),
    }
    return facts if folder is None else {**facts, **_of_folder(folder)}


def _without_options(message: str, path: str) -> str:
    """The line for the user, without the options of `msprec compare losses`."""
    if "--" not in message:
        return message
    return (
        f"{path}: no course of the loss found; give a run folder, a CSV with the columns step and loss, TensorBoard "
        "events with one loss, or a log (`msprec compare losses … --csv` makes a CSV of others)"
    )


def _run_folder(path: Path) -> Optional[RunFolder]:
    if not path.is_dir() or not ((path / "run.json").is_file() or any(path.glob("rank_*/steps.csv"))):
        return None
    try:
        return RunFolder(path)
    except RunFolderError as error:
        raise BadReference(str(error)) from None


def _kept(count: int) -> np.ndarray:
    """The positions of a course that are kept."""
    if count <= MOST:
        return np.arange(count)
    rest = np.linspace(FIRST, count - 1, MOST - FIRST).astype(int)
    return np.unique(np.concatenate([np.arange(FIRST), rest]))


def _course(losses: Losses, at: np.ndarray, folder: Optional[RunFolder], path: Path) -> dict:
    steps = [int(step) for step in losses.steps[at]]
    course = {"step": steps, "loss": [plain_number(value) for value in losses.values[at]]}
    if losses.rounding.any():
        course["rounding"] = [plain_number(value) for value in losses.rounding[at]]
    if folder is not None:
        recorded = folder.steps(0)
        for name in ("lr", "scale"):
            if name in recorded:
                known = dict(zip(recorded["step"].tolist(), recorded[name].tolist()))
                course[name] = [_or_none(known.get(float(step))) for step in steps]
    elif losses.numbered and path.suffix.lower() in (".csv", ".tsv"):
        rates = _rates(path)
        if rates:
            course["lr"] = [_or_none(rates.get(step)) for step in steps]
    return course


def _rates(path: Path) -> dict:
    """The learning rate by step, where a CSV has a column of it."""
    text = path.read_bytes().decode("utf-8-sig", "replace").replace("\0", "")
    lines = text.splitlines()
    try:
        rows = list(csv.reader(lines, delimiter=max(",;\t", key=lines[0].count)))
    except csv.Error:
        return {}
    head = [cell.strip().lower() for cell in rows[0]]
    step, rate = (next((head.index(name) for name in names if name in head), None) for names in (_STEP, _RATE))
    found = {}
    for row in rows[1:] if None not in (step, rate) else []:
        with contextlib.suppress(ValueError, IndexError, OverflowError):
            found[int(float(row[step]))] = float(row[rate])
    return found


def _or_none(value: Optional[float]) -> Any:
    return None if value is None or value != value else plain_number(value)


def plain_number(value: float) -> Any:
    """A number as strict JSON holds it."""
    value = float(value)
    return value if math.isfinite(value) else "nan" if value != value else "inf" if value > 0 else "-inf"


def _of_folder(folder: RunFolder) -> dict:
    facts = {
        "run": {key: folder.run[key] for key in _OF_RUN if key in folder.run},
        "batch": _usual_batch(folder),
        "datasets": [_of_set(one) for one in _listed(folder, "datasets", "datasets") if one.get("role") == "train"],
        "optimizers": _listed(folder, "optimizer", "optimizers"),
        "train_steps": _listed(folder, "train_step", "steps"),
        "losses": _listed(folder, "loss", "losses"),
        "parameters": [_of_parameter(one) for one in _listed(folder, "parameters", "parameters")[:_PARAMETERS]],
        "loads": [_picked(one, _OF_LOAD) for one in _listed(folder, "weights_loaded", "loads")],
        "files": _listed(folder, "data_files", "files")[:_FILES],
        "half_compute": folder.facts("precision").get("half_compute"),
    }
    return {key: value for key, value in facts.items() if value not in (None, [])}


def _listed(folder: RunFolder, name: str, key: str) -> list:
    found = folder.facts(name).get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _picked(entry: Any, keys: tuple) -> dict:
    return {key: entry[key] for key in keys if key in entry} if isinstance(entry, dict) else {}


def _of_parameter(entry: dict) -> dict:
    return {**_picked(entry, _OF_PARAMETER), "initial": _picked(entry.get("initial"), _SPREAD)}


def _of_set(entry: dict) -> dict:
    columns, pipeline = entry.get("columns"), entry.get("pipeline")
    order = entry.get("order") if isinstance(entry.get("order"), dict) else {}
    passes = order.get("passes") if isinstance(order.get("passes"), list) else []
    return {
        **_picked(entry, _OF_SET),
        "pipeline": pipeline[:_PIPELINE] if isinstance(pipeline, list) else [],
        "columns": [_picked(c, _OF_COLUMN) for c in columns[:_COLUMNS]] if isinstance(columns, list) else [],
        "order": {"passes": [_picked(one, ("pass", "samples", "complete", "first_keys")) for one in passes[:1]]},
    }


def _usual_batch(folder: RunFolder) -> Optional[int]:
    """The median number of samples in a step."""
    seen = folder.steps(0).observed("batch")
    usual = np.sort(seen[np.isfinite(seen) & (seen >= 1) & (seen < 1e12)])
    return int(usual[len(usual) // 2]) if len(usual) else None
