"""``msprec compare data``: what two data pipelines deliver."""

import sys
from typing import Optional

import click

from msprec.cli.common import FAIL, LANG, Failure, language


@click.command()
@click.argument("a")
@click.argument("b")
@FAIL
@LANG
def data(a: str, b: str, fail: bool, lang: Optional[str]) -> None:
    """Compare what two data pipelines deliver: samples, order, scale, layout, and which label belongs to which sample.

    A and B are folders of batches (.npz, a column an array), as msprec.compare.data.save_batches(loader, DIR) writes them in a
    PyTorch script as well as in a MindSpore script, or single .npz or .npy files.

    \b
    Examples:
      msprec compare data pytorch_batches mindspore_batches
    """
    from msprec.compare.data import data_text
    from msprec.compare.data.compare import compare_data, read_data
    from msprec.compare.errors import CannotRead

    lang = language(lang)
    try:
        found = compare_data(read_data(a), read_data(b))
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in data_text.lines(found, lang):
        click.echo(line)
    if fail and not data_text.same(found):
        sys.exit(1)
