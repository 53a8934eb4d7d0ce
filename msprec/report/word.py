"""The findings as a Word document: what matters first, then a form that a person can fill in. Nothing is decided here and the
clock is not read.
"""

from pathlib import Path
from typing import Optional

from msprec.engine import find
from msprec.record.checklist_file import all_entries
from msprec.report.docx_builder import WIDTH_CM, Paper
from msprec.report.docx_parts import add_run, shade
from msprec.report.form import add_form, add_state, mark_of
from msprec.report.overview import PARTS, grouped, in_order, overview, places_of, sentence
from msprec.report.run_table import read_json, run_rows
from msprec.report.strings import CONCLUSIONS, MARKS, words
from msprec.report.word_evidence import EvidenceWriter
from msprec.report.word_front import write_front

# columns of the line that tells of an item in order
_LINE = 220


def write_word(
    checklist: dict,
    path,
    run_dir: Optional[Path] = None,
    lang: Optional[str] = None,
    pictures: Optional[dict] = None,
    beside: Optional[Path] = None,
    full: bool = False,
    letter: bool = False,
) -> None:
    """Writes the report. Tables that are cut go whole, as CSV, into the folder ``<name>_tables`` beside it.

    Args:
        checklist: The dict of ``checklist.json``.
        path: The .docx file to write.
        run_dir: The run folder, for the table of the run and the figures of its steps; None for a blank form.
        lang: ``zh`` or ``en``; default: the checklist's own.
        pictures: Pictures that a person had added to an earlier report, by item id, as (bytes, extension).
        beside: The name that the report will have in the end, where that is not ``path``.
        full: With an appendix: of every item its method, its thresholds and all of its evidence.
        letter: US letter paper instead of A4.

    Raises:
        OSError: ``path`` cannot be written.
    """
    lang = "zh" if (lang or checklist.get("lang", "en")) == "zh" else "en"
    run_dir = Path(run_dir) if run_dir else None
    _Report(checklist, run_dir, lang, Path(beside or path), pictures or {}, full, letter).write(Path(path))


