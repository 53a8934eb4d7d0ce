"""The findings as a Word document. Nothing is decided here and the clock is not read."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Optional

from msprec.report.figures import draw
from msprec.report.wording import COLOURS, CONCLUSIONS, FAMILIES, MARKS, number, words

MAX_ROWS = 40
_WIDTH_CM = 16.4


def write_word(checklist: dict, path, run_dir: Optional[Path] = None, lang: Optional[str] = None) -> None:
    """Writes the report.

    Args:
        checklist: The dict of ``checklist.json``.
        path: The .docx file to write.
        run_dir: The run folder, for the table of the run and the figures of its steps; None for a blank form.
        lang: ``zh`` or ``en``; default: the checklist's own.

    Raises:
        OSError: ``path`` cannot be written.
    """
    _Report(checklist, Path(run_dir) if run_dir else None, lang or checklist.get("lang", "en")).write(Path(path))


class _Report:
    def __init__(self, checklist: dict, run_dir: Optional[Path], lang: str) -> None:
        from docx import Document

        self.checklist, self.run_dir, self.lang = checklist, run_dir, "zh" if lang == "zh" else "en"
        self.say, self.names, self.families = words(self.lang), CONCLUSIONS[self.lang], FAMILIES[self.lang]
        self.run = _read_json(run_dir / "run.json") if run_dir else {}
        self.document = Document()
        self.bookmarks, self.figures, self.tables = 0, 0, 0

    def write(self, path: Path) -> None:
        self._page()
        self._front()
        self._summary()
        family = None
        for item in self.checklist["items"]:
            if item["id"].split(".")[0] != family:
                family = item["id"].split(".")[0]
                self._heading(self.families[family], 1)
            self._item(item)
        self.document.save(str(path))

    # --- the page -----------------------------------------------------------------------------------------------
    def _page(self) -> None:
        from docx.shared import Cm, Pt, RGBColor

        from msprec.report.docx_parts import add_field, add_run, set_fonts

        section = self.document.sections[0]
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = Cm(2.3)
        section.top_margin = section.bottom_margin = Cm(2.2)
        for name, size in (("Normal", 10.5), ("Title", 24), ("Heading 1", 16), ("Heading 2", 13), ("Heading 3", 11),
                           ("Caption", 9), ("List Bullet", 10.5)):  # fmt: skip
            style = self.document.styles[name]
            style.element.get_or_add_rPr()
            set_fonts(style)
            style.font.size = Pt(size)
            if name.startswith(("Heading", "Title")):
                style.font.color.rgb = RGBColor.from_string("1F2933")
        self.document.styles["Normal"].paragraph_format.space_after = Pt(5)
        head = section.header.paragraphs[0]
        script = Path(self.run.get("script") or "").name
        add_run(head, f"msprec {self._version()}" + (f" · {script}" if script else ""), size=8.5, colour="5F6368")
        foot = section.footer.paragraphs[0]
        foot.alignment = 1
        add_run(foot, f"{self.say['page']} ", size=8.5)
        add_field(foot, "PAGE", size=8.5)
        add_run(foot, f" {self.say['of']} ", size=8.5)
        add_field(foot, "NUMPAGES", size=8.5)
        add_run(foot, f" {self.say['end']}", size=8.5)
        self._properties()

    def _version(self) -> str:
        return str(self.checklist.get("tool", {}).get("version", ""))

    def _properties(self) -> None:
        core = self.document.core_properties
        core.title, core.author, core.comments = self.say["title"], "msprec", ""
        try:
            core.created = core.modified = datetime.fromisoformat(self.checklist["generated"]).replace(tzinfo=None)
        except (KeyError, TypeError, ValueError):
            core.created = core.modified = datetime(2000, 1, 1)

    # --- pieces -------------------------------------------------------------------------------------------------
    def _heading(self, text: str, level: int, bookmark: Optional[str] = None):
        from msprec.report.docx_parts import add_bookmark, clean, set_fonts

        heading = self.document.add_heading(clean(text), level)
        for run in heading.runs:
            set_fonts(run)
        if bookmark:
            self.bookmarks += 1
            add_bookmark(heading, bookmark, self.bookmarks)
        return heading

    def _paragraph(self, text: str, **style):
        from msprec.report.docx_parts import add_run

        paragraph = self.document.add_paragraph()
        add_run(paragraph, text, **style)
        return paragraph

    def _caption(self, kind: str, text: str) -> None:
        from msprec.report.docx_parts import add_field, add_run

        count = self.figures if kind == "Figure" else self.tables
        paragraph = self.document.add_paragraph(style="Caption")
        paragraph.paragraph_format.keep_with_next = kind == "Table"
        add_run(paragraph, f"{self.say[kind.lower()]} ", size=9)
        add_field(paragraph, f"SEQ {kind} \\* ARABIC", str(count), size=9)
        add_run(paragraph, f"  {text}", size=9)

    def _table(self, columns: list, rows: list, widths: Optional[list] = None):
        from docx.shared import Pt

        from msprec.report.docx_parts import add_run, keep_whole, repeat_head, set_widths, shade

        table = self.document.add_table(rows=1 + len(rows), cols=len(columns))
        table.style = "Table Grid"
        cells = [list(row.cells) for row in table.rows]
        for cell, name in zip(cells[0], columns):
            add_run(cell.paragraphs[0], name, bold=True, size=9)
            shade(cell, "E8EEF4")
        repeat_head(table.rows[0])
        for line, row in zip(cells[1:], rows):
            for cell, value in zip(line, row):
                add_run(cell.paragraphs[0], number(value), size=9)
        for row in table.rows:
            keep_whole(row)
        for cell in (cell for line in cells for cell in line):
            spacing = cell.paragraphs[0].paragraph_format
            spacing.space_before = spacing.space_after = Pt(2)
        set_widths(table, widths or _widths(columns, rows))
        return table

    # --- front and summary --------------------------------------------------------------------------------------
    def _front(self) -> None:
        from msprec.report.docx_parts import add_run

        title = self.document.add_paragraph(style="Title")
        add_run(title, self.say["title"] if self.run else self.say["blank_title"])
        self._paragraph(self.say["subtitle"].format(version=self._version()), size=9.5, colour="5F6368")
        rows = self._run_rows()
        if rows:
            self._heading(self.say["run"], 1)
            table = self._table(["", ""], rows, [3.6, _WIDTH_CM - 3.6])
            table._tbl.remove(table.rows[0]._tr)
            self.document.add_paragraph()

    def _run_rows(self) -> list:
        run, say = self.run, self.say
        if not run:
            return []
        ended = run.get("exit") or {}
        error = ended.get("exception") or {}
        exit_text = say["killed"] if ended.get("kind") == "running" else f"{ended.get('kind')} ({ended.get('code')})"
        if error:
            exit_text += f" {error.get('type')}: {str(error.get('message'))[:300]}"
        platform = run.get("platform") or {}
        memory = platform.get("memory_bytes")
        machine = f"{platform.get('system')} {platform.get('machine')}, {platform.get('cpus')} CPU"
        machine += f", {memory / 2**30:.0f} GiB" if isinstance(memory, (int, float)) else ""
        seeds = ", ".join(f"{s.get('function')}({s.get('value')})" for s in run.get("seeds") or [])
        notes = [say.get(n, n) for n in run.get("notes") or []]
        rows = [
            [say["script"], _relative(run)], [say["command"], " ".join(map(str, run.get("command") or []))],
            [say["started"], run.get("started")], [say["seconds"], run.get("seconds")], [say["exit"], exit_text],
            [say["steps"], run.get("training_steps")], [say["device"], run.get("device_target")],
            [say["mode"], run.get("mode")], [say["seeds"], seeds or say["none"]],
            [say["versions"], ", ".join(f"{k} {v}" for k, v in (run.get("versions") or {}).items())],
            [say["platform"], machine],
        ]  # fmt: skip
        return [[a, b] for a, b in rows if b is not None] + [[say["notes"], note] for note in notes]

    def _summary(self) -> None:
        from msprec.report.docx_parts import add_link, add_run, shade

        items = self.checklist["items"]
        self._heading(self.say["summary"], 1, "summary")
        counts = {kind: sum(i["conclusion"] == kind for i in items) for kind in CONCLUSIONS["en"]}
        self._paragraph(self.say["found"].format(**counts), bold=True)
        columns = [self.say["item"], self.say["conclusion"], self.say["reason"]]
        table = self._table(columns, [["", "", ""] for _ in items], [5.3, 3.2, _WIDTH_CM - 8.5])
        cells = [list(row.cells) for row in table.rows][1:]
        for (name, conclusion, reason), item in zip(cells, items):
            kind = item["conclusion"]
            add_link(name.paragraphs[0], f"{item['id']} {item['title']}", _bookmark(item["id"]), 9)
            add_run(
                conclusion.paragraphs[0], f"{MARKS[kind]} {self.names[kind]}", bold=True, size=9, colour=COLOURS[kind]
            )
            if kind in ("problem", "undecided"):
                shade(conclusion, "FCE8E6" if kind == "problem" else "FEF3DC")
            add_run(reason.paragraphs[0], item.get("summary") or "", size=9)

    # --- one item -----------------------------------------------------------------------------------------------
    def _item(self, item: dict) -> None:
        from msprec.report.docx_parts import add_link, add_run

        kind = item["conclusion"]
        self._heading(f"{item['id']} {item['title']}", 2, _bookmark(item["id"]))
        line = self.document.add_paragraph()
        add_run(line, f"{self.say['conclusion']}: ", bold=True)
        add_run(line, f"{MARKS[kind]} {self.names[kind]}", bold=True, colour=COLOURS[kind])
        if item.get("summary"):
            self._paragraph(item["summary"])
        places = [f"{p['file']}:{p['line']}" for p in item.get("locations") or [] if p.get("file")]
        self._labelled(self.say["places"], "  ".join(places[:12]), mono=True)
        self._labelled(self.say["would_decide"], item.get("would_decide"))
        self._labelled(self.say["advice"], item.get("advice"))
        texts = _texts(item["id"], self.lang)
        if texts is not None:
            self._markdown(self.say["check"], texts.check)
        if item.get("evidence"):
            self._heading(self.say["evidence"], 3)
        for evidence in item.get("evidence") or []:
            self._evidence(evidence)
        if texts is not None and kind == "problem":
            self._markdown(self.say["mend"], texts.mend)
        add_link(self.document.add_paragraph(), self.say["back"], "summary", 9)

    def _labelled(self, label: str, text, mono: bool = False) -> None:
        from msprec.report.docx_parts import add_run

        if text:
            paragraph = self.document.add_paragraph()
            add_run(paragraph, f"{label}: ", bold=True)
            add_run(paragraph, text, mono=mono, size=9.5 if mono else None)

    def _markdown(self, head: str, text: str) -> None:
        """Paragraphs, bullets and fenced code of an item's text."""
        self._heading(head, 3)
        code, fenced = [], False
        for line in text.splitlines():
            if line.strip().startswith("```"):
                if fenced:
                    self._code_lines([(None, c) for c in code], set())
                code, fenced = [], not fenced
            elif fenced:
                code.append(line)
            elif line.strip().startswith(("- ", "* ")):
                self._inline(self.document.add_paragraph(style="List Bullet"), line.strip()[2:])
            elif line.strip():
                self._inline(self.document.add_paragraph(), line.strip())

    @staticmethod
    def _inline(paragraph, text: str) -> None:
        from msprec.report.docx_parts import add_run

        for i, part in enumerate(text.split("`")):
            # emphasis is dropped outside of code
            part = part if i % 2 else re.sub(r"\*+([^*\s][^*]*)\*+", r"\1", part)
            if part:
                add_run(paragraph, part, mono=bool(i % 2), size=9.5 if i % 2 else None)

    # --- evidence -----------------------------------------------------------------------------------------------
    def _evidence(self, evidence: dict) -> None:
        drawer = {"text": self._text, "code": self._code, "table": self._rows, "figure": self._figure}
        draw_it = drawer.get(evidence.get("kind"))
        if draw_it:
            draw_it(evidence)

    def _text(self, evidence: dict) -> None:
        self._labelled(evidence.get("title") or self.say["evidence"], evidence.get("text"))

    def _code(self, evidence: dict) -> None:
        from docx.shared import Pt

        place = f"{evidence.get('file', '')}:{(evidence.get('highlight') or [evidence.get('first_line', 1)])[0]}"
        head = self._paragraph(f"{evidence.get('title') or ''}  ({place})", bold=True, size=9.5)
        head.paragraph_format.keep_with_next = True
        head.paragraph_format.space_after = Pt(2)
        first = int(evidence.get("first_line") or 1)
        lines = list(enumerate(str(evidence.get("code", "")).split("\n"), first))
        self._code_lines(lines[:MAX_ROWS], set(evidence.get("highlight") or ()))

    def _code_lines(self, lines: list, highlight: set) -> None:
        from docx.shared import Pt

        from msprec.report.docx_parts import add_run, shade

        for position, (line, text) in enumerate(lines):
            paragraph = self.document.add_paragraph()
            style = paragraph.paragraph_format
            style.space_after = style.space_before = 0
            style.left_indent = Pt(6)
            style.keep_with_next = position + 1 < len(lines)
            shade(paragraph, "FDE9C9" if line in highlight else "F3F5F7")
            mark = f"{line:>4}  " if line is not None else ""
            add_run(paragraph, mark + text, mono=True, size=8.5, bold=line in highlight or None)
        if lines:
            paragraph.paragraph_format.space_after = Pt(6)

    def _rows(self, evidence: dict) -> None:
        columns, rows = evidence.get("columns") or [], evidence.get("rows") or []
        if not columns:
            return
        self.tables += 1
        self._caption("Table", evidence.get("title") or "")
        self._table(columns, [list(row) for row in rows[:MAX_ROWS]])
        notes = [evidence.get("note")]
        if len(rows) > MAX_ROWS:
            notes.append(self.say["more_rows"].format(count=len(rows) - MAX_ROWS))
        self._paragraph(" ".join(filter(None, notes)), size=9, colour="5F6368")

    def _figure(self, evidence: dict) -> None:
        import io

        from docx.shared import Cm

        png = draw(evidence.get("figure", ""), evidence.get("data") or {}, self.run_dir, self.lang)
        if png is None:
            return
        from msprec.report.docx_parts import clean

        self.figures += 1
        paragraph = self.document.add_paragraph()
        paragraph.paragraph_format.keep_with_next = True
        picture = paragraph.add_run().add_picture(io.BytesIO(png), width=Cm(15.8))
        described = picture._inline.docPr
        described.set("descr", clean(evidence.get("title") or evidence.get("figure", "")))
        described.set("name", f"Figure {self.figures}")
        self._caption("Figure", evidence.get("title") or "")


