"""The commands: arguments in, one call, text out. Nothing heavy is imported before a command needs it."""

import os
import sys
from pathlib import Path
from typing import Optional

import click

from msprec._version import __version__
from msprec.compare import commands as compare_commands

#: Seconds that rank 0 waits, after its own script has ended, for the records of the others.
_RANKS_FINISH = 20

_LANG = click.option("--lang", type=click.Choice(["zh", "en"]), help="Language of the report; default: the locale's.")


class _Failure(click.ClickException):
    """One clear line on stderr and exit status 2."""

    exit_code = 2

    def show(self, file=None) -> None:
        click.echo(f"msprec: {self.message}", err=True)


def _language(lang: Optional[str]) -> str:
    from msprec.report.wording import default_lang

    return lang or default_lang()


def _console(stderr: bool):
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, epilog="More on a command: msprec COMMAND --help"
)
@click.version_option(__version__, prog_name="msprec")
def main() -> None:
    """Find out why a MindSpore training run ends with the wrong accuracy.

    \b
    Examples:
      msprec run train.py --epochs 3             run a script unchanged; write its filled checklist
      msprec checklist --run msprec_runs/train   conclude again from a recorded run
      msprec explain mp.02                       what an item means, how to check it, how to mend it
    """


# --- run ----------------------------------------------------------------------------------------------------------
def _run_folder(script: str, out: Optional[str]) -> Path:
    """The run folder: ``--out``, which must not hold anything yet, or a new one below ``msprec_runs``."""
    import time

    from msprec.observe.environment import rank

    number, size = rank()
    if out is not None:
        folder = Path(out)
        if folder.exists() and not folder.is_dir():
            raise _Failure(f"{out} is not a folder")
        # the workers of one launch share the folder, and each has its own part of it
        own = folder if size == 1 else folder / f"rank_{number}"
        if own.is_dir() and any(own.iterdir()):
            raise _Failure(f"{out} is not empty; name a new folder with --out")
        return folder.absolute()
    # the workers of one launch share a parent process, and so the folder
    mark = time.strftime("%Y%m%d-%H%M%S") if size == 1 else f"ranks-{os.getppid()}"
    base = Path("msprec_runs").absolute() / f"{Path(script).stem}-{mark}"
    folder, count = base, 1
    while size == 1 and folder.exists():
        count += 1
        folder = base.with_name(f"{base.name}-{count}")
    return folder


def _wait_for_ranks(folder: Path) -> None:
    """Gives the other ranks that write into this folder some time to finish their records."""
    import time

    from msprec.record.reader import RunFolder

    until = time.monotonic() + _RANKS_FINISH
    while True:
        read = RunFolder(folder)
        late = [rank for rank in read.ranks() if rank and not read.run_of(rank).get("ended")]
        if not late or time.monotonic() > until:
            break
        time.sleep(0.2)
    if late:
        names = ", ".join(map(str, late))
        click.echo(f"msprec: rank {names} has not finished; what it had recorded so far is used", err=True)


def _conclude_and_report(folder: Path, lang: str) -> None:
    """checklist.json, checklist.docx and the table on stderr; an error of ours is one line, the run's status stays."""
    from msprec.checklist import conclude, write_checklist
    from msprec.report.terminal import print_table
    from msprec.report.word import write_word

    checklist = conclude(folder, lang)
    write_checklist(checklist, folder / "checklist.json")
    report = folder / "checklist.docx"
    try:
        write_word(checklist, report, folder, lang)
    except Exception as error:
        click.echo(f"msprec: the Word report could not be written: {type(error).__name__}: {error}", err=True)
        report = folder / "checklist.json"
    print_table(checklist, _console(stderr=True), report)
    _say_without_training(folder, lang)


