"""The texts of an item: why, how to check, how to fix, in Chinese and English.

They stand in the item's folder as markdown, a file a language (``zh.md``, ``en.md``): the title as the one ``# `` heading, and
three ``## `` headings that open why, check and fix, in this order.
"""

from functools import cache
from importlib import resources
from typing import NamedTuple

LANGUAGES = ("zh", "en")

_PARTS = {
    "为什么": "why",
    "怎么查": "check",
    "怎么改": "fix",
    "Why": "why",
    "How to check": "check",
    "How to fix": "fix",
}


class ItemText(NamedTuple):
    """The text of one item in one language; why, check and fix are simple markdown."""

    title: str
    why: str
    check: str
    fix: str


@cache
def item_text(package: str, lang: str) -> ItemText:
    """The text of the item whose folder is ``package``. Raises KeyError for a language that does not exist."""
    if lang not in LANGUAGES:
        raise KeyError(f"no texts in language {lang!r}; there are: {', '.join(LANGUAGES)}")
    name = f"{lang}.md"
    return _parse((resources.files(package) / name).read_text(encoding="utf-8"), f"{package}/{name}")


def _parse(text: str, name: str) -> ItemText:
    parts: dict[str, list[str]] = {}
    title, lines, in_code = "", None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        if not in_code and line.startswith("# "):
            title = line[2:].strip()
        elif not in_code and line.startswith("## "):
            part = _PARTS.get(line[3:].strip())
            if part is None:
                raise ValueError(f"{name}:{number}: unexpected heading {line!r}")
            lines = parts.setdefault(part, [])
        elif lines is not None:
            lines.append(line)
    return ItemText(title, *("\n".join(parts[part]).strip() for part in ("why", "check", "fix")))
