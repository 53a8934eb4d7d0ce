"""Scripts that are read, not run: what ``--also`` names, and what was passed over."""

import os

import click

from msprec.cli.common import Failure


def read_also(paths: tuple):
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


def say_passed(passed: list) -> None:
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