def _say_without_training(folder: Path, lang: str) -> None:
    """One line where the script trained nothing, so that nobody takes the empty checklist for a clean one."""
    import json

    try:
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    from msprec.report.wording import words

    if not facts.get("script_imports_mindspore"):
        click.echo(f"msprec: {words(lang)['no_mindspore']}", err=True)
    elif not facts.get("training_steps"):
        click.echo(f"msprec: {words(lang)['no_training']}", err=True)


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--out", metavar="DIR", help="The run folder to write; default: msprec_runs/SCRIPT-TIME.")
@_LANG
@click.option(
    "--locate/--no-locate",
    default=True,
    help="Replay a step whose loss or gradients are not finite, and name the expression and line. Default: on.",
)
@click.option("--tensorboard", is_flag=True, help="Write TensorBoard events too, into RUN/rank_N/tensorboard.")
@click.option("--tensorboard-dir", metavar="DIR", help="The same, into DIR.")
@click.option("--twice", is_flag=True, help="Run it twice and say whether the loss repeats, and what is random if not.")
@click.option("--repeat", type=click.IntRange(2), metavar="N", help="The same with N runs.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run(
    out: Optional[str],
    lang: Optional[str],
    locate: bool,
    tensorboard: bool,
    tensorboard_dir: Optional[str],
    twice: bool,
    repeat: Optional[int],
    script: str,
    args: tuple,
) -> None:
    """Run SCRIPT with ARGS as `python SCRIPT ARGS` would, record it, and write the filled checklist.

    The script is not changed and neither are its numbers, output, files and exit status. What msprec prints goes to the
    standard error stream. The run folder gets run.json, facts/, rank_0/steps.csv, checklist.json and checklist.docx.

    \b
    Examples:
      msprec run train.py
      msprec run --out runs/first --lang en train.py --lr 0.1
      msprec run --tensorboard train.py
      msprec run --twice train.py
      msrun --worker_num=2 --local_worker_num=2 --join=True python -m msprec run train.py
    """
    from msprec.observe import launch
    from msprec.observe.environment import rank
    from msprec.observe.observer import Options

    if not os.path.isfile(script):
        raise _Failure(f"no such script: {script}")
    if twice or repeat:
        given = ("--locate" if locate else "--no-locate", *(("--tensorboard",) if tensorboard else ()))
        compare_commands.run_repeatedly(script, args, _run_folder(script, out), repeat or 2, given, lang)
    options = Options(locate=locate, tensorboard=tensorboard_dir or tensorboard)
    if options.tensorboard:
        _require_tensorboard()
    # the scheduler process of a distributed launch trains nothing
    folder = None if os.environ.get("MS_ROLE") == "MS_SCHED" else _run_folder(script, out)
    try:
        outcome = launch.run_script(script, list(args), folder, options)
    except SyntaxError as error:
        raise _Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except (OSError, ValueError) as error:
        raise _Failure(f"cannot read {script} or write the run folder: {error}") from None
    if folder is not None and rank()[0] == 0:
        try:
            sys.stdout.flush()
            _wait_for_ranks(folder)
            _conclude_and_report(folder, _language(lang))
        except Exception as error:
            click.echo(f"msprec: no report: {type(error).__name__}: {error} (run folder: {folder})", err=True)
    if outcome.interrupted:
        launch.die_of_interrupt()
    sys.exit(outcome.status)


def _require_tensorboard() -> None:
    from msprec.record.tensorboard import require

    try:
        require()
    except ImportError as error:
        raise _Failure(str(error)) from None


# --- checklist ----------------------------------------------------------------------------------------------------
def _only(text: Optional[str]) -> Optional[set]:
    """``mp,ds.01`` as a set of item ids; families stand for their items."""
    if not text:
        return None
    from msprec.checklist.texts import all_ids

    chosen = set()
    for word in filter(None, (w.strip() for w in text.split(","))):
        matching = {i for i in all_ids() if i == word or i.split(".")[0] == word}
        if not matching:
            raise _Failure(f"no such item or family: {word} (families: ds dp hp api cg wi mp)")
        chosen |= matching
    return chosen


@main.command()
@click.option("--run", "run_dir", metavar="DIR", help="A run folder that `msprec run` or a callback wrote.")
@click.option("--only", metavar="ITEMS", help="Items or families to conclude, for example mp,ds.01.")
@click.option("--out", "docx", metavar="F.docx", help="Write the Word report there.")
@click.option("--json", "json_file", metavar="F.json", help="Write the findings there (- for standard output).")
@click.option("--blank", is_flag=True, help="The empty form, to fill in by hand; needs --out or --json.")
@click.option("--fail-on", type=click.Choice(["problem", "undecided"]),
              help="Exit with 1 when an item is a problem (or, with `undecided`, also one is left to a person).")  # fmt: skip
@_LANG
def checklist(run_dir, only, docx, json_file, blank, fail_on, lang) -> None:
    """Conclude the 24 items from a recorded run, without MindSpore and without training again.

    \b
    Examples:
      msprec checklist --run msprec_runs/train-20261120-101500
      msprec checklist --run RUN --only mp --out mixed_precision.docx --lang zh
      msprec checklist --run RUN --json findings.json --fail-on problem
      msprec checklist --blank --out form.docx
    """
    if blank == (run_dir is not None):
        raise _Failure("give either --run DIR or --blank (see msprec checklist --help)")
    if blank and not (docx or json_file):
        raise _Failure("--blank writes a form: name it with --out F.docx or --json F.json")
    from msprec import checklist as engine
    from msprec.record.reader import RunFolderError

    lang = _language(lang)
    try:
        found = engine.blank(lang) if blank else engine.conclude(Path(run_dir), lang, _only(only))
    except RunFolderError as error:
        raise _Failure(str(error)) from None
    _write_findings(found, docx, json_file, Path(run_dir) if run_dir else None, lang)
    if not blank and json_file != "-":
        from msprec.report.terminal import print_table

        print_table(found, _console(stderr=False), docx)
    wanted = {"problem": ("problem",), "undecided": ("problem", "undecided")}.get(fail_on, ())
    if any(item["conclusion"] in wanted for item in found["items"]):
        sys.exit(1)


