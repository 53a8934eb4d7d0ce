"""The commands: arguments in, one call, text out. Nothing heavy is imported before a command needs it."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Optional

import click

from msprec._version import __version__
from msprec.compare import commands as compare_commands
from msprec.compare.cli_common import Failure, language

#: Seconds that rank 0 waits, after its own script has ended, for the records of the others.
_RANKS_FINISH = 20

_LANG = click.option("--lang", type=click.Choice(["zh", "en"]), help="Language of the report; default: the locale's.")


_REFERENCE_SCRIPT = click.option(
    "--reference-script",
    metavar="F.py",
    help="The benchmark script, PyTorch or MindSpore: it is read, not run, and its API calls are compared (api.01).",
)


def _named_reference(context, option, path: Optional[str]) -> None:
    """Notes a reference file, looked at before the script runs and read after it."""
    if path is None:
        return
    from msprec.references import reference_options

    try:
        reference_options.CHECKS[option.name](path)
    except reference_options.BadReference as error:
        raise Failure(str(error)) from None
    context.meta.setdefault("msprec.references", {})[option.name] = os.path.abspath(path)


def _references(command):
    """The options that name references; what they name is read by `_read_references`."""
    weights = click.option(
        "--reference-weights",
        metavar="F",
        expose_value=False,
        callback=_named_reference,
        help="Weights that the training should start from, to compare its initial weights with (wi.02): .ckpt, .pth, "
        ".safetensors, .npz.",
    )
    data = click.option(
        "--reference-data",
        metavar="DIR|MANIFEST",
        expose_value=False,
        callback=_named_reference,
        help="The standard data, to compare the files that were read with (ds.04): a folder, facts/data_files.json of another "
        "run, or the output of md5sum.",
    )
    run = click.option(
        "--reference-run",
        metavar="DIR|CSV|LOG",
        expose_value=False,
        callback=_named_reference,
        help="A run of the benchmark, to compare the losses with, step by step: a run folder (then also rates, optimizer, batch, "
        "initial weights, data), a CSV with the columns step, loss and perhaps lr, TensorBoard events, or a log.",
    )
    design = click.option(
        "--design",
        metavar="F.toml",
        expose_value=False,
        callback=_named_reference,
        help="The declared design (cg.01 to cg.04, dp.03, dp.04, hp.03); default: msprec.toml beside the script.",
    )
    return weights(data(run(design(command))))


def _design_beside(script: str) -> None:
    """Takes ``msprec.toml`` beside the script for the design, where none was named."""
    context, file = click.get_current_context(), Path(script).resolve().parent / "msprec.toml"
    if file.is_file() and "design" not in _named_references():
        option = next(one for one in context.command.params if one.name == "design")
        _named_reference(context, option, str(file))


def _named_references() -> dict:
    """Paths of the references that this command names, by the name of their facts."""
    return click.get_current_context().meta.get("msprec.references", {})


def _read_references() -> dict:
    """Facts of the references that this command names, by name."""
    from msprec.references import reference_options

    named = _named_references()
    try:
        return {option: reference_options.READERS[option](path) for option, path in named.items()}
    except reference_options.BadReference as error:
        raise Failure(str(error)) from None


def _reference(path: Optional[str]):
    """The reference script, read; None where none was named."""
    if path is None:
        return None
    from msprec.source.static_input import NoScripts, read_reference

    try:
        reference = read_reference(path)
    except NoScripts as error:
        raise Failure(str(error)) from None
    return reference


def _also(paths: tuple):
    """Further scripts of the project with the modules that they import, read; None where none was named."""
    if not paths:
        return None
    from msprec.source.static_input import NoScripts, read_scripts, unreadable, with_modules

    folder = next((path for path in paths if os.path.isdir(path)), None)
    if folder is not None:
        raise Failure(f"--also names a script, not a folder: {folder}")
    try:
        scripts = read_scripts(paths)
    except NoScripts as error:
        raise Failure(str(error)) from None
    for entry in [*scripts.passed, *unreadable(scripts)]:
        raise Failure(f"--also {entry.name}: {_why_passed(entry)}")
    return with_modules(scripts)


def _say_passed(passed: list) -> None:
    """One line on stderr for each file that was passed over."""
    for entry in passed:
        click.echo(f"msprec: passed over {entry.name}: {_why_passed(entry)}", err=True)


def _why_passed(entry) -> str:
    return {
        "notebook": "a notebook; convert it to a script",
        "large": f"{entry.detail} bytes",
        "syntax": f"does not parse ({entry.detail})",
        "python2": "Python 2",
        "deep": "nested too deeply",
        "many": f"only the first {entry.detail} files are read",
    }.get(entry.why, entry.detail or entry.why)


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
      msprec explain mp.02                       what an item means, how to check it, how to fix it
    """


