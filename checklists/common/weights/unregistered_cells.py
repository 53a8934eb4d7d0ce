"""Cells with weights in a Python list, tuple or dictionary of a network, which MindSpore does not see (cg.02, cg.03)."""

import re

from msprec.bilingual import Text
from msprec.engine.run_data import RunData

#: What to do about them.
REGISTER = Text(
    "改用 nn.CellList（逐个调用）或 nn.SequentialCell。",
    "Use nn.CellList (called one by one) or nn.SequentialCell.",
)


def unregistered_cells(run_data: RunData) -> list:
    """The entries ``unregistered`` of all networks whose weights no optimizer was given otherwise."""
    return [one for network in run_data.networks for one in network.unregistered if one.in_optimizer is not True]


def several_unregistered(run_data: RunData) -> list:
    """Those of a holder with two cells or more: a single one may be another network that is only pointed at."""
    return [one for one in unregistered_cells(run_data) if (one.length or 0) > 1]


def unregistered_places(run_data: RunData, cells: list) -> list:
    """Where the cells are made, and where the attribute that holds them is assigned."""
    names = {one.holder.rsplit(".", 1)[-1] for one in cells if one.holder}
    lines = [place for name in sorted(names) for place in run_data.find_lines(rf"\bself\.{re.escape(name)}\s*[:=]", 2)]
    return [*(one.created for one in cells), *lines]
