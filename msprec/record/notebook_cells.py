"""The code of a notebook as one text, `NAME`, with its cells in the order in which they ran; and places in it told by cell."""

import re
from typing import Any, Optional

NAME = "notebook.py"
_PLACE = re.compile(re.escape(NAME) + r":(\d+)")


class Cells:
    """The cells that have run, each a part of one text."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._listed: list[dict] = []

    @property
    def text(self) -> str:
        """All of them, with a line before each that says which it is."""
        return "\n".join(self._lines) + "\n"

    def add(self, number: int, code: str) -> int:
        """Adds the code of the cell ``number``. Gives how many lines stand before its first."""
        self._lines += ["", f"# In[{number}]"] if self._lines else [f"# In[{number}]"]
        before, lines = len(self._lines), code.splitlines()
        self._lines += lines
        self._listed.append({"number": number, "first": before + 1, "last": before + max(1, len(lines))})
        return before

    def facts(self) -> list:
        """``cells`` of ``run.json``."""
        return list(self._listed)


def by_cells(document: dict, run: dict) -> dict:
    """``checklist.json`` of a notebook with places as ``In[3]`` and the line there; any other as it is.

    Args:
        document: The dict of ``checklist.json``.
        run: The dict of ``run.json``.
    """
    cells = [cell for cell in run.get("cells") or () if isinstance(cell, dict)] if isinstance(run, dict) else []
    cells = [cell for cell in cells if all(isinstance(cell.get(key), int) for key in ("number", "first", "last"))]
    return _by_cells(document, cells) if cells else document


def _by_cells(value: Any, cells: list) -> Any:
    if isinstance(value, str):
        return _PLACE.sub(lambda found: _told(int(found[1]), cells) or found[0], value)
    if isinstance(value, list):
        return [_by_cells(one, cells) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("file") == NAME:
        value = _excerpt(value, cells) if "first_line" in value else _place(value, cells)
    return {key: _by_cells(one, cells) for key, one in value.items()}


def _cell_of(line: Any, cells: list) -> Optional[dict]:
    return next((cell for cell in cells if isinstance(line, int) and cell["first"] <= line <= cell["last"]), None)


def _told(line: int, cells: list) -> Optional[str]:
    cell = _cell_of(line, cells)
    return f"In[{cell['number']}]:{line - cell['first'] + 1}" if cell else None


def _place(place: dict, cells: list) -> dict:
    cell = _cell_of(place.get("line"), cells)
    return {**place, "file": f"In[{cell['number']}]", "line": place["line"] - cell["first"] + 1} if cell else place


def _excerpt(piece: dict, cells: list) -> dict:
    """An excerpt, cut to the cell of its highlighted line."""
    first, lines = piece["first_line"], str(piece.get("code") or "").split("\n")
    marked = [line for line in piece.get("highlight") or () if isinstance(line, int)]
    cell = _cell_of(marked[0] if marked else first, cells)
    if cell is None or not isinstance(first, int):
        return piece
    begin, end = max(first, cell["first"]), min(first + len(lines) - 1, cell["last"])
    return {
        **piece,
        "file": f"In[{cell['number']}]",
        "first_line": begin - cell["first"] + 1,
        "code": "\n".join(lines[begin - first : end - first + 1]),
        "highlight": [line - cell["first"] + 1 for line in marked if begin <= line <= end],
    }
