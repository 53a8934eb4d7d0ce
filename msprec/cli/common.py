"""What the commands of the comparisons share. Nothing heavy is imported before a command needs it."""

import os
import sys
from pathlib import Path
from typing import Optional

import click

LANG = click.option("--lang", type=click.Choice(["zh", "en"]), help="Language; default: the locale's.")
FULL = click.option(
    "--full", is_flag=True, help="The Word report with an appendix: methods, thresholds and all evidence of every item."
)
PAPER = click.option(
    "--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Paper of the Word report."
)
FAIL = click.option("--fail-on-difference", "fail", is_flag=True, help="Exit with 1 when the two differ.")

RENAME = click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="PATTERN=NAME",
    help="Change names of B by a regular expression; may be given again.",
)
MAP = click.option("--map", "mapping", metavar="F", help="Names of A and B that belong together: JSON, CSV or lines.")
WORST = click.option(
    "--worst", type=click.IntRange(0), default=20, show_default=True, help="Rows to show, worst first."
)
CSV = click.option("--csv", "csv_file", metavar="F.csv", help="Write every pair there.")
JSON = click.option("--json", "json_file", metavar="F.json", help="Write the conclusion there (- for standard output).")


class Failure(click.ClickException):
    """One clear line on stderr and exit status 2."""

    exit_code = 2

    def show(self, file=None) -> None:
        click.echo(f"msprec: {self.message}", err=True)


def language(lang: Optional[str]) -> str:
    """``lang``, or the locale's."""
    from msprec.report.strings import default_lang

    if lang is None and default_lang() == "zh":
        # what the locale chooses must be readable where it is printed
        return "zh" if can_encode("中文", sys.stdout) else "en"
    return lang or default_lang()


def can_encode(text: str, stream) -> bool:
    """Whether a stream can print the text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def plain_console(stderr: bool = False):
    """A rich console that colours no words of its own accord, on standard output or standard error."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def make_console():
    """A rich console on the standard output stream."""
    from rich.console import Console

    # rows are cut for a terminal only; in a file or a pipe each stays one line
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 400)


def write(what: dict) -> None:
    """Writes ``{path: bytes}``; a path that is None is left out."""
    for path, make in what.items():
        if path is None:
            continue
        try:
            Path(path).write_bytes(make())
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror or error}") from None


def one_thread_a_product() -> None:
    """Pairs are compared on all cores at once; a BLAS that starts threads of its own for each would only be in the way.
    Takes effect where NumPy has not been imported yet."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def give_json(target: Optional[str], what: dict) -> None:
    """Writes what was found as JSON into a file, or to the standard output stream for ``-``; ``None``: not at all."""
    if target is None:
        return
    import json

    from msprec.record.writer import plain

    text = json.dumps(plain(what), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if target == "-":
        click.echo(text, nl=False)
    else:
        write({target: lambda: text.encode("utf-8", "backslashreplace")})


def measures(pair) -> dict:
    """The statistics of a pair, flat."""
    found = {name: getattr(pair, name) for name in ("cosine", "max_abs", "mean_abs", "max_rel", "within", "identical")}
    for side in ("a", "b"):
        found.update({f"{name}_{side}": value for name, value in getattr(pair, side)._asdict().items()})
    return found


def table_csv(entries: list) -> bytes:
    """A CSV table of dictionaries, with a column for every key; no cell is a formula."""
    import csv
    import io

    from msprec.record.cells import harmless_text

    columns = list(dict.fromkeys(key for entry in entries for key in entry))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: harmless_text(value) for key, value in entry.items()} for entry in entries)
    return buffer.getvalue().encode("utf-8", "backslashreplace")
