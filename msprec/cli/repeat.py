"""``msprec run --twice`` and ``--repeat N``: whether the loss of a script repeats."""

import os
import sys
from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import Failure, language


def run_repeatedly(
    script: str, args: tuple, folder: Path, times: int, options: tuple, lang: Optional[str], first: tuple = ()
) -> None:
    """The work of `msprec run --twice` and `--repeat N`; ends the process with the script's exit status.

    ``options``: further ones of `msprec run` for all runs; ``first``: for the first alone.
    """
    from msprec.compare.losses import determinism_text
    from msprec.compare.losses.determinism import exit_status, run_repeatedly
    from msprec.record.reader import RunFolderError

    if os.environ.get("MS_ROLE"):
        raise Failure(
            "a distributed run cannot be repeated by one of its workers; run it twice and use msprec compare losses"
        )
    lang = language(lang)
    try:
        found = run_repeatedly(script, list(args), folder, times, ("--lang", lang, *options), first)
    except (OSError, RunFolderError) as error:
        raise Failure(f"the runs cannot be compared: {error}") from None
    for line in determinism_text.lines(found, lang):
        click.echo(f"msprec: {line}", err=True)
    sys.exit(exit_status(found.statuses))
