"""Sequences that end in padding for most of their length (dp.04, cg.03)."""

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Share of the rows that are padded behind alone where all of them are.
_MOST = 0.9


def ends_in_padding(run_data: RunData, pad: Fact) -> bool:
    """Whether the rows of a padded column are padded behind, and dp.04.after of their elements or more are padding."""
    rows, right = pad.rows or 0, pad.right_only or 0
    return bool(rows) and right >= _MOST * rows and (pad.share or 0) >= run_data.limit("dp.04.after")
