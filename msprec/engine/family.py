"""A family of items: a package with a folder an item, found by the entry-point group ``msprec.checklists``."""

import re
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.item import Item, registered_in

#: Where packages offer their families: ``name = package.module:FAMILY``.
GROUP = "msprec.checklists"
#: How ids look: a family's in lower case, and its items' with two digits after a point.
FAMILY_ID = r"[a-z][a-z0-9_]{0,19}"
ITEM_ID = rf"{FAMILY_ID}\.\d\d"
#: Place of a family that does not stand in the guide.
BEYOND = 1000


class Family:
    """``id``: what its items' ids begin with, like `FAMILY_ID` (else ValueError). ``package``: the dotted name of its package;
    ``items``: the item folders in it.

    ``guide``: its place among the families of MindSpore's guide; `BEYOND` for any other, which follow by their ids.
    """

    def __init__(self, id: str, zh: str, en: str, package: str, items: Iterable[str], guide: int = BEYOND):
        if not re.fullmatch(FAMILY_ID, id):
            raise ValueError(f"{id!r} is no id of a family: lower-case letters, digits and _, at most 20")
        self.id, self.title, self.package = id, Text(zh, en), package
        self.folders, self.guide = tuple(items), guide

    @property
    def beyond(self) -> bool:
        """Whether it stands outside MindSpore's guide."""
        return self.guide == BEYOND

    def items(self) -> list[Item]:
        """Its items in order; each folder holds a ``check.py`` that registers one with an id of this family (else ValueError)."""
        found = [registered_in(import_module(f"{self.package}.{folder}.check").__name__) for folder in self.folders]
        for item in found:
            if item.family != self.id or not re.fullmatch(ITEM_ID, item.id):
                raise ValueError(f"{item.package}: {item.id!r} is no id of an item of {self.id}, such as {self.id}.01")
        return found


def offered(group: str) -> list[EntryPoint]:
    """The entry points of a group, of all distributions that are installed."""
    return [entry for entry in _installed() if entry.group == group]


@cache
def _installed() -> tuple[EntryPoint, ...]:
    # not entry_points(): that hides an installed distribution behind an older build folder in the working directory
    return tuple(entry for found in distributions() for entry in found.entry_points)


@cache
def families() -> tuple[Family, ...]:
    """All families that are installed, those of the guide first. Raises RuntimeError where msprec itself is not installed.

    A family from elsewhere that cannot be used (an import that fails, an id that is taken, an item without its texts) is left out
    with a warning: it must not cost the guide's conclusions.
    """
    entries = {entry.value: entry for entry in offered(GROUP)}
    own = [entry.load() for value, entry in entries.items() if value.startswith(f"{GROUP}.")]
    if not own:
        raise RuntimeError("msprec is not installed, so its checklists are not found: pip install .")
    known = {family.id: family for family in own}
    for value in sorted(value for value in entries if not value.startswith(f"{GROUP}.")):
        try:
            family = _usable(entries[value].load(), known)
            known[family.id] = family
        except Exception as error:
            warnings.warn(f"the checklist family {value} is left out: {type(error).__name__}: {error}", stacklevel=2)
    return tuple(sorted(known.values(), key=lambda family: (family.guide, family.id)))


def _usable(family: Family, known: dict) -> Family:
    """A family from elsewhere, whose id is free, which stands beyond the guide and whose items have all that an item needs."""
    if family.id in known:
        raise ValueError(f"the id {family.id!r} is taken by {known[family.id].package}")
    if not family.beyond:
        raise ValueError("only msprec's own families have a place in the guide")
    for item in family.items():
        _ = item.title, item.thresholds
    return family


@cache
def items() -> tuple[Item, ...]:
    """All items, in the guide's order, then those beyond it."""
    return tuple(item for family in families() for item in family.items())


def find(id: str) -> Optional[Item]:
    """The item of that id, or None."""
    return next((item for item in items() if item.id == id), None)
