"""Further parts of ``checklist.json``, which other packages make from the run data."""

from functools import cache
from importlib.metadata import distributions
from typing import Callable, Optional

#: Where they are offered: ``key = package.module:function``.
GROUP = "msprec.sections"


@cache
def sections() -> dict[str, Callable[..., Optional[dict]]]:
    """The functions by the key of what they make: called as ``(run_data, lang)``; None leaves the part out."""
    # not entry_points(), for the reason that stands in family.py
    entries = (entry for found in distributions() for entry in found.entry_points if entry.group == GROUP)
    return {entry.name: entry.load() for entry in entries}
