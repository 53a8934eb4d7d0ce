"""A Word document being written: headings, paragraphs, tables, captions, pictures, in the report's one look."""

import contextlib
import io
import re
from datetime import datetime
from pathlib import Path
from typing import Optional

from msprec.report.docx_parts import (
    add_bookmark,
    add_field,
    add_run,
    keep_whole,
    repeat_head,
    set_fonts,
    set_widths,
    shade,
)
from msprec.report.plain_text import clean
from msprec.report.strings import number, words

#: Centimetres between the margins of a portrait and of a landscape page.
WIDTH_CM, WIDE_CM = 16.4, 25.1
#: Rows of a table on the page; the rest is in the CSV beside the report.
MAX_ROWS = 40
# a row with more text than this may be split across pages: kept whole it could leave most of a page empty
_LONG_ROW = 1200
# a table of no more rows is not parted
_SMALL = 14
GREY = "5F6368"
_STYLES = (
    ("Normal", 10),
    ("Title", 18),
    ("Heading 1", 14),
    ("Heading 2", 12),
    ("Heading 3", 11),
    ("Caption", 9),
    ("List Bullet", 10),
)


class Paper:
    """Wraps a python-docx document; counts its figures, tables, bookmarks and controls.

    Args:
        lang: ``zh`` or ``en``.
        head: The page head.
        letter: US letter paper instead of A4.
    """

    def __init__(self, lang: str, head: str, letter: bool = False) -> None:
        from docx import Document

        self.document, self.lang, self.say = Document(), lang, words(lang)
        self.bookmarks = self.figures = self.tables = self.controls = 0
        self._style_ids: dict[str, str] = {}
        self._page(head, letter)
        relations = self.document.part.package.rels
        for name in [key for key, one in relations.items() if one.reltype.endswith("/thumbnail")]:
            del relations[name]  # the library's template brings a picture of its own empty page

    def _page(self, head_text: str, letter: bool) -> None:
        from docx.shared import Cm, Pt, RGBColor

        section = self.document.sections[0]
        width, height = (21.59, 27.94) if letter else (21.0, 29.7)
        section.page_width, section.page_height = Cm(width), Cm(height)
        section.left_margin = section.right_margin = Cm((width - WIDTH_CM) / 2)
        section.top_margin = section.bottom_margin = Cm(1.7 if letter else 1.9)
        for name, size in _STYLES:
            style = self.document.styles[name]
            style.element.get_or_add_rPr()
            set_fonts(style)
            style.font.size = Pt(size)
            if name.startswith(("Heading", "Title")):
                style.font.color.rgb = RGBColor.from_string("1F2933")
        self.document.styles["Normal"].paragraph_format.space_after = Pt(5)
        self.document.styles["Caption"].font.color.rgb = RGBColor.from_string("3C4043")
        add_run(section.header.paragraphs[0], head_text, size=8.5, colour=GREY)
        foot = section.footer.paragraphs[0]
        foot.alignment = 1
        add_run(foot, f"{self.say['page']} ", size=8.5)
        add_field(foot, "PAGE", size=8.5)
        add_run(foot, f" {self.say['of']} ", size=8.5)
        add_field(foot, "NUMPAGES", size=8.5)
        add_run(foot, f" {self.say['end']}", size=8.5)

    def properties(self, title: str, generated: Optional[str]) -> None:
        """Title and times; the clock is not read."""
        core = self.document.core_properties
        core.title, core.author, core.comments = title, "msprec", ""
        core.language = "zh-CN" if self.lang == "zh" else "en-US"
        try:
            core.created = core.modified = datetime.fromisoformat(generated or "").replace(tzinfo=None)
        except (TypeError, ValueError):
            core.created = core.modified = datetime(2000, 1, 1)

    # --- text -------------------------------------------------------------------------------------------------------
    def heading(self, text: str, level: int, bookmark: Optional[str] = None):
        heading = self.paragraph(style=f"Heading {level}")
        set_fonts(heading.add_run(clean(text)))
        if bookmark:
            self.mark(heading, bookmark)
        return heading

    def mark(self, paragraph, bookmark: str) -> None:
        """Makes the paragraph the target ``bookmark``."""
        self.bookmarks += 1
        add_bookmark(paragraph, bookmark, self.bookmarks)

    def paragraph(self, text: str = "", style: Optional[str] = None, **look):
        paragraph = self.document.add_paragraph()
        if style:
            # the library looks a style up by its name anew each time, which is slow
            if style not in self._style_ids:
                self._style_ids[style] = self.document.styles[style].style_id
            paragraph._p.style = self._style_ids[style]
        if text:
            add_run(paragraph, text, **look)
        return paragraph

    def labelled(self, label: str, text, mono: bool = False, ours: bool = False) -> None:
        """``label: text``, or nothing without a text; ``ours``: a text of msprec's own, with code between backticks."""
        if text:
            paragraph = self.paragraph(f"{label}: ", bold=True)
            if ours:
                _inline(paragraph, str(text))
            else:
                add_run(paragraph, text, mono=mono, size=9.5 if mono else None)

    def inline(self, paragraph, text: str, size: Optional[float] = None) -> None:
        """Adds a text of msprec's own to a paragraph: code between backticks, emphasis between asterisks."""
        _inline(paragraph, text, size)

    def markdown(self, head: str, text: str, size: Optional[float] = None) -> None:
        """A heading, then the paragraphs, bullets and fenced code of a text, in letters of ``size`` points."""
        self.heading(head, 3)
        code: list[str] = []
        fenced = False
        for line in text.splitlines():
            if line.strip().startswith("```"):
                if fenced:
                    self.code([(None, c) for c in code], set())
                code, fenced = [], not fenced
            elif fenced:
                code.append(line)
            elif line.strip().startswith(("- ", "* ")):
                _inline(self.paragraph(style="List Bullet"), line.strip()[2:], size)
            elif line.strip():
                _inline(self.paragraph(), line.strip(), size)

    def code(self, lines: list, highlight: set) -> None:
        """Lines of source as (number or None, text), the numbers in ``highlight`` marked by shade and weight."""
        from docx.shared import Pt

        for position, (line, text) in enumerate(lines):
            paragraph = self.document.add_paragraph()
            style = paragraph.paragraph_format
            style.space_after = style.space_before = 0
            style.left_indent = Pt(6)
            # a listing of a page or more cannot stay together
            style.keep_with_next = position + 1 < len(lines) and (len(lines) <= 30 or position < 2)
            shade(paragraph, "FDE9C9" if line in highlight else "F3F5F7")
            sign = "▸" if line in highlight else " "
            number_text = f"{sign}{line:>4}  " if line is not None else ""
            add_run(paragraph, number_text + text, mono=True, size=8.5, bold=line in highlight or None)
        if lines:
            paragraph.paragraph_format.space_after = Pt(6)

    # --- tables and pictures ------------------------------------------------------------------------------------------
    def caption(self, kind: str, text: str) -> None:
        """A numbered caption; ``kind`` is Figure or Table."""
        count = self.figures if kind == "Figure" else self.tables
        paragraph = self.paragraph(style="Caption")
        paragraph.paragraph_format.keep_with_next = kind == "Table"
        add_run(paragraph, f"{self.say[kind.lower()]} ", size=9)
        add_field(paragraph, f"SEQ {kind} \\* ARABIC", str(count), size=9)
        add_run(paragraph, f"  {text}", size=9)

    def table(
        self,
        columns,
        rows: list,
        widths: Optional[list] = None,
        total: float = WIDTH_CM,
        size: float = 9,
        together: bool = True,
    ):
        """A grid whose head is repeated on every page; without ``columns`` it has no head. A small one stays on one page,
        where ``together``."""
        from docx.shared import Pt

        heads = [columns] if columns else []
        width = len(columns or rows[0])
        table = self.document.add_table(rows=len(heads) + len(rows), cols=width)
        table.style = "Table Grid"
        lines = [list(row.cells) for row in table.rows]
        for cell, name in zip(lines[0] if heads else (), columns or ()):
            add_run(cell.paragraphs[0], name, bold=True, size=size)
            shade(cell, "E8EEF4")
            cell.paragraphs[0].paragraph_format.keep_with_next = True
        for line, row in zip(lines[len(heads) :], rows):
            for cell, value in zip(line, row):
                add_run(cell.paragraphs[0], number(value), size=size)
        for row, line in zip(table.rows, lines):
            if sum(len(cell.text) for cell in line) <= _LONG_ROW:
                keep_whole(row)
        if heads:
            repeat_head(table.rows[0])
        whole = together and len(rows) <= _SMALL
        for line in lines:
            for cell in line:
                layout = cell.paragraphs[0].paragraph_format
                layout.space_before = layout.space_after = Pt(1.5)
                if whole and line is not lines[-1]:
                    layout.keep_with_next = True
        set_widths(table, widths or column_widths(columns or [""] * width, rows, total))
        return table

    def numbered_table(self, columns: list, rows: list, title: str, note: Optional[str] = None) -> None:
        """A table with its caption, on a page of its own turned sideways where it is too wide for an upright one."""
        self.tables += 1
        needed = _needed_cm(columns, rows)
        if needed > WIDTH_CM and len(rows) <= 4 and len(columns) > len(rows) + 2:
            # a few rows with many columns are read better upright
            upright = [list(map(number, entry)) for entry in zip(columns, *rows)]
            columns, *rows = upright if len(rows) > 1 else [[self.say["what"], self.say["value"]], *upright]
            needed = _needed_cm(columns, rows)
        # a page of its own is a waste for a few rows that are still read in small letters
        wide = len(columns) >= 6 and needed > WIDTH_CM * (1.5 if len(rows) > 16 else 2.5)
        with self.turned() if wide else contextlib.nullcontext():
            self.caption("Table", title)
            total = WIDE_CM if wide else WIDTH_CM
            self.table(columns, rows, total=total, size=max(6.0, 9 * min(1.0, total / needed)))
            below = self.paragraph(note or "", size=9, colour=GREY)
            below.paragraph_format.space_before = 40_000

    @contextlib.contextmanager
    def turned(self):
        """What is added inside stands on landscape pages."""
        from docx.enum.section import WD_ORIENT, WD_SECTION

        for orient in (WD_ORIENT.LANDSCAPE, WD_ORIENT.PORTRAIT):
            section = self.document.add_section(WD_SECTION.NEW_PAGE)
            section.orientation = orient
            section.page_width, section.page_height = section.page_height, section.page_width
            if orient == WD_ORIENT.LANDSCAPE:
                yield

    def picture(self, png: bytes, title: str, name: str, caption: bool = True, most_cm: float = 21) -> None:
        """A picture over the width of the page, with ``title`` for those who cannot see it; a flat one is no higher than
        ``most_cm``, one with several rows than half as much again."""
        from docx.shared import Cm, Emu

        paragraph = self.document.add_paragraph()
        paragraph.paragraph_format.keep_with_next = caption
        picture = paragraph.add_run().add_picture(io.BytesIO(png))
        ratio = picture.height / max(1, picture.width)
        picture.width = (
            Cm(min(15.8, (most_cm if ratio < 0.5 else 1.5 * most_cm) / max(ratio, 0.01)))
            if caption
            else min(picture.width, Cm(15.8))
        )
        picture.height = Emu(int(picture.width * ratio))
        described = picture._inline.docPr
        described.set("descr", clean(title))
        described.set("name", name)
        if caption:
            self.caption("Figure", title)

    def page_break_before(self, paragraph) -> None:
        paragraph.paragraph_format.page_break_before = True

    def save(self, path: Path) -> None:
        self.document.save(str(path))


