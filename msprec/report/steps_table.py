"""The rows of a run's ``steps.csv`` as arrays, for the figures."""

import csv
from pathlib import Path

import numpy as np


def read_steps(run_dir: Path) -> dict:
    """Columns of rank 0's ``steps.csv`` as float arrays (steps,); what is missing or torn is NaN; {} when there is no file."""
    file = Path(run_dir) / "rank_0" / "steps.csv"
    if not file.is_file():
        return {}
    columns = {}
    with open(file, encoding="utf-8", errors="replace", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for name in ("step", "loss", "overflow", "scale", "lr"):
        columns[name] = np.array([_float(row.get(name)) for row in rows])
    return columns if rows else {}


def _float(text) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("nan")
