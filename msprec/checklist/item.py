"""The 24 items: an item is a function in its family's file under ``checklists/``, registered with its id and title."""

from importlib import import_module
from typing import Callable, NamedTuple, Optional

from msprec.checklist.text import Text

FAMILIES = ("ds", "dp", "hp", "api", "cg", "wi", "mp")
_REGISTERED = {}


class Item(NamedTuple):
    id: str
    title: Text
    check: Callable
    ranks: Optional[str] = None

    @property
    def family(self) -> str:
        return self.id.split(".")[0]

    @property
    def text(self) -> str:
        """The docstring of the check: what decides the item, for maintainers."""
        return self.check.__doc__ or ""


def item(id: str, zh: str, en: str, ranks: Optional[str] = None) -> Callable:
    """Register the function below as the check of an item; ``zh`` is the guide's title.

    ``ranks``: how the findings on the ranks of a distributed run make one (``each_rank.WORST`` or ``PROBLEMS``); None:
    the check sees to the ranks itself, or rank 0 stands for all.
    """

    def register(check: Callable) -> Callable:
        _REGISTERED[id] = Item(id, Text(zh, en), check, ranks)
        return check

    return register


def items() -> list:
    """All items, in the guide's order."""
    for family in FAMILIES:
        import_module(f"msprec.checklists.{family}")
    return sorted(_REGISTERED.values(), key=lambda entry: (FAMILIES.index(entry.family), entry.id))


def find(id: str) -> Optional[Item]:
    """The item of that id, or None."""
    return next((entry for entry in items() if entry.id == id), None)
