"""A million recorded steps: size on disk, time to read into pandas, and time to record, beside plain CSV.

    python benchmarks/recorder.py
    python benchmarks/recorder.py --rows 100000

The limits are the project's own: 200 MB on disk for a million steps, 5 s to read them. Reading is told as a ratio to
``pandas.read_csv`` of the same file, recording as a ratio to ``csv.writer`` of the same values.
"""

import argparse
import csv
import math
import tempfile
import time
from pathlib import Path

import pandas as pd

from msprec.record.reader import RunFolder
from msprec.record.step_recorder import COLUMNS, StepRecorder
from msprec.record.writer import RunWriter

MEGABYTES, SECONDS = 200.0, 5.0


def values(step: int) -> dict:
    """A row as a training with a dynamic loss scale gives it: floats with all their digits."""
    return {
        "epoch": step // 1000 + 1,
        "loss": 2.0 + math.sin(step) / 3,
        "overflow": step % 500 == 0,
        "scale": 65536.0,
        "next_scale": 65536.0,
        "lr": 0.1 * math.cos(step * 1e-6),
        "seconds": 0.02 + 1e-4 * math.sin(step),
        "data_seconds": 1e-3 / 3,
        "batch": 256,
        "callback_seconds": 1e-5 / 3,
    }


def recorded(folder: Path, rows: int) -> float:
    """Records; returns seconds."""
    recorder, began = StepRecorder(RunWriter(folder)), time.perf_counter()
    for step in range(1, rows + 1):
        recorder.put(step, **values(step))
        recorder.end(step)
    recorder.close()
    return time.perf_counter() - began


def plainly(path: Path, rows: int) -> float:
    """Writes the same with ``csv.writer``; returns seconds."""
    began = time.perf_counter()
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for step in range(1, rows + 1):
            row = {"step": step, **values(step)}
            writer.writerow([row[name] for name in COLUMNS])
    return time.perf_counter() - began


def timed(function) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    share = rows / 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        run, plain = Path(scratch) / "run", Path(scratch) / "plain.csv"
        writing = recorded(run, rows) / plainly(plain, rows)
        file = run / "rank_0" / "steps.csv"
        size = file.stat().st_size / 1e6
        reading = timed(lambda: pd.read_csv(file))
        own = timed(lambda: RunFolder(run).steps(0)["loss"])
        print(f"{rows} rows: {size / (MEGABYTES * share):.2f} of the {MEGABYTES * share:.0f} MB allowed")
        print(f"pandas.read_csv: {reading / (SECONDS * share):.2f} of the {SECONDS * share:.1f} s allowed")
        print(f"the project's own reader, one column: {own / reading:.2f} times pandas.read_csv")
        print(f"recording: {writing:.2f} times csv.writer")


if __name__ == "__main__":
    main()