def _widths(columns: list, rows: list) -> list:
    """Column widths in cm by the length of what stands in them, wide characters counted double."""

    def size(value) -> int:
        text = number(value)
        return sum(2 if ord(c) > 0x2E80 else 1 for c in text[:60])

    # a column is at least as wide as its longest word, so that none is broken inside
    words_of = [
        max((size(w) for w in [*name.split(), *_short_words(rows, i)]), default=1) for i, name in enumerate(columns)
    ]
    longest = [
        max([size(name), *(size(row[i]) for row in rows[:MAX_ROWS] if i < len(row))]) for i, name in enumerate(columns)
    ]
    weights = [max(min(max(n, 5), 42), 1.2 * w + 3) for n, w in zip(longest, words_of)]
    return [_WIDTH_CM * w / sum(weights) for w in weights]


def _short_words(rows: list, column: int) -> list:
    """Words of up to 24 characters in a column; longer ones may be broken."""
    found = []
    for row in rows[:MAX_ROWS]:
        if column < len(row):
            found += [w for w in number(row[column]).split() if len(w) <= 24]
    return found


def _bookmark(item_id: str) -> str:
    return "item_" + item_id.replace(".", "_")


def _texts(item_id: str, lang: str):
    """The item's own texts; a document with foreign ids is written without them."""
    from msprec.checklist.texts import item_text

    try:
        return item_text(item_id, lang)
    except KeyError:
        return None


def _relative(run: dict) -> Optional[str]:
    """The script as seen from the folder that it ran in."""
    script, folder = str(run.get("script") or ""), str(run.get("cwd") or "").rstrip("/\\")
    inside = folder and script.startswith((folder + "/", folder + "\\"))
    return script[len(folder) + 1 :] if inside else script or None


def _read_json(path: Path) -> dict:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
