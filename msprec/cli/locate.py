"""``msprec locate``: the first non-finite value of a recorded run, once more."""

from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language
from msprec.cli.mindspore_needed import require_mindspore


@click.command()
@click.option("--json", "json_file", metavar="F.json", help="Write what was found there (- for standard output).")
@LANG
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
    require_mindspore()
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
