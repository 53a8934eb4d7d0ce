"""Where the class of a cell that another line makes is chosen: ``act = nn.Sigmoid`` and, further down, ``act()``."""

import re
from typing import Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def chosen_at(run_data: RunData, made: Optional[Fact], name: str) -> list:
    """At most two lines that name a class and do not call it, and three that name an activation as MindSpore's layers take it,
    ``"relu"``; none where the line that makes the cell names it itself.

    Args:
        run_data: The run.
        made: Where the cell is made.
        name: Of its class.
    """
    named = re.escape(name)
    if not made or run_data.matches_at(rf"(?i)\b{named}\b", made):
        return []
    told = run_data.find_lines(rf"(?i)['\"]{named}['\"]", 3) if name else []
    return run_data.find_lines(rf"^(?!\s*(from|import)\b).*\b{named}\b(?!\s*\()", 2) + told
