"""One experiment from the plan to the facts, the plot and the patch, with its progress on the terminal."""

import json
import sys
from typing import Optional

from msprec.experiment import present
from msprec.experiment.patch import offer_patch
from msprec.experiment.plan import Plan
from msprec.experiment.runner import Runner
from msprec.experiment.trials import Trials


def experiment(plan: Plan, budget: Optional[float], jobs: int, lang: str, console) -> dict:
    """Carries out a plan and writes ``facts/remedies.json``, ``remedies/effects.png`` and ``remedy.patch`` into the run folder.

    Raises:
        BaselineFailed: The script fails without any remedy.
        OSError: A copy cannot be made, or the run folder not be written.
    """
    from rich.progress import Progress

    fewest, _ = plan.runs()
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("", total=fewest)

        def told(task, result) -> None:
            progress.update(bar, description=task.name, advance=0 if result is None else 1)
            if result is not None and not sys.stderr.isatty():
                console.print(_line(task, result), soft_wrap=True, markup=False)

        runner = Runner(plan.case, jobs, told)
        trials = Trials(plan, runner, budget)
        facts = trials.carry_out()
        used = tuple(one for one in plan.remedies if facts["together"] and one.id in facts["together"]["ids"])
        if used:
            facts["patch"] = offer_patch(plan.case, runner, used, trials.score)
        else:
            (plan.case.run / "remedy.patch").unlink(missing_ok=True)
    _write(plan, facts, lang)
    return facts


def _line(task, result: dict) -> str:
    metrics = ", ".join(f"{name} {series[-1][1]}" for name, series in result["metrics"].items())
    loss = result["losses"][-1] if result["losses"] else None
    return f"msprec: {task.name}: {result['seconds']:.1f} s, loss {loss}{', ' + metrics if metrics else ''}"


def _write(plan: Plan, facts: dict, lang: str) -> None:
    folder = plan.case.run / "facts"
    folder.mkdir(exist_ok=True)
    (folder / "remedies.json").write_text(
        json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8"
    )
    (plan.case.run / "remedies").mkdir(exist_ok=True)
    (plan.case.run / "remedies" / "effects.png").write_bytes(present.plot(facts, lang))
