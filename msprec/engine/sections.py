"""Further parts of ``checklist.json``, which other packages make from the run data."""

import warnings
from functools import cache
from typing import Callable, Optional

from msprec.engine.family import offered

#: Where they are offered: ``key = package.module:function``.
GROUP = "msprec.sections"


@cache
def sections() -> dict[str, Callable[..., Optional[dict]]]:
    """The functions by the key of what they make: called as ``(run_data, lang)``; None leaves the part out.

    One that cannot be imported is left out with a warning: it must not cost the conclusions.
    """
    found = {}
    for entry in offered(GROUP):
        try:
            found[entry.name] = entry.load()
        except Exception as error:
            warnings.warn(f"the section {entry.value} is left out: {type(error).__name__}: {error}", stacklevel=2)
    return found
