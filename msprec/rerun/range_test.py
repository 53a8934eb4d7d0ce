"""The work of ``msprec lr``."""

import sys
from pathlib import Path

from msprec.range_test.lr_curve import Curve
from msprec.range_test.result import rows, write
from msprec.range_test.strings import WORDS
from msprec.range_test.sweep import Sweep


class CannotTest(Exception):
    """Why, in one line."""


def run_range_test(script: str, args: list, folder: Path, settings: tuple, lang: str, console) -> Curve:
    """Runs the script with a sweep, writes ``lr/`` and ``facts/range_test.json`` into ``folder``, and prints the table.

    Args:
        script, args: The script and its arguments.
        folder: The run folder.
        settings: ``(low, high, steps, linear)``.
        lang: "zh" or "en".
        console: A ``rich.console.Console`` on stderr.

    Raises:
        CannotTest: The script ended without a training step, or its optimizer's rate cannot be set.
        ValueError: The settings make no sweep.
        OSError, SyntaxError: The script cannot be read or compiled, or the folder not be written.
    """
    low, high, steps, linear = settings
    sweep = Sweep(low, high, steps, linear)  # before anything is begun: the settings may be wrong
    outcome = _run(sweep, script, args, folder, console)
    if sweep.failure:
        raise CannotTest(f"the learning rate of {sweep.optimizer} could not be set ({sweep.failure})")
    curve = sweep.curve()
    if not len(curve.rates):
        how = outcome.facts.get("kind")
        raise CannotTest(f"{script} ended ({how}) without a training step whose learning rate could be set")
    write(folder / "lr", curve, sweep.used, lang)
    _record(folder, curve, sweep)
    _show(curve, sweep, folder, lang, console)
    return curve


def _run(sweep: Sweep, script: str, args: list, folder: Path, console):
    from rich.progress import Progress

    from msprec.observe import launch
    from msprec.observe.observer import Options

    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(Path(script).name, total=sweep.asked)
        sweep.progress = lambda done: progress.update(task, completed=done)
        return launch.run_script(script, args, folder, Options(locate=False, sweep=sweep))


def _record(folder: Path, curve: Curve, sweep: Sweep) -> None:
    from msprec.record.writer import RunWriter

    writer = RunWriter(folder)
    facts = {"used": sweep.used, "optimizer": sweep.optimizer, "overflows": sweep.overflows, "asked": sweep.asked}
    writer.facts("range_test", {**curve.facts(), **facts})
    writer.close()


def _show(curve: Curve, sweep: Sweep, folder: Path, lang: str, console) -> None:
    from rich.table import Table

    words = WORDS[lang]
    table = Table(title=words["title"], show_header=False, title_justify="left")
    for what, value in rows(curve, sweep.used, sweep.overflows, lang):
        table.add_row(what, value)
    console.print(table)
    judged = curve.judge(sweep.used) if sweep.used is not None else None
    for why in dict.fromkeys(filter(None, (curve.unavailable_reason, judged.why if judged else None))):
        console.print(f"{words['unknown']}: {words[why]}", soft_wrap=True)
    console.print(str(folder / "lr" / "curve.png"), soft_wrap=True)
