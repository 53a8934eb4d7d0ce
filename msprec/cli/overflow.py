"""``msprec overflow``: the first operator that overflowed in a dump."""

import sys
from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language, one_thread_a_product


@click.command()
@click.argument("folder", metavar="DUMP_DIR")
@click.option("--most", type=click.IntRange(1), default=3, show_default=True, help="Overflow files to describe.")
@click.option("--fail-on-overflow", "fail", is_flag=True, help="Exit with 1 when there is an overflow.")
@LANG
def overflow(folder: str, most: int, fail: bool, lang: Optional[str]) -> None:
    """Name the first operator that overflowed in a dump, with its status, its inputs and outputs, and its source line.

    DUMP_DIR holds Ascend's overflow files (Opdebug.Node_OpDebug…, raw or decoded to JSON) and the operators' data; or the
    values of a dump of MindSpore, msprobe, ptdbg or msprec, of which the first that are not finite are named.

    \b
    Examples:
      msprec overflow dump/rank_0
    """
    one_thread_a_product()
    from msprec.compare.dumps import overflow_text
    from msprec.compare.dumps.overflow import find_overflows
    from msprec.compare.errors import CannotRead

    lang = language(lang)
    try:
        result = find_overflows(folder, most)
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in overflow_text.lines(result, lang):
        click.echo(line)
    if fail and result.found:
        sys.exit(1)
