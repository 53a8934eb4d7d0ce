"""The cells that an IPython shell has run, a notebook's kernel among them."""

import sys
from collections.abc import Iterator

from msprec.record.notebook_cells import Cells
from msprec.runtime import source_locations


def running_shell():
    """IPython's shell of this process, or None; that a package of it was imported makes none."""
    package = sys.modules.get("IPython")
    return package.get_ipython() if package is not None else None


def cells_of(shell, after: int = 0) -> Iterator[tuple]:
    """``(name of its file, number, code)`` of each cell after number ``after`` that has run or runs."""
    history = shell.history_manager
    pairs = list(zip(history.input_hist_parsed, history.input_hist_raw))
    for number, (code, typed) in enumerate(pairs[after + 1 :], after + 1):
        yield _file_of(shell, typed, code, number), number, code


def _file_of(shell, typed: str, code: str, number: int) -> str:
    """The history leaves out the line feed at the end of a cell, from which the name of its file is made too."""
    ran = getattr(shell.compile, "_filename_map", {})
    names = [shell.compile.get_code_name(typed + end, code + end, number) for end in ("", "\n")]
    return next((name for name in names if name in ran), names[0])


def add_cell(cells: Cells, name: str, filename: str, number: int, code: str) -> None:
    """Adds a cell, and counts its file as those lines of the text ``name``."""
    source_locations.add_cell(filename, name, cells.add(number, code))
