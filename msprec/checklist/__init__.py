"""The checklist engine: facts in, findings out. Never imports MindSpore and never reads the clock."""

from msprec.checklist.item import FAMILIES, Item, find, items
from msprec.checklist.runner import blank, conclude, write_checklist
from msprec.checklist.thresholds import DEFAULTS, Threshold, UnknownThreshold

__all__ = [
    "DEFAULTS",
    "FAMILIES",
    "Item",
    "Threshold",
    "UnknownThreshold",
    "blank",
    "conclude",
    "find",
    "items",
    "write_checklist",
]
