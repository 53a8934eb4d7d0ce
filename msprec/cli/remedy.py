"""``msprec remedy``: what each suspect costs, by experiment, and a patch of what helped."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language, plain_console
from msprec.cli.mindspore_needed import require_mindspore, require_script
from msprec.cli.run_folder import CLAIM_OF_REMEDY, new_run_folder, own_folder

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--only", metavar="ID,ID", help="Try these remedies and no others, whatever was found.")
@click.option("--budget", metavar="10m", help="Begin no run that would not end within this time (s, m or h).")
@click.option("--yes", is_flag=True, help="Do not ask before the runs begin.")
@click.option("--dry-run", is_flag=True, help="Print the plan as JSON and run nothing.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Runs at a time.")
@click.option(
    "--what-if",
    metavar="SETTING,…",
    help="Try settings instead: precision, mode, jit, deterministic, fusion, workers, sink.",
)
@click.option("--out", metavar="DIR", help="The run folder to write where SCRIPT is given.")
@LANG
@click.argument("target", metavar="RUN|SCRIPT")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def remedy(
    only: Optional[str],
    budget: Optional[str],
    yes: bool,
    dry_run: bool,
    jobs: int,
    what_if: Optional[str],
    out: Optional[str],
    lang: Optional[str],
    target: str,
    args: tuple,
) -> None:
    """Try out what could be done about the problems of a run, and write a patch of what helped.

    RUN is the folder of an earlier `msprec run`; a SCRIPT is run first, with ARGS. Then the script runs again, several times
    with other seeds and with each remedy, in a copy of its folder: nothing of yours is changed. The effects go to the
    terminal and into RUN/facts/remedies.json, the plot to RUN/remedies/effects.png, the patch to RUN/remedy.patch. Stopped
    and started again, it goes on where it was.

    \b
    Examples:
      msprec remedy msprec_runs/train-20260101-120000
      msprec remedy --dry-run msprec_runs/train-20260101-120000
      msprec remedy --only standardise,shuffle --budget 10m train.py --epochs 3
      msprec remedy --what-if precision,mode msprec_runs/train-20260101-120000
    """
    lang, seconds = language(lang), _seconds(budget)
    from msprec.experiment.case import CannotExperiment, Case
    from msprec.experiment.plan import make_plan
    from msprec.experiment.what_if import settings_plan

    run = _run_folder(target, args, out, lang)
    try:
        case = Case(run, lang)
        if what_if:
            plan = settings_plan(case, tuple(what_if.split(",")))
        else:
            plan = make_plan(case, tuple(only.split(",")) if only else None)
    except CannotExperiment as error:
        raise Failure(str(error)) from None
    if dry_run:
        click.echo(json.dumps(plan.as_json(lang), ensure_ascii=False, indent=1))
        return
    require_mindspore(str(case.script))
    _carry_out(plan, seconds, yes, jobs, lang, bool(what_if))


def _seconds(budget: Optional[str]) -> Optional[float]:
    if budget is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", budget.strip())
    if not found:
        raise Failure(f"--budget {budget}: a time is wanted, such as 90s, 10m or 2h")
    return float(found.group(1)) * _UNITS[found.group(2)]


def _run_folder(target: str, args: tuple, out: Optional[str], lang: str) -> Path:
    """The run folder that is named, or that of the script, which is run first."""
    if Path(target).is_dir():
        if args or out:
            raise Failure("a run folder takes no arguments and no --out")
        return Path(target)
    require_script(target)
    require_mindspore(target)
    folder = own_folder(new_run_folder(target, out), lambda folder: (folder / CLAIM_OF_REMEDY).mkdir())
    command = [sys.executable, "-m", "msprec", "run", "--no-word", "--lang", lang, "--out", str(folder), target, *args]
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        raise Failure(f"{target} ended with exit status {status}; there is nothing to compare remedies with")
    return folder


def _carry_out(plan, budget: Optional[float], yes: bool, jobs: int, lang: str, what_if: bool) -> None:
    from msprec.experiment import present
    from msprec.experiment.trials import BaselineFailed
    from msprec.experiment.whole import experiment, try_settings

    console = plain_console(stderr=True)
    _show_plan(plan, lang, console)
    if not plan.remedies:
        for line in [present.NO_PROBLEMS.render(lang), *_described(plan, lang)]:
            console.print(line, soft_wrap=True, markup=False)
        return
    if not yes and sys.stdin.isatty() and not click.confirm("msprec: start?", default=True, err=True):
        return
    try:
        facts = (try_settings if what_if else experiment)(plan, budget, jobs, lang, console)
    except BaselineFailed as error:
        raise Failure(f"the script fails in a copy of its folder, without any remedy: {error}") from None
    except OSError as error:
        raise Failure(f"cannot make a copy or write {plan.case.run}: {error}") from None
    _show(facts, plan, lang, console, what_if)


def _show_plan(plan, lang: str, console) -> None:
    planned = plan.as_json(lang)
    for entry in planned["remedies"]:
        items = f" ({', '.join(entry['items'])})" if entry["items"] else ""
        console.print(f"{entry['id']:<16} {entry['title']}{items}", markup=False, soft_wrap=True)
    if planned["remedies"]:
        fewest, most = planned["runs"]
        least, longest = (max(1, round(seconds / 60)) for seconds in planned["seconds"])
        console.print(f"{fewest}-{most} runs of {planned['seconds_a_run']} s: {least}-{longest} min", markup=False)


def _described(plan, lang: str) -> list:
    return [f"{one.title.render(lang)}:\n{one.code()}" for one in plan.described if one.code()]


def _show(facts: dict, plan, lang: str, console, what_if: bool) -> None:
    from rich.table import Table

    from msprec.experiment import present

    heads, rows = (present.setting_rows if what_if else present.rows)(facts, lang)
    table = Table(title_justify="left")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table, markup=False)
    for line in (present.setting_closing if what_if else present.closing)(facts, lang):
        console.print(line, soft_wrap=True, markup=False)
    if not what_if:
        console.print(str(plan.case.run / "remedies" / "effects.png"), soft_wrap=True, markup=False)
        console.print(present.REPORT.render(lang).format(run=plan.case.run), soft_wrap=True, markup=False)
