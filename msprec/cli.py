"""The commands: arguments in, one call, text out."""

import click

from msprec._version import __version__


@click.group()
@click.version_option(__version__, prog_name="msprec")
def main() -> None:
    """Find out why a MindSpore training run ends with the wrong accuracy."""
