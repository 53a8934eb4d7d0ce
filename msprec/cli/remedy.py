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
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Runs at a time. Default: 1; with --ray: as many as the cluster's resources hold.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help='The runs are tasks of the Ray cluster at ADDRESS: "auto", HOST:PORT, ray://HOST:PORT, or "local" for one of their '
    "own. Its nodes share a file system with this machine and have msprec installed.",
)
@click.option(
    "--ray-resources",
    metavar="CPU=2,NPU=1",
    help="What a run needs, by Ray's names. Default: one CPU and one of the device that the script used.",
)
@click.option(
    "--what-if",
    metavar="SETTING,…",
    help="Try settings instead: precision, mode, jit, deterministic, fusion, workers, sink.",
)
@click.option("--out", metavar="DIR", help="The run folder to write where SCRIPT is given.")
@click.option(
    "-m", "as_module", is_flag=True, help="SCRIPT is the dotted name of a module, run as `python -m` runs it."
)
@LANG
@click.argument("target", metavar="RUN|SCRIPT")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def remedy(
    only: Optional[str],
    budget: Optional[str],
    yes: bool,
    dry_run: bool,
    jobs: Optional[int],
    ray: Optional[str],
    ray_resources: Optional[str],
    what_if: Optional[str],
    out: Optional[str],
    as_module: bool,
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
      msprec remedy -m package.train --epochs 3
      msprec remedy --ray auto --ray-resources CPU=8,NPU=1 msprec_runs/train-20260101-120000
      msprec remedy --what-if precision,mode msprec_runs/train-20260101-120000
    """
    lang, seconds = language(lang), _seconds(budget)
    from msprec.experiment.case import CannotExperiment, Case
    from msprec.experiment.plan import make_plan
    from msprec.experiment.processes import stopped_by_signals
    from msprec.experiment.what_if import settings_plan

    if ray_resources and not ray:
        raise Failure("--ray-resources goes with --ray")
    with stopped_by_signals():
        run = _run_folder(target, args, out, lang, as_module)
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
    if _agreed(plan, yes, lang):
        with stopped_by_signals():
            _carry_out(plan, seconds, jobs, (ray, ray_resources) if ray else None, lang, bool(what_if))


def _seconds(budget: Optional[str]) -> Optional[float]:
    if budget is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", budget.strip())
    if not found:
        raise Failure(f"--budget {budget}: a time is wanted, such as 90s, 10m or 2h")
    return float(found.group(1)) * _UNITS[found.group(2)]


def _run_folder(target: str, args: tuple, out: Optional[str], lang: str, as_module: bool) -> Path:
    """The run folder that is named, or that of the script, which is run first."""
    if Path(target).is_dir() and not as_module:
        if args or out:
            raise Failure("a run folder takes no arguments and no --out")
        return Path(target)
    if not as_module:
        require_script(target)
    require_mindspore(None if as_module else target)
    folder = new_run_folder(target.rpartition(".")[2] if as_module else target, out)
    folder = own_folder(folder, lambda made: (made / CLAIM_OF_REMEDY).mkdir())
    command = [sys.executable, "-m", "msprec", "run", "--no-word", "--lang", lang, "--out", str(folder)]
    command += [*(("-m",) if as_module else ()), target, *args]
    status = subprocess.run(command, check=False).returncode
    if status != 0 and not _has_trained(folder):
        raise Failure(f"{target} ended with exit status {status}; there is nothing to compare remedies with")
    return folder


def _has_trained(folder: Path) -> bool:
    """Whether a script that failed did so after it had trained: a loss that is not finite ends many."""
    from msprec.record.reader import RunFolder, RunFolderError

    try:
        return bool(RunFolder(folder).run.get("training_steps"))
    except RunFolderError:
        return False


def _agreed(plan, yes: bool, lang: str) -> bool:
    """Shows the plan; whether there is something to try and the user wants it tried."""
    from msprec.experiment import present

    console = plain_console(stderr=True)
    _show_plan(plan, lang, console)
    if not plan.remedies:
        for line in [present.NO_PROBLEMS.render(lang), *_described(plan, lang)]:
            console.print(line, soft_wrap=True, markup=False)
        return False
    return yes or not sys.stdin.isatty() or click.confirm("msprec: start?", default=True, err=True)


def _carry_out(
    plan,
    budget: Optional[float],
    jobs: Optional[int],
    ray: Optional[tuple[str, Optional[str]]],
    lang: str,
    what_if: bool,
) -> None:
    from msprec.experiment.case import CannotExperiment
    from msprec.experiment.trials import BaselineFailed
    from msprec.experiment.whole import experiment, try_settings

    console, cluster = plain_console(stderr=True), None
    try:
        cluster = _cluster(plan, *ray, console) if ray else None
        at_a_time = jobs or (max(1, cluster.room()) if cluster else 1)
        facts = (try_settings if what_if else experiment)(plan, budget, at_a_time, lang, console, cluster)
    except BaselineFailed as error:
        raise Failure(f"the script fails in a copy of its folder, without any remedy: {error}") from None
    except CannotExperiment as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"cannot make a copy or write {plan.case.run}: {error}") from None
    finally:
        if cluster is not None:
            cluster.close()
    _show(facts, plan, lang, console, what_if)


def _cluster(plan, address: str, resources: Optional[str], console):
    from msprec.experiment.ray_cluster import Cluster, resources_of

    needs = resources_of(plan.case.folder.run.get("device_target"), resources)
    cluster = Cluster(address, needs)
    told = ", ".join(f"{name} {amount:g}" for name, amount in needs.items())
    waits = "" if cluster.room() else "; the cluster has not that much now: runs wait until it has"
    console.print(f"msprec: Ray at {address}; a run needs {told}{waits}", markup=False, soft_wrap=True)
    return cluster


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