def _write_findings(found: dict, docx, json_file, run_dir: Optional[Path], lang: str) -> None:
    try:
        if json_file == "-":
            import json

            click.echo(json.dumps(found, ensure_ascii=False, indent=1))
        elif json_file:
            from msprec.checklist import write_checklist

            write_checklist(found, Path(json_file))
        if docx:
            from msprec.report.word import write_word

            write_word(found, Path(docx), run_dir, lang)
    except OSError as error:
        raise _Failure(f"cannot write {error.filename or docx or json_file}: {error.strerror}") from None


# --- lr -----------------------------------------------------------------------------------------------------------
@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--low", type=float, default=1e-7, show_default=True, help="The first learning rate.")
@click.option("--high", type=float, default=10.0, show_default=True, help="The last learning rate.")
@click.option("--steps", type=int, default=100, show_default=True, help="Training steps.")
@click.option("--linear", is_flag=True, help="Let the rate grow by equal steps; default: by equal factors.")
@click.option("--out", metavar="DIR", help="The folder to write; default: msprec_runs/SCRIPT-TIME.")
@_LANG
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def lr(
    low: float, high: float, steps: int, linear: bool, out: Optional[str], lang: Optional[str], script: str, args: tuple
) -> None:
    """Find between which learning rates SCRIPT trains: Smith's range test.

    The script runs as it is, with ARGS, but its optimizer is given a rate that grows from step to step. The script is ended
    when the loss diverges or the sweep is over; checkpoints are not written meanwhile. Loss by rate, the bounds and the rate
    that the script would have used go to the terminal and to lr/curve.png, curve.csv and curve.json in the folder.

    \b
    Examples:
      msprec lr train.py
      msprec lr --low 1e-5 --high 1 --steps 200 train.py --batch 64
    """
    from msprec.range_test.script import CannotTest, run_range_test

    if not os.path.isfile(script):
        raise _Failure(f"no such script: {script}")
    folder = _run_folder(script, out)
    try:
        run_range_test(script, list(args), folder, (low, high, steps, linear), _language(lang), _console(stderr=True))
    except (CannotTest, ValueError) as error:
        raise _Failure(str(error)) from None
    except SyntaxError as error:
        raise _Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except OSError as error:
        raise _Failure(f"cannot read {script} or write {folder}: {error}") from None


# --- locate -------------------------------------------------------------------------------------------------------
@main.command()
@click.option("--json", "json_file", metavar="F.json", help="Write what was found there (- for standard output).")
@_LANG
@click.argument("run_dir", metavar="RUN")
def locate(json_file: Optional[str], lang: Optional[str], run_dir: str) -> None:
    """Locate the first non-finite value of a recorded run once more, in a process of its own.

    RUN holds a step that went bad: its batch, random state and weights. The script is run again up to the first step of
    the same network; there the kept step is replayed, and the script ends. What the script prints until then goes to the
    standard error stream.

    \b
    Examples:
      msprec locate msprec_runs/train-20261120-101500
      msprec locate RUN --json place.json
    """
    from msprec import again

    lang = _language(lang)
    try:
        found = again.locate_again(Path(run_dir).absolute(), say=lambda text: click.echo(f"msprec: {text}", err=True))
    except again.CannotLocate as error:
        raise _Failure(str(error)) from None
    if json_file == "-":
        click.echo(again.as_json(found), nl=False)
        return
    if json_file:
        try:
            Path(json_file).write_text(again.as_json(found), encoding="utf-8")
        except OSError as error:
            raise _Failure(f"cannot write {json_file}: {error.strerror}") from None
    click.echo(again.in_words(found, lang))


# --- explain ------------------------------------------------------------------------------------------------------
@main.command()
@_LANG
@click.argument("item")
def explain(lang: Optional[str], item: str) -> None:
    """What ITEM asks, why it matters, how it is checked and how to mend it.

    \b
    Examples:
      msprec explain mp.02
      msprec explain --lang zh ds.01
    """
    from msprec.checklist.texts import all_ids, item_text

    if item not in all_ids():
        raise _Failure(f"no such item: {item} (one of {', '.join(all_ids())})")
    lang = _language(lang)
    text = item_text(item, lang)
    heads = ("为什么", "怎么查", "怎么改") if lang == "zh" else ("Why", "How to check", "How to mend")
    parts = [f"# {text.id} {text.title}"]
    parts += [f"## {head}\n\n{body}" for head, body in zip(heads, (text.why, text.check, text.mend))]
    document = "\n\n".join(parts)
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        _console(stderr=False).print(Markdown(document))
    else:
        click.echo(document)


# --- comparisons --------------------------------------------------------------------------------------------------
compare_commands.attach(main)
