"""The checklist engine: facts in, findings out. Names no item; never imports MindSpore and never reads the clock."""

from msprec.engine.family import Family, families, find, items
from msprec.engine.item import Item, item
from msprec.engine.runner import blank, conclude, default_thresholds
from msprec.engine.thresholds import Threshold, UnknownThreshold

__all__ = [
    "Family",
    "Item",
    "Threshold",
    "UnknownThreshold",
    "blank",
    "conclude",
    "default_thresholds",
    "families",
    "find",
    "item",
    "items",
]