# --- run ----------------------------------------------------------------------------------------------------------
def _run_folder(script: str, out: Optional[str]) -> Path:
    """The run folder: ``--out``, which must not hold anything yet, or a new one below ``msprec_runs``."""
    import time

    from msprec.runtime.environment import rank

    number, size = rank()
    if out is not None:
        folder = Path(out)
        if folder.exists() and not folder.is_dir():
            raise Failure(f"{out} is not a folder")
        # the workers of one launch share the folder, and each has its own part of it
        own = folder if size == 1 else folder / f"rank_{number}"
        if own.is_dir() and any(own.iterdir()):
            raise Failure(f"{out} is not empty; name a new folder with --out")
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


def _conclude_and_report(folder: Path, lang: str, reference=None, word: bool = True, also=None) -> None:
    """checklist.json, checklist.docx and the table on stderr; an error of ours is one line, the run's status stays."""
    import json

    from msprec.engine import conclude, write_checklist
    from msprec.report.terminal import print_table
    from msprec.report.word import write_word

    if reference is not None:
        from msprec.source.static_input import keep_reference

        keep_reference(reference, folder)
    if also is not None:
        from msprec.source.static_input import keep_also

        keep_also(also, folder)
    handed = _read_references()
    for name, facts in handed.items():
        (folder / "facts").mkdir(exist_ok=True)
        (folder / "facts" / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")
    checklist = conclude(folder, lang)
    write_checklist(checklist, folder / "checklist.json")
    report = folder / ("checklist.docx" if word else "checklist.json")
    try:
        if word:
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
    from msprec.report.strings import words

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
@click.option(
    "--probe-seconds",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="S",
    help="How long short probes (a learning-rate range test among them) may take once the script has ended; 0: none.",
)
@click.option("--word/--no-word", default=True, help="Write the Word report, checklist.docx. Default: yes.")
@click.option("--tensorboard", is_flag=True, help="Write TensorBoard events too, into RUN/rank_N/tensorboard.")
@click.option("--tensorboard-dir", metavar="DIR", help="The same, into DIR.")
@click.option(
    "--also",
    multiple=True,
    metavar="SCRIPT",
    help="A further script of the project that is read, not run (evaluation, inference): how it prepares its data "
    "(dp.02) and sets the mode of its network (api.02). May be given again.",
)
@_REFERENCE_SCRIPT
@_references
@click.option("--twice", is_flag=True, help="Run it twice and say whether the loss repeats, and what is random if not.")
@click.option("--repeat", type=click.IntRange(2), metavar="N", help="The same with N runs.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run(
    out: Optional[str],
    lang: Optional[str],
    locate: bool,
    probe_seconds: float,
    word: bool,
    tensorboard: bool,
    tensorboard_dir: Optional[str],
    also: tuple,
    reference_script: Optional[str],
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
      msprec run --also eval.py --also infer.py train.py
      msprec run --reference-run pytorch_losses.csv train.py
      msprec run --twice train.py
      msrun --worker_num=2 --local_worker_num=2 --join=True python -m msprec run train.py
    """
    from msprec.observe import launch
    from msprec.observe.observer import Options
    from msprec.runtime.environment import rank

    if not os.path.isfile(script):
        raise Failure(f"no such script: {script}")
    if twice or repeat:
        given = ("--locate" if locate else "--no-locate", "--probe-seconds", f"{probe_seconds:g}")
        given += ("--tensorboard",) if tensorboard else ()
        given += () if word else ("--no-word",)
        _also(also)  # what cannot be read is said before anything runs
        _reference(reference_script)
        first = _for_the_first(also, reference_script, tensorboard_dir)
        compare_commands.run_repeatedly(script, args, _run_folder(script, out), repeat or 2, given, lang, first)
    _design_beside(script)
    beside = _also(also)
    options = Options(locate=locate, tensorboard=tensorboard_dir or tensorboard, probe_seconds=probe_seconds)
    reference = _reference(reference_script)
    if options.tensorboard:
        _require_tensorboard()
    # the scheduler process of a distributed launch trains nothing
    folder = None if os.environ.get("MS_ROLE") == "MS_SCHED" else _run_folder(script, out)
    try:
        outcome = launch.run_script(script, list(args), folder, options)
    except SyntaxError as error:
        raise Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {script} or write the run folder: {error}") from None
    if folder is not None and rank()[0] == 0:
        try:
            sys.stdout.flush()
            _wait_for_ranks(folder)
            _conclude_and_report(folder, language(lang), reference, word, beside)
        except Exception as error:
            click.echo(f"msprec: no report: {type(error).__name__}: {error} (run folder: {folder})", err=True)
    if outcome.interrupted:
        launch.die_of_interrupt()
    sys.exit(outcome.status)


def _for_the_first(also: tuple, reference_script: Optional[str], tensorboard_dir: Optional[str]) -> tuple:
    """The options that only the first of several runs is given: what its report draws on, and a folder that all would share."""
    given = [part for path in also for part in ("--also", os.path.abspath(path))]
    given += ["--reference-script", os.path.abspath(reference_script)] if reference_script else []
    given += ["--tensorboard-dir", tensorboard_dir] if tensorboard_dir else []
    for name, path in _named_references().items():
        given += [f"--{name.replace('_', '-')}", path]
    return tuple(given)


def _require_tensorboard() -> None:
    from msprec.record.tensorboard import require

    try:
        require()
    except ImportError as error:
        raise Failure(str(error)) from None


# --- checklist ----------------------------------------------------------------------------------------------------
def _only(text: Optional[str]) -> Optional[set]:
    """``mp,ds.01`` as a set of item ids; families stand for their items."""
    if not text:
        return None
    from msprec.engine import families, items

    chosen = set()
    for word in filter(None, (w.strip() for w in text.split(","))):
        matching = {item.id for item in items() if word in (item.id, item.family)}
        if not matching:
            raise Failure(f"no such item or family: {word} (families: {' '.join(family.id for family in families())})")
        chosen |= matching
    return chosen


@main.command()
@click.option("--run", "run_dir", metavar="DIR", help="A run folder that `msprec run` or a callback wrote.")
@click.option(
    "--bundle", "bundle_file", metavar="F.zip", help="An archive that `msprec bundle` wrote, instead of a run folder."
)
@click.option("--only", metavar="ITEMS", help="Items or families to conclude, for example mp,ds.01.")
@click.option("--out", "docx", metavar="F.docx", help="Write the Word report there.")
@click.option(
    "--update",
    metavar="F.docx",
    help="Keep the choices and comments that a person put into this report, and refresh its evidence.",
)
@click.option("--json", "json_file", metavar="F.json", help="Write the findings there (- for standard output).")
@click.option("--html", "html_file", metavar="F.html", help="Write one page of HTML there that needs no network.")
@click.option("--junit", "junit_file", metavar="F.xml", help="Write JUnit's XML there (- for standard output).")
@click.option(
    "--markdown", "markdown_file", metavar="F.md", help="Write Markdown for an issue there (- for standard output)."
)
@_REFERENCE_SCRIPT
@_references
@click.option("--blank", is_flag=True, help="The empty form, to fill in by hand; needs --out or --json.")
@click.option(
    "--fail-on",
    type=click.Choice(["problem", "undecided"]),
    help="Exit with 1 when an item is a problem (or, with `undecided`, also one is left to a person).",
)
@_LANG
@click.argument("scripts", nargs=-1, metavar="[SCRIPT_OR_FOLDER]...")
def checklist(
    run_dir,
    bundle_file,
    only,
    docx,
    update,
    json_file,
    html_file,
    junit_file,
    markdown_file,
    reference_script,
    blank,
    fail_on,
    lang,
    scripts,
) -> None:
    """Conclude the 24 items from a recorded run, without MindSpore and without training again.

    Scripts and folders are read, not run: without --run they decide what the source alone can decide. Beside --run, scripts that
    evaluate or infer are held against what was recorded of the training (dp.02, api.02).
    --update rewrites a report in place (with --out: into another file) and keeps the former one beside it.

    \b
    Examples:
      msprec checklist train.py
      msprec checklist --only api,mp --reference-script torch/train.py train.py
      msprec checklist --run msprec_runs/train-20261120-101500
      msprec checklist --run RUN eval.py infer.py
      msprec checklist --run RUN --reference-run pytorch_losses.csv
      msprec checklist --run RUN --only mp --out mixed_precision.docx --lang zh
      msprec checklist --run RUN --update checklist.docx
      msprec checklist --run RUN --json findings.json --fail-on problem
      msprec checklist --bundle question.zip --out checklist.docx
      msprec checklist --blank --out form.docx
    """
    if (run_dir and bundle_file) or blank == bool(run_dir or bundle_file or scripts):
        raise Failure("give --run DIR, --bundle F.zip, scripts to read, or --blank (see msprec checklist --help)")
    if not (run_dir or bundle_file) and "reference_run" in _named_references():
        raise Failure("--reference-run is compared with a recorded run: name that with --run DIR")
    if blank and update:
        raise Failure("--update refreshes a report from a run: name it with --run DIR")
    outputs = {"json": json_file, "html": html_file, "junit": junit_file, "markdown": markdown_file}
    if blank and not (docx or any(outputs.values())):
        raise Failure("--blank writes a form: name it with --out F.docx, --json F.json or --html F.html")
    if list(outputs.values()).count("-") > 1:
        raise Failure("only one of --json, --junit and --markdown can go to the standard output")
    form = _read_form(update) if update else None
    lang = lang or (form.lang if form else language(None))
    with _run_or_bundle(run_dir, bundle_file) as run_path:
        found = _conclude(run_path, scripts, reference_script, blank, lang, only)
        if form is not None:
            found = _update(found, form, Path(update), Path(docx) if docx else None, run_path, lang)
        _write_findings(found, docx if form is None else None, outputs, run_path, lang)
    if not blank and "-" not in outputs.values():
        from msprec.report.terminal import print_table

        print_table(found, _console(stderr=False), docx or update)
    wanted = {"problem": ("problem",), "undecided": ("problem", "undecided")}.get(fail_on, ())
    if any(item["conclusion"] in wanted for item in found["items"]):
        sys.exit(1)


@contextlib.contextmanager
def _run_or_bundle(run_dir: Optional[str], bundle_file: Optional[str]):
    """The run folder to conclude from; None for a blank form."""
    if not bundle_file:
        yield Path(run_dir) if run_dir else None
        return
    from msprec.bundle.archive import BundleError, opened

    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(opened(Path(bundle_file)))
        except BundleError as error:
            raise Failure(str(error)) from None
        yield folder


def _conclude(run_dir: Optional[Path], scripts, reference_script, blank: bool, lang: str, only) -> dict:
    from msprec import engine as engine
    from msprec.record.reader import RunFolderError
    from msprec.source.gc_pause import collector_paused, freeze_gc
    from msprec.source.static_input import NoScripts, read_scripts, with_modules

    if blank:
        return engine.blank(lang)
    try:
        read = read_scripts(scripts) if scripts else None
        if read is not None and run_dir is not None:
            read = with_modules(read)
        reference = _reference(reference_script)
        # paused here too: no collection between the judging and the freeze
        with collector_paused():
            found = engine.conclude(run_dir, lang, _only(only), None, read, reference, _read_references())
            freeze_gc()
    except (RunFolderError, NoScripts) as error:
        raise Failure(str(error)) from None
    for named in filter(None, (read, reference)):
        _say_passed(named.passed)
    return found


def _read_form(path: str):
    from msprec.report.form_reader import FormError, read_form

    try:
        return read_form(path)
    except FormError as error:
        raise Failure(str(error)) from None


def _update(found: dict, form, path: Path, out: Optional[Path], run_dir: Optional[Path], lang: str) -> dict:
    """Writes the report anew with the person's answers; what it replaces is kept beside it."""
    from msprec.report.update import update_report

    try:
        found, backup = update_report(found, form, path, out, run_dir, lang)
    except OSError as error:
        raise Failure(f"cannot write {error.filename or out or path}: {error.strerror or error}") from None
    if backup is not None:
        click.echo(f"msprec: the report as it was before is kept as {backup}", err=True)
    if not form.whole:
        click.echo(
            "msprec: the word processor has dropped msprec's record from the report; the fields are kept, but words typed "
            "outside of them could not be told from the report's own",
            err=True,
        )
    return found


def _write_findings(found: dict, docx, outputs: dict, run_dir: Optional[Path], lang: str) -> None:
    """Every form of the findings that was asked for; ``-`` is the standard output."""
    try:
        for kind, name in outputs.items():
            if name and kind == "html":
                from msprec.report.html import write_html

                write_html(found, Path(name), run_dir, lang)
            elif name:
                text = _as_text(found, kind)
                if name == "-":
                    click.echo(text, nl=False)
                else:
                    Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")
        if docx:
            from msprec.report.word import write_word

            write_word(found, Path(docx), run_dir, lang)
    except OSError as error:
        name = error.filename or docx or ", ".join(filter(None, outputs.values()))
        raise Failure(f"cannot write {name}: {error.strerror}") from None


def _as_text(found: dict, kind: str) -> str:
    if kind == "junit":
        from msprec.report.junit import as_junit

        return as_junit(found)
    if kind == "markdown":
        from msprec.report.markdown import as_markdown

        return as_markdown(found)
    from msprec.engine.runner import as_json

    return as_json(found)


# --- env ----------------------------------------------------------------------------------------------------------
@main.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--keep", multiple=True, metavar="KIND_OR_TEXT", help="Do not replace this; see msprec bundle --help.")
@_LANG
def env(as_json: bool, keep: tuple, lang: Optional[str]) -> None:
    """Versions, hardware, driver and the environment variables that matter, ready to paste into a request for help.

    Secrets, names of users and hosts, addresses and home paths are replaced, as `msprec bundle` does.

    \b
    Examples:
      msprec env
      msprec env --json
    """
    import json

    from msprec.bundle.archive import scrubber_of_this_machine
    from msprec.env import as_text, environment

    found = scrubber_of_this_machine(keep).value(environment(), "env")
    text = json.dumps(found, ensure_ascii=False, indent=1) if as_json else as_text(found, language(lang)).rstrip("\n")
    click.echo(text)


# --- bundle -------------------------------------------------------------------------------------------------------
@main.command()
@click.option("--out", metavar="F.zip", help="The archive to write; default: RUN-bundle.zip here.")
@click.option(
    "--keep",
    multiple=True,
    metavar="KIND_OR_TEXT",
    help="Do not replace this: secret, proxy, email, user, host, home, ip, or an exact text.",
)
@click.option(
    "--with-data", type=click.IntRange(0), default=0, metavar="N", help="Put in N samples of the recorded data."
)
@click.option("--report", metavar="F.docx", help="Put in this report too, one that was filled in by hand.")
@click.option("--list", "only_list", is_flag=True, help="Only list what would go in.")
@_LANG
@click.argument("run_dir", metavar="RUN")
def bundle(
    out: Optional[str],
    keep: tuple,
    with_data: int,
    report: Optional[str],
    only_list: bool,
    lang: Optional[str],
    run_dir: str,
) -> None:
    """Pack a recorded run into one archive to attach to a request for help.

    It holds the report, the run folder, the sources that were imported, versions and hardware, and the command to repeat.
    Data and weights stay here. Tokens, passwords, keys, proxies, e-mail addresses, names of users and hosts, home paths and IP
    addresses are replaced; what goes in and what was replaced where is listed first, and stands in the archive's manifest.json.

    \b
    Examples:
      msprec bundle msprec_runs/train-20261120-101500
      msprec bundle RUN --list
      msprec bundle RUN --with-data 4 --keep ip --out question.zip
      msprec checklist --bundle question.zip     on the other side
    """
    from msprec.bundle import archive
    from msprec.bundle.listing import lines
    from msprec.record.reader import RunFolderError

    target = Path(out or f"{Path(run_dir).resolve().name}-bundle.zip")
    if target.exists() and not only_list:
        raise Failure(f"{target} exists; name another file with --out")
    try:
        packed = archive.gather(Path(run_dir), keep, with_data, Path(report) if report else None)
        for line in lines(packed, language(lang)):
            click.echo(line)
        if not only_list:
            archive.write(packed, target)
            click.echo(f"{target}: {target.stat().st_size / 1024:.0f} KiB")
    except (archive.BundleError, RunFolderError) as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"cannot write {target}: {error.strerror or error}") from None


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
    from msprec.rerun.range_test import CannotTest, run_range_test

    if not os.path.isfile(script):
        raise Failure(f"no such script: {script}")
    folder = _run_folder(script, out)
    try:
        run_range_test(script, list(args), folder, (low, high, steps, linear), language(lang), _console(stderr=True))
    except (CannotTest, ValueError) as error:
        raise Failure(str(error)) from None
    except SyntaxError as error:
        raise Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except OSError as error:
        raise Failure(f"cannot read {script} or write {folder}: {error}") from None


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
    from msprec.rerun import locate as offline

    lang = language(lang)
    try:
        found = offline.locate_again(Path(run_dir).absolute(), say=lambda text: click.echo(f"msprec: {text}", err=True))
    except offline.CannotLocate as error:
        raise Failure(str(error)) from None
    if json_file == "-":
        click.echo(offline.as_json(found), nl=False)
        return
    if json_file:
        try:
            Path(json_file).write_text(offline.as_json(found), encoding="utf-8")
        except OSError as error:
            raise Failure(f"cannot write {json_file}: {error.strerror}") from None
    click.echo(offline.format_text(found, lang))


# --- explain ------------------------------------------------------------------------------------------------------
@main.command()
@_LANG
@click.argument("item")
def explain(lang: Optional[str], item: str) -> None:
    """What ITEM asks, why it matters, how it is checked and how to fix it.

    \b
    Examples:
      msprec explain mp.02
      msprec explain --lang zh ds.01
    """
    from msprec.engine import find, items

    found = find(item)
    if found is None:
        raise Failure(f"no such item: {item} (one of {', '.join(known.id for known in items())})")
    lang = language(lang)
    text = found.text(lang)
    heads = ("为什么", "怎么查", "怎么改") if lang == "zh" else ("Why", "How to check", "How to fix")
    parts = [f"# {item} {text.title}"]
    parts += [f"## {head}\n\n{body}" for head, body in zip(heads, (text.why, text.check, text.fix))]
    document = "\n\n".join(parts)
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        _console(stderr=False).print(Markdown(document))
    else:
        click.echo(document)


# --- comparisons --------------------------------------------------------------------------------------------------
compare_commands.attach(main)
