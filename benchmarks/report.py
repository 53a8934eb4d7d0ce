"""CPU seconds and bytes of the Word report of a run, plotting counted apart.

    python benchmarks/report.py RUN…
    python benchmarks/report.py            # runs the three examples first

For each run and language: seconds to conclude, to draw the figures (the import of matplotlib among them), and to write the
document without them; and its size. The limits are the project's own: 3 s of CPU for concluding and writing a report of 24
items, 5 MB. The best of three counts, for other programs disturb the caches.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from msprec.engine import conclude
from msprec.report import word

SECONDS, BYTES = 3.0, 5_000_000
EXAMPLES = Path(__file__).parents[1] / "examples"


class Clock:
    """Wraps a function and adds up the CPU seconds spent in it."""

    def __init__(self, function) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *args, **kwargs):
        began = time.process_time()
        try:
            return self.function(*args, **kwargs)
        finally:
            self.seconds += time.process_time() - began


def measured(run: Path, lang: str, target: Path) -> tuple:
    """(seconds concluding, seconds writing without drawing, seconds drawing, bytes)"""
    began = time.process_time()
    checklist = conclude(run, lang)
    concluded = time.process_time() - began
    draw, word.draw = word.draw, Clock(word.draw)
    try:
        began = time.process_time()
        word.write_word(checklist, target, run, lang)
        written = time.process_time() - began
        drawing = word.draw.seconds
    finally:
        word.draw = draw
    return concluded, written - drawing, drawing, target.stat().st_size


def examples(folder: Path):
    """The run folders of the three examples, made now."""
    for script in sorted(EXAMPLES.glob("*/train.py")):
        run = folder / script.parent.name
        command = [sys.executable, "-m", "msprec", "run", "--out", str(run), str(script)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        yield run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = parser.parse_args().runs or list(examples(Path(folder)))
        for run in runs:
            for lang in ("zh", "en"):
                results = [measured(run, lang, Path(folder) / "report.docx") for _ in range(3)]
                concluding, writing, _, size = map(min, zip(*results))
                drawing = results[0][2]
                ok = concluding + writing <= SECONDS and size <= BYTES
                bad += not ok
                print(
                    f"{run.name:<16} {lang}  concluding {concluding:5.2f} s  writing {writing:5.2f} s  "
                    f"(drawing {drawing:5.2f} s)  {size / 1e6:5.2f} MB  {'ok' if ok else 'TOO MUCH'}"
                )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
