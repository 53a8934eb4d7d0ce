"""Pairs of a sound and a faulty program: is the fault found, is its line named, is the sound program left alone?

    python benchmarks/faults/run.py --only quadratic_rate_too_low
    python benchmarks/faults/run.py --msprec /path/to/venv/bin/msprec --label before
    python benchmarks/faults/run.py --kept

README.md beside this file says what is measured. What is done is kept in the work folder: started again, it goes on.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from pairs import FAULT, PAIRS, faulty  # puts benchmarks/mutants on the path  # isort: skip

from catalogue import Kind
from judge import Judged, judge, totals
from measure import Concluded, Runner, write_json
from rich.console import Console
from rich.table import Table
from source import Program


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--msprec", default=str(Path(sys.executable).with_name("msprec")), help="the command to measure"
    )
    parser.add_argument("--work", type=Path, default=Path("faults_work"), help="folder of programs, runs and results")
    parser.add_argument("--label", default="now", help="name of this measurement; its conclusions are kept apart")
    parser.add_argument("--only", default="", help="pairs or items, with commas between")
    parser.add_argument("--nice", type=int, default=5, help="niceness of all processes")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one process")
    parser.add_argument("--kept", action="store_true", help="start nothing: show all that was measured before")
    parser.add_argument("--again", action="store_true", help="run msprec anew where its conclusions are kept")
    parser.add_argument("--list", action="store_true", help="list the pairs and end")
    return parser.parse_args()


class Benchmark:
    """The chosen pairs, below ``WORK/LABEL/PAIR``."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.out = args, args.work.resolve() / args.label
        self.runner = Runner(sys.executable, args.msprec, args.work / "trainings.json", args.nice, args.timeout)

    def chosen(self) -> list[Kind]:
        """The pairs asked for; with ``--kept`` those of which both programs were measured."""
        wanted = {part for part in self.args.only.split(",") if part}
        found = [kind for kind in PAIRS if not wanted or wanted & {kind.name, *faulty(kind).items}]
        return [kind for kind in found if not self.args.kept or self._kept(kind)]

    def _kept(self, kind: Kind) -> bool:
        texts = {"original": Program(kind.folder).texts, FAULT: faulty(kind).texts}
        return all(self.runner.kept(text, self.out / kind.name / name, ()) for name, text in texts.items())

    def pair(self, kind: Kind) -> tuple[Judged, Concluded]:
        """The judgement of the faulty program, and what was concluded of the sound one."""
        mutant = faulty(kind)
        sound = self._concluded(kind, "original", Program(kind.folder).texts)
        return judge(mutant, None, self._concluded(kind, FAULT, mutant.texts), sound), sound

    def _concluded(self, kind: Kind, name: str, texts: dict[str, str]) -> Concluded:
        return self.runner.concluded(kind, texts, self.out / kind.name / name, 1, self.args.again)


def table(rows: list[tuple[Judged, Concluded]]) -> Table:
    """A row a pair, and the sums."""
    made = Table("pair", "expected", "found", "at the line", "other problems", "problems on the sound", "s", "s faulty")
    for judged, sound in rows:
        made.add_row(
            judged.mutant.program,
            ", ".join(judged.mutant.items),
            "yes" if judged.found else "-",
            "yes" if judged.localised else "at its use" if judged.at_use else "-",
            ", ".join(problem.item for problem in judged.other),
            ", ".join(problem.item for problem in sound.problems),
            f"{sound.seconds:.0f}",
            f"{judged.concluded.seconds:.0f}",
        )
    made.add_section()
    judged = [one for one, _ in rows]
    count, accused = totals(judged), sum(bool(sound.problems) for _, sound in rows)
    inside, beyond = count["harmful inside the items"], count["beyond"]
    found = f"{count['found']}/{inside} (+{count['beyond, found']}/{beyond} beyond)"
    lines = f"{count['localised']}/{inside}, use {count['localised at the place or at its use']}"
    seconds = (sum(sound.seconds for _, sound in rows), sum(one.concluded.seconds for one in judged))
    others = str(sum(len(one.other) for one in judged))
    made.add_row("all", "", found, lines, others, f"{accused} of {len(rows)}", *(f"{one:.0f}" for one in seconds))
    return made


def as_json(args: argparse.Namespace, rows: list[tuple[Judged, Concluded]]) -> dict:
    """All that was measured."""
    return {
        "label": args.label,
        "measured": datetime.now().isoformat(timespec="seconds"),
        "totals": totals([judged for judged, _ in rows]),
        "pairs": [
            {
                "pair": judged.mutant.program,
                "expected": judged.mutant.items,
                "places": judged.mutant.places,
                "found": judged.found,
                "localised": judged.localised,
                "problems": [asdict(problem) for problem in judged.concluded.problems],
                "problems_of_the_sound": [asdict(problem) for problem in sound.problems],
                "status": [sound.status, judged.concluded.status],
                "seconds": [sound.seconds, judged.concluded.seconds],
            }
            for judged, sound in rows
        ],
    }


def main() -> None:
    """Measure and show."""
    args, console = parsed(), Console(width=None if sys.stdout.isatty() else 190)
    benchmark = Benchmark(args)
    if args.list:
        for kind in benchmark.chosen():
            one = faulty(kind)
            print(f"{kind.name:35} {','.join(one.items):18} train.py:{one.places[0][1]}  {one.description}")
        return
    rows = []
    for kind in benchmark.chosen():
        rows.append(benchmark.pair(kind))
        write_json(args.work / f"{args.label}.json", as_json(args, rows))
    console.print(table(rows))


if __name__ == "__main__":
    main()