class _Report:
    def __init__(
        self,
        checklist: dict,
        run_dir: Optional[Path],
        lang: str,
        path: Path,
        pictures: dict,
        full: bool,
        letter: bool,
    ) -> None:
        self.checklist, self.run_dir, self.lang, self.path, self.pictures = checklist, run_dir, lang, path, pictures
        self.say, self.names, self.full = words(lang), CONCLUSIONS[lang], full
        self.run = read_json(run_dir / "run.json") if run_dir else {}
        self.found = overview(checklist, lang, self.run)
        script = Path(str(self.run.get("script") or "")).name
        version = str(checklist.get("tool", {}).get("version", ""))
        self.subtitle = self.say["subtitle"].format(version=version)
        self.paper = Paper(lang, f"msprec {version}" + (f" · {script}" if script else ""), letter)
        self.evidence = EvidenceWriter(self.paper, run_dir, path)
        self.kept_pictures = 0
        groups, single = grouped(in_order(checklist, "undecided"))
        self.groups = groups
        #: Items with a section of their own, by id
        self.own = {item["id"] for item in [*in_order(checklist, "problem"), *single]}
        self.own |= {i["id"] for i in all_entries(checklist) if i.get("conflict") or pictures.get(i["id"])}

    def write(self, path: Path) -> None:
        title = self.say["title"] if self.run else self.say["blank_title"]
        self.paper.properties(title, self.checklist.get("generated"))
        write_front(self.paper, self.found, title, self.subtitle, self.run_dir, self._anchor)
        add_form(self.paper, self.checklist, self._anchor)
        self._pictures("general")
        self._parts()
        self._sections()
        self._in_order()
        self._about_the_run()
        if self.full:
            self._appendix()
        add_state(self.paper, self.checklist)
        self.paper.save(path)

    def _anchor(self, item_id: str) -> str:
        """Where an item is told of: its section, or its line in a table."""
        return "item_" + item_id.replace(".", "_")

    # --- the parts ----------------------------------------------------------------------------------------------
    def _parts(self) -> None:
        """What the remedies came to, and what the run looks like beside the reference run; only where that was asked for."""
        for key, title in PARTS.items():
            found = self.checklist.get(key)
            if not found:
                continue
            self.paper.heading(self.say[title], 1, title)
            if found.get("name"):
                self.paper.labelled(self.say["reference"].capitalize(), found["name"])
            for line in found.get("conclusion") or []:
                self.paper.paragraph(line)
            self.evidence.write(found.get("evidence") or [], key)

    def _sections(self) -> None:
        """Problems, then what is to be filled in, then what else has a section, each under its head."""
        for kind in ("problem", "undecided", None):
            items = in_order(self.checklist, kind) if kind else self._others()
            items = [item for item in items if item["id"] in self.own]
            groups = self.groups if kind == "undecided" else []
            if not items and not groups:
                continue
            name = {"problem": "problems", "undecided": "open_items", None: "others"}[kind]
            self.paper.heading(self.say[name], 1, name)
            for group in groups:
                self._group(group)
            for item in items:
                self._item(item)

    def _others(self) -> list:
        return [i for i in all_entries(self.checklist) if i["conclusion"] not in ("problem", "undecided")]

    def _group(self, items: list) -> None:
        """Items that are open for one reason, which is told once."""
        line = self.paper.paragraph()
        for position, item in enumerate(items):
            self.paper.mark(line, self._anchor(item["id"]))
            add_run(line, ("  " if position else "") + _head(item), bold=True, size=9.5)
        self.paper.paragraph(items[0].get("summary") or "")
        self.paper.labelled(self.say["would_decide"], items[0].get("would_decide"), ours=True)

    def _in_order(self) -> None:
        """What needs no section: one table with a line of evidence each."""
        items = [item for item in self._others() if item["id"] not in self.own]
        if not items:
            return
        paper, say = self.paper, self.say
        paper.heading(say["in_order"], 1, "in_order")
        columns = [say["item"], say["conclusion"], say["reason"]]
        rows = [["", f"{MARKS[i['conclusion']]} {self.names[i['conclusion']]}", ""] for i in items]
        table = paper.table(columns, rows, [5.2, 3.0, WIDTH_CM - 8.2], size=8.5, together=False)
        for row, item in zip(list(table.rows)[1:], items):
            name, _, reason = row.cells
            add_run(name.paragraphs[0], _head(item), size=8.5)
            paper.mark(name.paragraphs[0], self._anchor(item["id"]))
            person = f"[{say['by_person']}] " if item.get("answered_by") == "person" else ""
            add_run(reason.paragraphs[0], person + sentence(item.get("summary") or "", _LINE), size=8.5)

    def _about_the_run(self) -> None:
        rows = run_rows(self.run, self.lang)
        if rows:
            self.paper.heading(self.say["run"], 1, "run")
            self.paper.table(None, rows, [3.2, WIDTH_CM - 3.2], size=8.5)

    def _appendix(self) -> None:
        """Of every item the method, the thresholds and all evidence."""
        say, paper = self.say, self.paper
        paper.page_break_before(paper.heading(say["appendix"], 1, "appendix"))
        if self.run:
            self.evidence.figure({"figure": "step_time", "title": say["step_time"]})
        self.evidence.full = True
        for item in all_entries(self.checklist):
            paper.heading(_head(item), 2)
            paper.paragraph(item.get("summary") or "")
            self.evidence.write(item.get("evidence") or [], item["id"])
            texts = item_texts(item["id"], self.lang)
            if texts is not None:
                paper.markdown(say["check"], texts.check, size=9)

    # --- one item -----------------------------------------------------------------------------------------------
    def _item(self, item: dict) -> None:
        paper, say = self.paper, self.say
        paper.heading(f"{_head(item)}", 2, self._anchor(item["id"]))
        if item.get("conflict"):
            shade(paper.paragraph(f"⚠ {item['conflict']}", bold=True), "FEF3DC")
        if item.get("answered_by") == "person":
            kind = item.get("by_evidence", "undecided")
            told = f"{self.names[item['conclusion']]} ({say['by_person']})"
            paper.labelled(say["conclusion"], told)
            paper.labelled(say["evidence_says"], f"{mark_of(item)} {self.names[kind]}")
        if item.get("summary"):
            paper.paragraph(item["summary"])
        paper.labelled(say["places"], "  ".join(places_of(item)[:12]), mono=True)
        paper.labelled(say["would_decide"], item.get("would_decide"), ours=True)
        paper.labelled(say["advice"], item.get("advice"), ours=True)
        self.evidence.write(item.get("evidence") or [], item["id"])
        texts = item_texts(item["id"], self.lang)
        if texts is not None and "problem" in (item["conclusion"], item.get("by_evidence")):
            paper.markdown(say["fix"], texts.fix, size=9.5)
        self._pictures(item["id"])

    def _pictures(self, item_id: str) -> None:
        """What a person had pasted into an earlier report."""
        found = self.pictures.get(item_id) or []
        if found:
            self.paper.labelled(self.say["pictures"], str(len(found)))
        for data, extension in found:
            self.kept_pictures += 1
            title = self.say["kept_picture"].format(count=self.kept_pictures)
            try:
                self.paper.picture(data, title, f"kept picture {self.kept_pictures}", caption=False)
            except Exception:  # a kind that python-docx cannot place (emf, svg) is kept as a file beside the report
                file = self.evidence.beside(f"picture_{item_id}_{self.kept_pictures}.{extension}")
                file.write_bytes(data)
                self.paper.paragraph(f"{title}: {file.parent.name}/{file.name}")


def _head(item: dict) -> str:
    return f"{item['id']} {item['title']}"


def item_texts(item_id: str, lang: str):
    """The item's own texts; a document with foreign ids is written without them."""
    found = find(item_id)
    return found.text(lang) if found is not None else None