def _inline(paragraph, text: str, size: Optional[float] = None) -> None:
    """Code between backticks; what stands between asterisks is bold."""
    for i, part in enumerate(text.split("`")):
        if i % 2:
            add_run(paragraph, part, mono=True, size=min(size or 9.5, 9.5))
            continue
        for j, piece in enumerate(re.split(r"\*+([^*\s][^*]*)\*+", part)):
            if piece:
                add_run(paragraph, piece, bold=True if j % 2 else None, size=size)


def _size(value) -> int:
    """Columns that a text takes, wide characters counted double; 60 characters at the most."""
    return sum(2 if ord(c) > 0x2E80 or c in "×→…" else 1 for c in number(value)[:60])


def _word_size(word: str) -> int:
    """Columns that must stay together: all of a Latin word, a few signs of Chinese, which may be broken anywhere."""
    return min(_size(word), 6) if any(ord(c) > 0x2E80 for c in word) else _size(word)


def _column_sizes(columns: list, rows: list) -> tuple:
    """Of each column: its longest entry, and the longest word in it that should not be broken."""
    longest: list[float] = []
    words_of: list[float] = []
    for i, name in enumerate(columns):
        cells = [number(row[i]) for row in rows[:MAX_ROWS] if i < len(row)]
        # a path or a digest may be broken, though not at every few letters
        parts = [word if len(word) <= 24 else word[:16] for cell in cells for word in cell.split()]
        # heads are bold, and wider where the reader's machine lacks the font
        heads = [1.25 * _word_size(word) for word in str(name).split()]
        words_of.append(max([*heads, *map(_word_size, parts)], default=1))
        longest.append(max([1.25 * _size(name), *map(_size, cells)]))
    return longest, words_of


def _cm(size: float) -> float:
    """At 9 pt a character has about 2 mm, a little more in a wide font, and a column 5 mm of margins and bold heads."""
    return 0.215 * size + 0.5


def column_widths(columns: list, rows: list, total: float = WIDTH_CM) -> list:
    """Column widths in cm: first what keeps words whole, then what is left by the length of what stands in them."""
    longest, words_of = _column_sizes(columns, rows)
    needs = [_cm(w) for w in words_of]
    spare = total - sum(needs)
    if spare <= 0:
        return [total * need / sum(needs) for need in needs]
    wants = [max(0.0, _cm(min(n, 60)) - need) for n, need in zip(longest, needs)]
    given = [need + want * min(1.0, spare / (sum(wants) or 1.0)) for need, want in zip(needs, wants)]
    return [width * min(1.0, total / sum(given)) for width in given]


def _needed_cm(columns: list, rows: list) -> float:
    """The width at which no word of the table is broken."""
    return sum(_cm(w) for w in _column_sizes(columns, rows)[1])
