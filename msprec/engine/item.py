"""An item: a check in a folder of its own, beside its texts in two languages and its thresholds."""

from typing import Callable, NamedTuple, Optional

from msprec.bilingual import Text
from msprec.engine.thresholds import Threshold, thresholds_in
from msprec.item_texts import LANGUAGES, ItemText, item_text

_REGISTERED: dict = {}


class Item(NamedTuple):
    """``package``: the dotted name of the item's folder."""

    id: str
    check: Callable
    package: str
    ranks: Optional[str] = None
    after: Optional[Callable] = None

    @property
    def family(self) -> str:
        """The part of the id before the point: ``mp``."""
        return self.id.split(".")[0]

    @property
    def title(self) -> Text:
        """The guide's title, in both languages."""
        return Text(*(self.text(lang).title for lang in LANGUAGES))

    def text(self, lang: str) -> ItemText:
        """Why, how to check, how to fix. Raises KeyError for a language that does not exist."""
        return item_text(self.package, lang)

    @property
    def thresholds(self) -> dict[str, Threshold]:
        """The numbers that its conclusion rests on, by their whole names (``ds.03.ratio``)."""
        return thresholds_in(self.package, self.id)


def item(id: str, ranks: Optional[str] = None, after: Optional[Callable] = None) -> Callable:
    """Register the function below as the check of an item.

    ``ranks``: how the findings on the ranks of a distributed run make one (``rank_merge.WORST`` or ``PROBLEMS``); None:
    the check sees to the ranks itself, or rank 0 stands for all. ``after(id, run_data, finding)`` gives the finding that
    counts, from that of all ranks together: what several items add in the same way, such as a comparison.
    """

    def register(check: Callable) -> Callable:
        _REGISTERED[check.__module__] = Item(id, check, check.__module__.rpartition(".")[0], ranks, after)
        return check

    return register


def registered_in(module: str) -> Item:
    """The item that a module registered. Raises ValueError where it registered none."""
    if module not in _REGISTERED:
        raise ValueError(f"{module} registers no item: a check carries the decorator @item(id)")
    return _REGISTERED[module]
