"""The source lines of operators, out of the graph that MindSpore writes beside a dump.

In ``graphs/ms_output_trace_code_graph_N.ir``, after each operator come ``# Fullname with scope: (Default/…/Conv2D-op0)`` and the
calls that led to it, outermost first: ``# In file /path/net.py:10, 40~49/        code/``. Seen from 2.7.1 and 2.10.0.
"""

import re
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.compare.dumps.dump import files_below

_SCOPE = re.compile(r"#\s*(?:Fullname with scope|Scope):\s*\((?P<scope>[^()]*)\)")
_LINE = re.compile(r"#\s*In file (?P<file>.+?)(?::|\()(?P<line>\d+)(?:\)|, [\d~]+)/(?P<code>.*)/\s*$")
_SEPARATORS = re.compile(r"[./\\ ]")


class Line(NamedTuple):
    """A place in the user's source."""

    file: str
    line: int
    code: str


def source_lines(folder: Path, operators: set) -> dict:
    """``{operator: Line}``: the innermost line outside of MindSpore of each operator, by its name in file names.

    Args:
        folder: The dump, or a folder in it; the graphs may lie beside it.
        operators: The names that are wanted.
    """
    found = {}
    for file in _graphs(folder):
        scope = None
        with open(file, encoding="utf-8", errors="replace") as lines:
            for text in lines:
                head = _SCOPE.search(text)
                if head is not None:
                    scope = _SEPARATORS.sub("_", head["scope"])
                    scope = scope if scope in operators else None
                    continue
                where = _LINE.search(text) if scope is not None else None
                if where is not None and "/mindspore/" not in where["file"].replace("\\", "/"):
                    found[scope] = Line(where["file"], int(where["line"]), where["code"].strip())
                elif text.lstrip().startswith("%"):
                    scope = None
    return found


def _graphs(folder: Path) -> list:
    """The graphs below the folder, or, for a folder inside a dump, below the rank's folder."""
    homes: list[Optional[Path]] = [folder]
    homes += [p for p in folder.resolve().parents if re.fullmatch(r"rank_\d+", p.name)]
    for home in homes:
        files = [f for f in files_below(home, ".ir") if "trace_code" in f.name]
        if files:
            return files
    return []
