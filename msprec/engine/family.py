"""A family of items: a package with a folder an item, found by the entry-point group ``msprec.checklists``."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import distributions
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.item import Item, registered_in

#: Where packages offer their families: ``name = package.module:FAMILY``.
GROUP = "msprec.checklists"
#: Place of a family that does not stand in the guide.
BEYOND = 1000


class Family:
    """``id``: what its items' ids begin with. ``package``: the dotted name of its package; ``items``: the item folders in it.

    ``guide``: its place among the families of MindSpore's guide; `BEYOND` for any other, which follow by their ids.
    """

    def __init__(self, id: str, zh: str, en: str, package: str, items: Iterable[str], guide: int = BEYOND):
        self.id, self.title, self.package = id, Text(zh, en), package
        self.folders, self.guide = tuple(items), guide

    @property
    def beyond(self) -> bool:
        """Whether it stands outside MindSpore's guide."""
        return self.guide == BEYOND

    def items(self) -> list[Item]:
        """Its items in order; each folder holds a ``check.py`` that registers one (else ValueError)."""
        return [registered_in(import_module(f"{self.package}.{folder}.check").__name__) for folder in self.folders]


@cache
def families() -> tuple[Family, ...]:
    """All families that are installed, those of the guide first. Raises RuntimeError where msprec itself is not installed."""
    # not entry_points(): that hides an installed distribution behind an older build folder in the working directory
    entries = (entry for found in distributions() for entry in found.entry_points if entry.group == GROUP)
    loaded = {entry.value: entry.load() for entry in entries}
    if not any(not family.beyond for family in loaded.values()):
        raise RuntimeError("msprec is not installed, so its checklists are not found: pip install .")
    return tuple(sorted(loaded.values(), key=lambda family: (family.guide, family.id)))


@cache
def items() -> tuple[Item, ...]:
    """All items, in the guide's order, then those beyond it."""
    return tuple(item for family in families() for item in family.items())


def find(id: str) -> Optional[Item]:
    """The item of that id, or None."""
    return next((item for item in items() if item.id == id), None)
