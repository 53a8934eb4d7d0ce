"""``msprec env``: versions, hardware and variables, ready to paste."""

from typing import Optional

import click

from msprec.cli.common import LANG, language


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--keep", multiple=True, metavar="KIND_OR_TEXT", help="Do not replace this; see msprec bundle --help.")
@LANG
def env(as_json: bool, keep: tuple, lang: Optional[str]) -> None:
    """Versions, hardware, driver and the environment variables that matter, ready to paste into a request for help.

    Secrets, names of users and hosts, addresses and home paths are replaced, as `msprec bundle` does.

    \b
    Examples:
      msprec env
      msprec env --json
    """
    import json

    from msprec.bundle.machine import scrubber_of_this_machine
    from msprec.env import as_text, environment

    found = scrubber_of_this_machine(keep).value(environment(), "env")
    text = json.dumps(found, ensure_ascii=False, indent=1) if as_json else as_text(found, language(lang)).rstrip("\n")
    click.echo(text)
