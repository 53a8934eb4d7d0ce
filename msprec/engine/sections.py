"""Further parts of ``checklist.json``, which other packages make from the run data."""

from functools import cache
from typing import Callable, Optional

from msprec.engine.family import offered

#: Where they are offered: ``key = package.module:function``.
GROUP = "msprec.sections"


@cache
def sections() -> dict[str, Callable[..., Optional[dict]]]:
    """The functions by the key of what they make: called as ``(run_data, lang)``; None leaves the part out."""
    return {entry.name: entry.load() for entry in offered(GROUP)}
