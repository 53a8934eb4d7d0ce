"""``msprec explain``: what an item asks, how it is checked and how to fix it."""

import sys
from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language, plain_console


@click.command()
@LANG
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

        plain_console().print(Markdown(document))
    else:
        click.echo(document)
