"""Where a class is chosen that another line makes a cell of: ``act = nn.Sigmoid`` and, further down, ``act()`` (td.02, td.03)."""

import re
from typing import Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def chosen_at(run_data: RunData, made: Optional[Fact], name: str) -> list:
    """At most two lines that name a class and do not call it; none where the line that makes the cell names it itself.

    Args:
        run_data: The run.
        made: Where the cell is made.
        name: Of its class.
    """
    if not made or run_data.matches_at(rf"\b{re.escape(name)}\b", made):
        return []
    return run_data.find_lines(rf"^(?!\s*(from|import)\b).*\b{re.escape(name)}\b(?!\s*\()", 2)
