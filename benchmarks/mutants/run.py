"""The benchmark of mutants: does msprec find faults that do harm, name their line, and leave sound trainings alone?

    python benchmarks/mutants/run.py --smoke
    python benchmarks/mutants/run.py --only regression,image_classes --seeds 3
    python benchmarks/mutants/run.py --msprec /path/to/venv/bin/msprec --label before

README.md beside this file says what is measured. Finished parts are kept in the work folder: started again, it goes on.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from catalogue import KINDS, Kind, mutants_of
from judge import Judged, judge, totals
from measure import Concluded, Harm, Runner, Trained, harm, write_json
from operators import Mutant
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from source import Program

SMOKE = ["graph_network/output_softmax"]


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--msprec", default=str(Path(sys.executable).with_name("msprec")), help="the command to measure"
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the trainings without msprec")
    parser.add_argument("--work", type=Path, default=Path("mutants_work"), help="folder of mutants, caches and results")
    parser.add_argument("--label", default="now", help="name of this measurement; its conclusions are kept apart")
    parser.add_argument("--only", default="", help="programs, operators or program/operator, with commas between")
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each mutant; the original has two more")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--nice", type=int, default=5, help="niceness of all processes")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one process")
    parser.add_argument("--no-harm", action="store_true", help="only msprec; every mutant counts as harmful")
    parser.add_argument("--no-msprec", action="store_true", help="only the trainings over seeds")
    parser.add_argument("--kept", action="store_true", help="start nothing: show all that was measured before")
    parser.add_argument("--again", action="store_true", help="run msprec anew where its conclusions are kept")
    parser.add_argument("--list", action="store_true", help="list the mutants and end")
    parser.add_argument("--smoke", action="store_true", help="one program, one mutant, two seeds: under a minute")
    return parser.parse_args(arguments)


class Benchmark:
    """The chosen programs and mutants, and what was measured of them."""

    def __init__(self, args: argparse.Namespace, console: Console) -> None:
        self.args, self.console = args, console
        wanted = SMOKE if args.smoke else [part for part in args.only.split(",") if part]
        mutants = {kind: [one for one in mutants_of(kind) if chosen(one, wanted)] for kind in KINDS}
        self.texts = {kind: Program(kind.folder).texts for kind in mutants}
        self.runner = Runner(args.python, args.msprec, args.work / "trainings.json", args.nice, args.timeout)
        self.out = args.work.resolve() / args.label
        if args.kept:
            mutants = {kind: self._kept(kind, found) for kind, found in mutants.items()}
        self.mutants = {kind: found for kind, found in mutants.items() if found}

    def _kept(self, kind: Kind, mutants: list[Mutant]) -> list[Mutant]:
        """The mutants of which everything was measured before."""
        harm_asked = not self.args.no_harm
        seeds, more = (self._seeds(), self._seeds(2)) if harm_asked else ((), ())
        if not self.runner.kept(self.texts[kind], self.out / kind.name / "original", more):
            return []
        return [one for one in mutants if self.runner.kept(one.texts, self.out / kind.name / one.operator, seeds)]

    def run(self) -> None:
        """All programs in turn; results are written and shown after each."""
        judged: list[Judged] = []
        originals: dict[str, tuple[list[Trained], Concluded | None]] = {}
        with self._progress() as progress, ThreadPoolExecutor(self.args.jobs) as pool:
            task = progress.add_task("", total=sum(len(found) + 1 for found in self.mutants.values()))

            def advance(name: str) -> None:
                progress.update(task, advance=1, description=name)

            for kind, mutants in self.mutants.items():
                originals[kind.name] = self._original(kind)
                advance(kind.name)
                for one in pool.map(lambda mutant, kind=kind: self._mutant(kind, mutant, originals), mutants):
                    judged += [one] if one is not None else []
                    advance(kind.name)
                self._write(originals, judged)
        self._show(originals, judged)

    def _progress(self) -> Progress:
        columns = TextColumn("{task.description:20}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        return Progress(*columns, console=self.console)

    def _seeds(self, more: int = 0) -> range:
        return range(1, (2 if self.args.smoke else self.args.seeds + more) + 1)

    def _original(self, kind: Kind) -> tuple[list[Trained], Concluded | None]:
        seeds = () if self.args.no_harm else self._seeds(2)
        trained = [self.runner.trained(kind, self.texts[kind], seed) for seed in seeds]
        return trained, self._concluded(kind, self.texts[kind], "original")

    def _mutant(self, kind: Kind, mutant: Mutant, originals: dict) -> Judged | None:
        trained, original = originals[kind.name]
        measured: Harm | None = None
        if not self.args.no_harm:
            runs = [self.runner.trained(kind, mutant.texts, seed) for seed in self._seeds()]
            measured = harm(kind, trained, runs)
        concluded = self._concluded(kind, mutant.texts, mutant.operator)
        return judge(mutant, measured, concluded, original) if concluded is not None else None

    def _concluded(self, kind: Kind, texts: dict[str, str], name: str) -> Concluded | None:
        if self.args.no_msprec:
            return None
        return self.runner.concluded(kind, texts, self.out / kind.name / name, 1, self.args.again)

    def _write(self, originals: dict, judged: list[Judged]) -> None:
        write_json(self.args.work / f"{self.args.label}.json", as_json(self.args, originals, judged))

    def _show(self, originals: dict, judged: list[Judged]) -> None:
        if self.args.no_msprec:
            return
        for table in (summary(originals, judged), missed(judged), accused(originals, judged)):
            self.console.print(table)
        self.console.print(f"Results: {self.args.work / self.args.label}.json")


def chosen(mutant: Mutant, wanted: list[str]) -> bool:
    """Whether a mutant is asked for by its program, its operator or both."""
    return not wanted or any(part in (mutant.program, mutant.operator, mutant.name) for part in wanted)


def as_json(args: argparse.Namespace, originals: dict, judged: list[Judged]) -> dict:
    """All that was measured."""
    return {
        "label": args.label,
        "measured": datetime.now().isoformat(timespec="seconds"),
        "seeds": args.seeds,
        "totals": totals(judged),
        "originals": [
            {
                "program": name,
                "results": [run.value for run in trained],
                "seconds": [run.seconds for run in trained],
                "msprec_result": concluded.value if concluded else None,
                "msprec_seconds": concluded.seconds if concluded else None,
                "status": concluded.status if concluded else None,
                "problems": [asdict(problem) for problem in concluded.problems] if concluded else [],
                "undecided": undecided(concluded) if concluded else [],
            }
            for name, (trained, concluded) in originals.items()
        ],
        "mutants": [_judged(one) for one in judged],
    }


def _judged(one: Judged) -> dict:
    harm_values = {} if one.harm is None else asdict(one.harm)
    return {
        "mutant": one.mutant.name,
        "description": one.mutant.description,
        "expected": one.mutant.items,
        "conclusions": {item: one.concluded.items.get(item) for item in one.mutant.items},
        "places": one.mutant.places,
        "harm": {key: finite(value) for key, value in harm_values.items()},
        "found": one.found,
        "localised": one.localised,
        "at_use": one.at_use,
        "false": [asdict(problem) for problem in one.false],
        "problems": [asdict(problem) for problem in one.concluded.problems],
        "other": [asdict(problem) for problem in one.other],
        "msprec_result": one.concluded.value,
        "msprec_seconds": one.concluded.seconds,
        "status": one.concluded.status,
    }


def finite(value: object) -> object:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def undecided(concluded: Concluded) -> list[str]:
    """The items without a conclusion."""
    return [item for item, conclusion in concluded.items.items() if conclusion == "undecided"]


def summary(originals: dict, judged: list[Judged]) -> Table:
    """A row a program, and the sum."""
    table = Table("program", "result", "false on it", "harmful", "found", "localised", "at use", "harmless, accused",
                  "unclear", "other problems", "bare s", "msprec s", title="Mutants")  # fmt: skip
    for name, (trained, concluded) in originals.items():
        mine = [one for one in judged if one.mutant.program == name]
        values = [run.value for run in trained if run.value is not None]
        result = f"{min(values):.3f} to {max(values):.3f}" if values else ""
        bare = sum(run.seconds for run in trained) / len(trained) if trained else 0
        false = ", ".join(problem.item for problem in concluded.problems)
        table.add_row(name, result, false, *_counts(mine), f"{bare:.1f}", f"{concluded.seconds:.1f}")
    table.add_section()
    false = sum(bool(concluded.problems) for _, concluded in originals.values())
    table.add_row("all", "", f"{false} of {len(originals)}", *_counts(judged), "", "")
    return table


def _counts(judged: list[Judged]) -> Iterable[str]:
    count = totals(judged)
    inside = count["harmful inside the items"]
    beyond = f" (+{count['beyond']} beyond)" if count["beyond"] else ""
    yield f"{inside}{beyond}"
    for key in ("found", "localised", "localised at the place or at its use"):
        yield f"{count[key]}/{inside}"
    yield f"{count['harmless, accused']}/{count['harmless']}"
    yield str(count["unclear"])
    yield str(sum(len(one.other) for one in judged))


def missed(judged: list[Judged]) -> Table:
    """The harmful mutants that were not found, with what the expected items said."""
    table = Table("mutant", "expected", "said", "result", "description", title="Harmful and not found")
    for one in judged:
        if not one.found and (one.harm is None or one.harm.verdict == "harmful"):
            said = ", ".join(one.concluded.items.get(item, "no such item") for item in one.mutant.items)
            table.add_row(one.mutant.name, ", ".join(one.mutant.items), said, _change(one.harm), one.mutant.description)
    return table


def _change(measured: Harm | None) -> str:
    return "" if measured is None else f"{measured.original:.3f} to {measured.mutant:.3f}"


def accused(originals: dict, judged: list[Judged]) -> Table:
    """Problems to look at: on originals, on harmless mutants, and beside the fault of a mutant."""
    table = Table("program", "where", "item", "locations", "summary", title="Problems to audit", show_lines=False)
    for name, (_, concluded) in originals.items():
        for problem in concluded.problems:
            table.add_row(name, "original", *_problem(problem))
    for one in judged:
        for problem in one.false:
            table.add_row(one.mutant.name, "harmless", *_problem(problem))
        for problem in one.other:
            if problem not in one.false:
                table.add_row(one.mutant.name, "beside", *_problem(problem))
    return table


def _problem(problem) -> tuple[str, str, str]:
    places = ", ".join(f"{file}:{line}" for file, line in problem.locations[:3])
    return problem.item, places, problem.summary[:160].replace("[", r"\[")


def main() -> None:
    """Measure and show."""
    args = parsed()
    console = Console(width=None if sys.stdout.isatty() else 170)
    benchmark = Benchmark(args, console)
    if args.list:
        for mutants in benchmark.mutants.values():
            for one in mutants:
                print(
                    f"{one.name:45} {','.join(one.items):12} {one.places[0][0]}:{one.places[0][1]}  {one.description}"
                )
        return
    benchmark.run()


if __name__ == "__main__":
    main()
