"""Evidence on the page: texts, listings, tables and figures, each printed once."""

import csv
import json
from pathlib import Path
from typing import Optional

from docx.shared import Pt

from msprec.engine.runner import THRESHOLDS_USED
from msprec.record.cells import harmless_text
from msprec.report.docx_builder import MAX_ROWS, Paper
from msprec.report.figures import draw
from msprec.report.strings import number

# rows of a table in an item's section; all that the report holds stand in the appendix of the full report
_ROWS = 12
# height of a figure in an item's section
_HEIGHT_CM = 5.5
# lines of a listing on the page
_MAX_LINES = 60


class EvidenceWriter:
    """Writes the evidence of one item after the other.

    Args:
        paper: The document.
        run_dir: The run folder, for the figures of its steps.
        path: The report: tables that are cut go whole, as CSV, into the folder ``<name>_tables`` beside it.
        full: Whether tables keep `MAX_ROWS` rows and thresholds are told.
    """

    def __init__(self, paper: Paper, run_dir: Optional[Path], path: Path, full: bool = False) -> None:
        self.paper, self.run_dir, self.path, self.full = paper, run_dir, path, full
        #: What was printed where, and whether whole
        self.printed: dict[str, tuple] = {}
        self.lines: dict[str, set] = {}

    def write(self, pieces: list, name: str) -> None:
        """The evidence of one item; ``name`` begins the names of its files."""
        for position, piece in _merged(pieces):
            if self.full or piece.get("title") not in THRESHOLDS_USED:
                self._piece(piece, f"{name}_{position + 1}")

    def _piece(self, piece: dict, name: str) -> None:
        kind = piece.get("kind")
        if kind == "text":
            self.paper.labelled(piece.get("title") or self.paper.say["evidence"], piece.get("text"))
        elif kind == "code":
            self._code(piece)
        elif kind == "table" and piece.get("columns"):
            self._once(piece, lambda: self._rows(piece, name), "Table")
        elif kind == "figure":
            self._once(piece, lambda: self.figure(piece), "Figure")

    def _once(self, piece: dict, write, kind: str) -> None:
        """Writes the table or figure, or names the one that shows the same."""
        title = piece.get("title") or ""
        known = {key: value for key, value in piece.items() if key not in ("title", "note", "source")}
        key = json.dumps(known, sort_keys=True, default=str)
        where, whole = self.printed.get(key, ("", False))
        if whole or (where and not self.full):
            self.paper.labelled(title, self.paper.say["see"].format(what=where))
        else:
            whole = write() is not False
            count = self.paper.tables if kind == "Table" else self.paper.figures
            self.printed[key] = f"{self.paper.say[kind.lower()]} {count}", whole

    def _code(self, piece: dict) -> None:
        file, first = str(piece.get("file", "")), int(piece.get("first_line") or 1)
        lines = list(enumerate(str(piece.get("code", "")).split("\n"), first))[:_MAX_LINES]
        place = f"{file}:{(piece.get('highlight') or [first])[0]}"
        seen = self.lines.setdefault(file, set())
        if all(line in seen for line, text in lines if text.strip()):
            self.paper.labelled(piece.get("title") or "", self.paper.say["shown_above"].format(place=place))
            return
        head = self.paper.paragraph(f"{piece.get('title') or ''}  ({place})", bold=True, size=9.5)
        head.paragraph_format.keep_with_next = True
        head.paragraph_format.space_after = Pt(2)
        shown = [(line, text) for line, text in lines if line not in seen]
        seen.update(line for line, _ in lines)
        self.paper.code(shown, set(piece.get("highlight") or ()))

    def _rows(self, piece: dict, name: str) -> bool:
        """Writes the table; whether all of its rows are there."""
        columns, rows = _filled(piece.get("columns") or [], piece.get("rows") or [])
        most = MAX_ROWS if self.full else _ROWS
        # a row or two more are no reason to cut
        most = len(rows) if len(rows) <= most + 2 else most
        notes = [piece.get("note")]
        if len(rows) > most:
            file = self.beside(f"{name}.csv")
            write_csv(file, columns, rows)
            say = self.paper.say["more_rows"]
            notes.append(say.format(count=len(rows) - most, all=len(rows), file=f"{file.parent.name}/{file.name}"))
        shown = [list(row) for row in rows[:most]]
        self.paper.numbered_table(columns, shown, piece.get("title") or "", " ".join(filter(None, notes)))
        return len(rows) <= most

    def figure(self, piece: dict) -> None:
        """A figure with its caption; what cannot be drawn is said."""
        title = piece.get("title") or piece.get("figure", "")
        try:
            png = draw(piece.get("figure", ""), piece.get("data") or {}, self.run_dir, self.paper.lang)
        except Exception as error:  # odd data of one figure must not cost the user the report
            problem = self.paper.say["figure_failed"].format(error=f"{type(error).__name__}: {error}")
            self.paper.labelled(title, problem)
            return
        if png is not None:
            self.paper.figures += 1
            most = 21 if self.full or piece.get("figure") == "label_sheet" else _HEIGHT_CM
            self.paper.picture(png, title, f"msprec figure {self.paper.figures}", most_cm=most)

    def beside(self, name: str) -> Path:
        """A file in the folder beside the report."""
        folder = self.path.with_name(f"{self.path.stem}_tables")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def _filled(columns: list, rows: list) -> tuple:
    """The table without columns in which nothing stands."""
    kept = [
        i for i in range(len(columns)) if not rows or any(i < len(row) and row[i] not in (None, "") for row in rows)
    ]
    return [columns[i] for i in kept], [[row[i] if i < len(row) else None for i in kept] for row in rows]


def _merged(pieces: list) -> list:
    """(position, piece): excerpts of one file that touch or overlap become one."""
    out: list = []
    for position, piece in enumerate(pieces):
        last = next((one for _, one in reversed(out) if one.get("kind") == "code"), None)
        if piece.get("kind") == "code" and last is not None and _touch(last, piece):
            _join(last, piece)
        else:
            out.append((position, dict(piece)))
    return out


def _span(piece: dict) -> tuple:
    first = int(piece.get("first_line") or 1)
    return first, first + str(piece.get("code", "")).count("\n")


def _touch(one: dict, other: dict) -> bool:
    (a, b), (c, d) = _span(one), _span(other)
    return one.get("file") == other.get("file") and c <= b + 1 and a <= d + 1


def _join(one: dict, other: dict) -> None:
    lines: dict[int, str] = {}
    for piece in (other, one):
        lines.update(enumerate(str(piece.get("code", "")).split("\n"), int(piece.get("first_line") or 1)))
    titles = dict.fromkeys(filter(None, (one.get("title"), other.get("title"))))
    marked = dict.fromkeys([*(one.get("highlight") or ()), *(other.get("highlight") or ())])
    code = "\n".join(lines[line] for line in sorted(lines))
    one.update(first_line=min(lines), code=code, highlight=list(marked), title="; ".join(titles))


def write_csv(file: Path, columns: list, rows: list) -> None:
    """A table as CSV that spreadsheets read as UTF-8; a text that they would take for a formula gets an apostrophe."""
    with open(file, "w", encoding="utf-8-sig", errors="backslashreplace", newline="") as handle:
        writer = csv.writer(handle)
        for row in [columns, *rows]:
            writer.writerow([harmless_cell(value) for value in row])


def harmless_cell(value):
    """A value for a CSV file, as `msprec.record.cells.harmless_text` has it, with numbers as the report writes them."""
    return number(value) if value is None or isinstance(value, bool) else harmless_text(value)
