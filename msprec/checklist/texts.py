"""The texts of the 24 items: why, how to check, how to mend, in Chinese and English.

They stand in `msprec.checklists` as markdown, one file a family and language (`mp.zh.md`, `mp.en.md`):
`## mp.02 <title>` opens an item, and its three `### ` headings open why, check and mend, in this order.
"""

from functools import cache
from importlib import resources
from typing import NamedTuple

FAMILIES = ("ds", "dp", "hp", "api", "cg", "wi", "mp")
LANGUAGES = ("zh", "en")

_PARTS = {
    "为什么": "why",
    "怎么查": "check",
    "怎么改": "mend",
    "Why": "why",
    "How to check": "check",
    "How to mend": "mend",
}


class ItemText(NamedTuple):
    """The text of one item in one language; why, check and mend are simple markdown."""

    id: str
    title: str
    why: str
    check: str
    mend: str


def all_ids() -> tuple[str, ...]:
    """The ids of all items, in the guide's order."""
    return tuple(item_id for family in FAMILIES for item_id in _family(family, "en"))


def item_text(item_id: str, lang: str) -> ItemText:
    """The text of one item. Raises KeyError for an id or a language that does not exist."""
    if lang not in LANGUAGES:
        raise KeyError(f"no texts in language {lang!r}; there are: {', '.join(LANGUAGES)}")
    family = item_id.split(".")[0]
    items = _family(family, lang) if family in FAMILIES else {}
    if item_id not in items:
        raise KeyError(f"no item {item_id!r}; the items are: {', '.join(all_ids())}")
    return items[item_id]


@cache
def _family(family: str, lang: str) -> dict[str, ItemText]:
    name = f"{family}.{lang}.md"
    text = (resources.files("msprec.checklists") / name).read_text(encoding="utf-8")
    return _parse(text, name)


def _parse(text: str, name: str) -> dict[str, ItemText]:
    items: dict[str, dict[str, object]] = {}
    item, lines, in_code = None, None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        if not in_code and line.startswith("## "):
            item_id, _, title = line[3:].strip().partition(" ")
            item, lines = {"title": title.strip()}, None
            items[item_id] = item
        elif not in_code and line.startswith("### "):
            part = _PARTS.get(line[4:].strip())
            if part is None or item is None:
                raise ValueError(f"{name}:{number}: unexpected heading {line!r}")
            lines = item.setdefault(part, [])
        elif lines is not None:
            lines.append(line)
    return {
        item_id: ItemText(item_id, parts["title"], *("\n".join(parts[p]).strip() for p in ("why", "check", "mend")))
        for item_id, parts in items.items()
    }
