"""``msprec run``: a script, recorded, and its checklist."""

import contextlib
import os
import sys
import warnings
from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import FULL, LANG, PAPER, Failure, language, plain_console
from msprec.cli.ending import Ending, end_as_python, late_ranks
from msprec.cli.mindspore_needed import require_mindspore, require_script
from msprec.cli.references import (
    REFERENCE_SCRIPT,
    design_beside,
    named_references,
    read_reference_script,
    read_references,
    reference_options,
)
from msprec.cli.repeat import run_repeatedly
from msprec.cli.run_folder import forget, new_run_folder, own_folder, say_safely, writable_or_temporary
from msprec.cli.sources import read_also

_RANKS_FINISH = 20


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--out", metavar="DIR", help="The run folder to write; default: msprec_runs/SCRIPT-TIME.")
@LANG
@click.option(
    "--locate/--no-locate",
    default=True,
    help="Replay a step whose loss or gradients are not finite, and name the expression and line. Default: on.",
)
@click.option(
    "--probe-seconds",
    type=click.FloatRange(min=0),
    metavar="S",
    help="How long short probes (a learning-rate range test among them) may take once the script has ended; 0: none. "
    "Default: by the script's time, 30 s after a very short one, 6 s after a minute, 7 s after ten, never more than 30 s.",
)
@click.option("--word/--no-word", default=True, help="Write the Word report, checklist.docx. Default: yes.")
@FULL
@PAPER
@click.option("--tensorboard", is_flag=True, help="Write TensorBoard events too, into RUN/rank_N/tensorboard.")
@click.option("--tensorboard-dir", metavar="DIR", help="The same, into DIR.")
@click.option(
    "--also",
    multiple=True,
    metavar="SCRIPT",
    help="A further script of the project that is read, not run (evaluation, inference): how it prepares its data "
    "(dp.02) and sets the mode of its network (api.02). May be given again.",
)
@REFERENCE_SCRIPT
@reference_options
@click.option("--twice", is_flag=True, help="Run it twice and say whether the loss repeats, and what is random if not.")
@click.option("--repeat", type=click.IntRange(2), metavar="N", help="The same with N runs.")
@click.option(
    "-m", "as_module", is_flag=True, help="SCRIPT is the dotted name of a module, run as `python -m` runs it."
)
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run(
    out: Optional[str],
    lang: Optional[str],
    locate: bool,
    probe_seconds: Optional[float],
    word: bool,
    full: bool,
    paper: str,
    tensorboard: bool,
    tensorboard_dir: Optional[str],
    also: tuple,
    reference_script: Optional[str],
    twice: bool,
    repeat: Optional[int],
    as_module: bool,
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
      msprec run --also eval.py --also infer.py train.py
      msprec run --reference-run pytorch_losses.csv train.py
      msprec run --twice train.py
      msprec run -m package.train --lr 0.1
      msrun --worker_num=2 --local_worker_num=2 --join=True python -m msprec run train.py
    """
    from msprec.observe import launch
    from msprec.observe.observer import Options
    from msprec.observe.termination import own_time
    from msprec.runtime.environment import rank

    named, module = script, script if as_module else None
    if module is not None:
        spec = launch.spec_of_module(module)
        if spec is None or spec.origin is None:
            raise Failure(f"no module named {module} (below {os.getcwd()} or installed)")
        script = spec.origin
    require_script(script)
    if twice or repeat:
        given: tuple = ("--locate" if locate else "--no-locate",)
        given += () if probe_seconds is None else ("--probe-seconds", f"{probe_seconds:g}")
        given += ("--tensorboard",) if tensorboard else ()
        given += () if word else ("--no-word",)
        given += ("--full",) * full + ("--paper", paper)
        read_also(also)  # what cannot be read is said before anything runs
        read_reference_script(reference_script)
        require_mindspore(script)
        _require_syntax(script)
        first = _for_the_first(also, reference_script, tensorboard_dir)
        given += ("-m",) if module else ()
        runs = own_folder(new_run_folder(script, out), lambda folder: (folder / "run_1").mkdir())
        run_repeatedly(named, args, runs, repeat or 2, given, lang, first)
    design_beside(script)
    beside = read_also(also)
    options = Options(
        locate=locate, tensorboard=tensorboard_dir or tensorboard, probe_seconds=probe_seconds, module=module
    )
    reference = read_reference_script(reference_script)
    if options.tensorboard:
        _require_tensorboard()
    require_mindspore(script)
    # the scheduler process of a distributed launch trains nothing
    folder = None if os.environ.get("MS_ROLE") == "MS_SCHED" else writable_or_temporary(new_run_folder(script, out))
    look = {"full": full, "letter": paper == "letter"} if word else None
    context = click.get_current_context()

    def keep_beside(folder: Path) -> None:
        with context.scope(cleanup=False):  # in whatever thread
            _keep_beside(folder, reference, beside)

    first_rank = rank()[0] == 0
    ending = Ending(folder, lang, look, keep_beside) if folder is not None else None
    at_signal = None if ending is None else ending.of_signal if first_rank else ending.of_other_rank
    try:
        outcome = launch.run_script(script, list(args), folder, options, at_signal)
    except SyntaxError as error:
        forget(folder)
        end_as_python(error)
    except (OSError, ValueError) as error:
        forget(folder)
        raise Failure(f"cannot read {script} or write the run folder: {error}") from None
    if ending is not None and not first_rank and outcome.status and not outcome.interrupted:
        with own_time(), contextlib.suppress(KeyboardInterrupt):
            ending.of_other_rank()
    if folder is not None and ending is not None and first_rank:
        with contextlib.suppress(Exception):  # the script may have closed its standard output
            sys.stdout.flush()
        try:
            if outcome.hurried:
                raise KeyboardInterrupt
            with own_time():
                if outcome.terminated:
                    ending.of_handled_signal()
                else:
                    _wait_for_ranks(folder)
                    _conclude_and_report(folder, language(lang), reference, look, beside)
        except KeyboardInterrupt:
            ending.of_interrupt()
        except Exception as error:
            ending.of_failure(error)
    if outcome.interrupted:
        launch.die_of_interrupt()
    sys.exit(outcome.status)


def _require_syntax(script: str) -> None:
    """Ends as Python does where the script does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each run tells them
            compile(Path(script).read_bytes(), os.path.abspath(script), "exec", dont_inherit=True)
    except SyntaxError as error:
        end_as_python(error)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {script}: {error}") from None


def _for_the_first(also: tuple, reference_script: Optional[str], tensorboard_dir: Optional[str]) -> tuple:
    """The options that only the first of several runs is given: what its report draws on, and a folder that all would share."""
    given = [part for path in also for part in ("--also", os.path.abspath(path))]
    given += ["--reference-script", os.path.abspath(reference_script)] if reference_script else []
    given += ["--tensorboard-dir", tensorboard_dir] if tensorboard_dir else []
    for name, path in named_references().items():
        given += [f"--{name.replace('_', '-')}", path]
    return tuple(given)


def _require_tensorboard() -> None:
    from msprec.record.tensorboard import require

    try:
        require()
    except ImportError as error:
        raise Failure(str(error)) from None


def _wait_for_ranks(folder: Path) -> None:
    """Gives the other ranks that write into this folder some time to finish their records."""
    late = late_ranks(folder, _RANKS_FINISH)
    if late:
        names = ", ".join(map(str, late))
        click.echo(f"msprec: rank {names} has not finished; what it had recorded so far is used", err=True)


def _conclude_and_report(folder: Path, lang: str, reference=None, look: Optional[dict] = None, also=None) -> None:
    """checklist.json, checklist.docx (``look``: how; None: without it) and the table on stderr; an error of ours is one line,
    the run's status stays."""
    from msprec.engine import conclude
    from msprec.report.terminal import print_table

    with contextlib.suppress(OSError):  # on a full disk the conclusions are worth no less
        _keep_beside(folder, reference, also)
    checklist = conclude(folder, lang, handed=read_references())
    report = _write_report(checklist, folder, lang, look)
    print_table(checklist, plain_console(stderr=True), report)
    _say_without_training(folder, lang)


def _keep_beside(folder: Path, reference, also) -> None:
    """What the report draws on besides the run, kept in its folder."""
    import json

    from msprec.source.static_input import keep_also, keep_reference

    if reference is not None:
        keep_reference(reference, folder)
    if also is not None:
        keep_also(also, folder)
    for name, facts in read_references().items():
        (folder / "facts").mkdir(exist_ok=True)
        (folder / "facts" / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")


def _write_report(checklist: dict, folder: Path, lang: str, look: Optional[dict]) -> Optional[Path]:
    """Writes checklist.json and checklist.docx into the folder, or where that is full or gone into a temporary one; the report
    that could be written, None where none could."""
    import tempfile

    from msprec.record.checklist_file import write_checklist

    try:
        write_checklist(checklist, folder / "checklist.json")
        target = folder
    except OSError as error:
        try:
            target = Path(tempfile.mkdtemp(prefix="msprec-report-"))
            write_checklist(checklist, target / "checklist.json")
            say_safely(f"msprec: {folder} cannot be written ({error.strerror or error}); the report is in {target}")
        except OSError:
            say_safely(
                f"msprec: {folder} cannot be written ({error.strerror or error}): there is no report but the table below"
            )
            return None
    if look is None:
        return target / "checklist.json"
    from msprec.report.word import write_word

    try:
        write_word(checklist, target / "checklist.docx", folder, lang, **look)
        return target / "checklist.docx"
    except OSError as error:
        say_safely(f"msprec: the Word report could not be written: {type(error).__name__}: {error}")
        return target / "checklist.json"


def _say_without_training(folder: Path, lang: str) -> None:
    """One line where the script trained nothing, so that nobody takes the empty checklist for a clean one."""
    import json

    try:
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    from msprec.report.strings import words

    failed = (facts.get("exit") or {}).get("kind") == "exception"
    if facts.get("script_imports_mindspore") and not facts.get("training_steps") and not failed:
        click.echo(f"msprec: {words(lang)['no_training']}", err=True)
