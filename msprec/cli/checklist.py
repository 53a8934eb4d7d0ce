"""``msprec checklist``: the items concluded from what was recorded, or from sources alone."""

import contextlib
import sys
from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import FULL, LANG, PAPER, Failure, language, plain_console
from msprec.cli.references import (
    REFERENCE_SCRIPT,
    named_references,
    read_reference_script,
    read_references,
    reference_options,
)
from msprec.cli.sources import say_passed
from msprec.report.formats import FORMATS, write

_MOST_UNREADABLE = 5


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


def _output_options(command):
    """An option for each form that goes into a file; the command gets its path by the form's name."""
    for form in reversed(FORMATS.values()):
        if form.option:
            command = click.option(form.option, form.name, metavar=form.example, help=form.help)(command)
    return command


@click.command()
@click.option("--run", "run_dir", metavar="DIR", help="A run folder that `msprec run` or a callback wrote.")
@click.option(
    "--bundle", "bundle_file", metavar="F.zip", help="An archive that `msprec bundle` wrote, instead of a run folder."
)
@click.option("--only", metavar="ITEMS", help="Items or families to conclude, for example mp,ds.01.")
@_output_options
@click.option(
    "--update",
    metavar="F.docx",
    help="Keep the choices and comments that a person put into this report, and refresh its evidence.",
)
@REFERENCE_SCRIPT
@reference_options
@click.option("--blank", is_flag=True, help="The empty form, to fill in by hand; needs a file to write, such as --out.")
@click.option(
    "--fail-on",
    type=click.Choice(["problem", "undecided"]),
    help="Exit with 1 when an item is a problem (or, with `undecided`, also one is left to a person).",
)
@FULL
@PAPER
@LANG
@click.argument("scripts", nargs=-1, metavar="[SCRIPT_OR_FOLDER]...")
def checklist(
    run_dir, bundle_file, only, update, reference_script, blank, fail_on, full, paper, lang, scripts, **outputs
) -> None:
    """Conclude the items from a recorded run, without MindSpore and without training again.

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
    recorded = next((one for one in scripts if (Path(one) / "run.json").is_file()), None)
    if recorded is not None:
        raise Failure(f"{recorded} is a recorded run, not a folder of scripts: name it with --run {recorded}")
    if not (run_dir or bundle_file) and "reference_run" in named_references():
        raise Failure("--reference-run is compared with a recorded run: name that with --run DIR")
    outputs = {name: path for name, path in outputs.items() if path}
    chosen = _only(only)
    if blank and chosen:
        raise Failure("--blank is the whole form: leave out --only")
    for option, path in (("--out", outputs.get("word")), ("--update", update)):
        if path and not path.lower().endswith(".docx"):
            raise Failure(
                f"{option} {path}: the report is a Word document, name it F.docx (a PDF can be made from it, or from --html)"
            )
    if blank and update:
        raise Failure("--update refreshes a report from a run: name it with --run DIR")
    docx, to_stdout = outputs.get("word"), [name for name, path in outputs.items() if path == "-"]
    if blank and not outputs:
        raise Failure("--blank writes a form: name it with --out F.docx, --json F.json or --html F.html")
    _check_standard_output(to_stdout)
    form = _read_form(update) if update else None
    look = {"full": full, "letter": paper == "letter"}
    lang = lang or (form.lang if form else language(None))
    with _run_or_bundle(run_dir, bundle_file) as run_path:
        found = _conclude(run_path, scripts, reference_script, blank, lang, chosen, bundle_file)
        if form is not None:
            found = _update(found, form, Path(update), Path(docx) if docx else None, run_path, lang, look)
            outputs.pop("word", None)  # the updated report is that file
        _write_findings(found, outputs, run_path, lang, look)
    if not blank and not to_stdout:
        FORMATS["terminal"].load()(found, plain_console(), docx or update)
    for line in (found.get("unreadable") or ())[:_MOST_UNREADABLE]:
        click.echo(
            {
                "zh": f"msprec：无法读取，其中的内容未计入结论：{line}",
                "en": f"msprec: cannot be read, and counts in no conclusion: {line}",
            }[lang],
            err=True,
        )
    _exit_status(found, fail_on)


def _check_standard_output(names: list) -> None:
    texts = [str(form.option) for form in FORMATS.values() if form.kind == "text"]
    for name in names:
        if FORMATS[name].kind != "text":
            raise Failure(f"{FORMATS[name].option} takes the name of a file, not -")
    if len(names) > 1:
        raise Failure(f"only one of {', '.join(texts[:-1])} and {texts[-1]} can go to the standard output")


def _exit_status(found: dict, fail_on: Optional[str]) -> None:
    from msprec.record.checklist_file import all_entries

    wanted = {"problem": ("problem",), "undecided": ("problem", "undecided")}.get(fail_on or "", ())
    if any(entry["conclusion"] in wanted for entry in all_entries(found)):
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


def _conclude(run_dir: Optional[Path], scripts, reference_script, blank: bool, lang: str, only, bundle_file) -> dict:
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
        reference = read_reference_script(reference_script)
        # paused here too: no collection between the judging and the freeze
        with collector_paused():
            found = engine.conclude(run_dir, lang, only, None, read, reference, read_references())
            freeze_gc()
    except (RunFolderError, NoScripts) as error:
        # an archive's folder is a temporary one: the user knows the archive
        raise Failure(str(error).replace(str(run_dir), str(bundle_file)) if bundle_file else str(error)) from None
    for named in filter(None, (read, reference)):
        say_passed(named.passed)
    return found


def _read_form(path: str):
    from msprec.report.form_reader import FormError, read_form

    try:
        return read_form(path)
    except FormError as error:
        raise Failure(str(error)) from None


def _update(found: dict, form, path: Path, out: Optional[Path], run_dir: Optional[Path], lang: str, look: dict) -> dict:
    """Writes the report anew with the person's answers; what it replaces is kept beside it."""
    from msprec.report.update import update_report

    try:
        found, backup = update_report(found, form, path, out, run_dir, lang, **look)
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


def _write_findings(found: dict, outputs: dict, run_dir: Optional[Path], lang: str, look: dict) -> None:
    """Every form of the findings that was asked for; ``-`` is the standard output."""
    for name, path in outputs.items():
        if path == "-":
            # as UTF-8, whatever the terminal's encoding: what reads it expects that
            click.echo(FORMATS[name].load()(found).encode("utf-8", "backslashreplace"), nl=False)
            continue
        try:
            write(name, found, Path(path), run_dir, lang, **look)
        except OSError as error:
            raise Failure(f"cannot write {error.filename or path}: {error.strerror}") from None
