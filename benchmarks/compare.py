"""What comparing tensors costs: 200 pairs of 4 MB of float32, beside reading both sides and one pass of NumPy over them.

    python benchmarks/compare.py [--pairs 200] [--rounds 5]

TroubleShooter's ``compare_npy_dir`` is measured beside them where it is installed. Rounds alternate, so that a busy machine
slows all alike; medians are shown.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before NumPy is imported

import numpy as np


def make(folder: Path, pairs: int) -> None:
    """Two folders of ``pairs`` arrays of 2**20 float32, the second with a small difference."""
    rng = np.random.default_rng(0)
    for side in "ab":
        (folder / side).mkdir()
    for number in range(pairs):
        values = rng.standard_normal(1 << 20, dtype=np.float32)
        np.save(folder / "a" / f"{number}.npy", values)
        np.save(folder / "b" / f"{number}.npy", values + 1e-4 * rng.standard_normal(1 << 20, dtype=np.float32))


def by_numpy(folder: Path) -> None:
    """Reads each pair once and does the arithmetic of one comparison on it."""
    for file in sorted((folder / "a").iterdir()):
        a, b = np.load(file), np.load(folder / "b" / file.name)
        difference = np.abs(a - b)
        difference.max(), difference.mean(), np.dot(a, b), np.dot(a, a), np.dot(b, b)
        np.count_nonzero(difference <= 1e-3 + 1e-3 * np.abs(a))


def by_msprec(folder: Path) -> None:
    """What `msprec compare tensors` does, without its tables."""
    from msprec.compare.dumps.read_dump import read_dump
    from msprec.compare.tensors.compare import compare_dumps

    found = compare_dumps(read_dump(folder / "a"), read_dump(folder / "b"))
    assert all(row.verdict == "yes" for row in found.rows)


def by_command(folder: Path) -> None:
    """The command itself, with the start of Python."""
    command = [sys.executable, "-m", "msprec", "compare", "tensors", str(folder / "a"), str(folder / "b")]
    subprocess.run(command, check=True, capture_output=True)


def by_troubleshooter(folder: Path) -> None:
    """TroubleShooter's comparison of two folders."""
    import contextlib
    import io

    import troubleshooter

    with contextlib.redirect_stdout(io.StringIO()):
        troubleshooter.migrator.compare_npy_dir(str(folder / "a"), str(folder / "b"))


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    ways = {"NumPy, one pass": by_numpy, "msprec": by_msprec, "msprec, the command": by_command}
    try:
        import troubleshooter  # noqa: F401

        ways["TroubleShooter"] = by_troubleshooter
    except Exception as error:
        print(f"TroubleShooter is left out: {type(error).__name__}: {error}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        make(folder, asked.pairs)
        taken = {name: [] for name in ways}
        for _ in range(asked.rounds):
            for name, way in ways.items():
                begin = time.perf_counter()
                way(folder)
                taken[name].append(time.perf_counter() - begin)
    base = statistics.median(taken["NumPy, one pass"])
    print(f"{asked.pairs} pairs of 4 MB, {len(os.sched_getaffinity(0))} cores")
    for name, seconds in taken.items():
        middle = statistics.median(seconds)
        print(
            f"{name:22s} {middle:6.2f} s   {middle / base:5.2f} times   (from {min(seconds):.2f} to {max(seconds):.2f})"
        )
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
