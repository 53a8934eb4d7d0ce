"""One experiment from the plan to the facts, the plot and the patch, with its progress on the terminal."""

import contextlib
import json
import sys
from typing import Optional

from msprec.experiment import present
from msprec.experiment.patch import offer_patch
from msprec.experiment.plan import Plan
from msprec.experiment.runner import Runner
from msprec.experiment.trials import Trials
from msprec.experiment.what_if import what_if


def experiment(plan: Plan, budget: Optional[float], jobs: int, lang: str, console, machine=None) -> dict:
    """Carries out a plan, ``jobs`` runs at a time on a ``machine`` (see `Runner`), and writes ``facts/remedies.json``,
    ``remedies/effects.png`` and ``remedy.patch`` into the run folder.

    Raises:
        BaselineFailed: The script fails without any remedy.
        OSError: A copy cannot be made, or the run folder not be written.
    """
    with _progress(plan, console) as told:
        runner = Runner(plan.case, jobs, told, machine)
        trials = Trials(plan, runner, budget)
        facts = trials.carry_out()
        used = tuple(one for one in plan.remedies if facts["together"] and one.id in facts["together"]["ids"])
        if used and not facts["budget_spent"]:
            facts["patch"] = offer_patch(plan.case, runner, used, trials.score)
        else:
            (plan.case.run / "remedy.patch").unlink(missing_ok=True)
    _write(plan, "remedies", facts)
    (plan.case.run / "remedies").mkdir(exist_ok=True)
    png = present.plot(facts, lang)
    if png:
        (plan.case.run / "remedies" / "effects.png").write_bytes(png)
    return facts


def try_settings(plan: Plan, budget: Optional[float], jobs: int, lang: str, console, machine=None) -> dict:
    """Carries out a plan of settings and writes ``facts/what_if.json``; raises as `experiment` does."""
    with _progress(plan, console) as told:
        facts = what_if(plan, Runner(plan.case, jobs, told, machine), budget)
    _write(plan, "what_if", facts)
    return facts


@contextlib.contextmanager
def _progress(plan: Plan, console):
    """Gives a function that a `Runner` tells its tasks and results; a bar on a terminal, lines elsewhere."""
    from rich.progress import Progress

    fewest, _ = plan.runs()
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("", total=fewest)

        def told(task, result) -> None:
            progress.update(bar, description=task.name, advance=0 if result is None else 1)
            if result is not None:
                progress.console.print(_line(task, result), soft_wrap=True, markup=False)

        yield told


def _line(task, result: dict) -> str:
    metrics = ", ".join(f"{name} {series[-1][1]}" for name, series in result["metrics"].items())
    loss = result["losses"][-1] if result["losses"] else None
    return f"msprec: {task.name}: {result['seconds']:.1f} s, loss {loss}{', ' + metrics if metrics else ''}"


def _write(plan: Plan, name: str, facts: dict) -> None:
    folder = plan.case.run / "facts"
    folder.mkdir(exist_ok=True)
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
