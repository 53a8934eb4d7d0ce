"""The findings as a Word document: a form that a person can fill in. Nothing is decided here and the clock is not read."""

import csv
import json
import textwrap
from pathlib import Path
from typing import Optional

from docx.shared import Pt

from msprec.env import known_trouble
from msprec.record.checklist_file import all_entries, by_family
from msprec.report.docx_builder import MAX_ROWS, WIDTH_CM, Paper
from msprec.report.docx_parts import add_link, add_run, shade
from msprec.report.figures import draw
from msprec.report.form import add_choice, add_general, add_item_form, add_state, mark_of
from msprec.report.strings import CONCLUSIONS, family_titles, number, words

# lines of a listing on the page
_MAX_LINES = 60
# characters of a reason in the summary's table; all of it stands with the item
_LONG_REASON = 400


def write_word(
    checklist: dict,
    path,
    run_dir: Optional[Path] = None,
    lang: Optional[str] = None,
    pictures: Optional[dict] = None,
    beside: Optional[Path] = None,
) -> None:
    """Writes the report. Tables that are cut go whole, as CSV, into the folder ``<name>_tables`` beside it.

    Args:
        checklist: The dict of ``checklist.json``.
        path: The .docx file to write.
        run_dir: The run folder, for the table of the run and the figures of its steps; None for a blank form.
        lang: ``zh`` or ``en``; default: the checklist's own.
        pictures: Pictures that a person had added to an earlier report, by item id, as (bytes, extension).
        beside: The name that the report will have in the end, where that is not ``path``.

    Raises:
        OSError: ``path`` cannot be written.
    """
    lang = "zh" if (lang or checklist.get("lang", "en")) == "zh" else "en"
    _Report(checklist, Path(run_dir) if run_dir else None, lang, Path(beside or path), pictures or {}).write(Path(path))


class _Report:
    def __init__(self, checklist: dict, run_dir: Optional[Path], lang: str, path: Path, pictures: dict) -> None:
        self.checklist, self.run_dir, self.lang, self.path, self.pictures = checklist, run_dir, lang, path, pictures
        self.say, self.names = words(lang), CONCLUSIONS[lang]
        self.titles = family_titles(checklist, lang)
        self.run = read_json(run_dir / "run.json") if run_dir else {}
        script = Path(str(self.run.get("script") or "")).name
        version = str(checklist.get("tool", {}).get("version", ""))
        self.subtitle = self.say["subtitle"].format(version=version)
        self.paper = Paper(lang, f"msprec {version}" + (f" · {script}" if script else ""))
        self.kept_pictures = 0

    def write(self, path: Path) -> None:
        paper = self.paper
        title = self.say["title"] if self.run else self.say["blank_title"]
        paper.properties(title, self.checklist.get("generated"))
        self._front(title)
        self._summary()
        self._about_the_run()
        self._about_the_reference()
        self._about_remedies()
        for family, items in by_family(self.checklist):
            paper.heading(self.titles[family], 1, f"family_{family}")
            for item in items:
                self._item(item)
        add_state(paper, self.checklist)
        paper.save(path)

    # --- front and summary --------------------------------------------------------------------------------------
    def _front(self, title: str) -> None:
        paper = self.paper
        paper.paragraph(title, style="Title")
        paper.paragraph(self.subtitle, size=9.5, colour="5F6368")
        entries = [(1, self.say["summary"], "summary")]
        if self.run:
            entries.append((1, self.say["run"], "run"))
        if self.checklist.get("reference_run"):
            entries.append((1, self.say["against"], "against"))
        if self.checklist.get("remedies"):
            entries.append((1, self.say["remedies"], "remedies"))
        for family, items in by_family(self.checklist):
            entries.append((1, self.titles[family], f"family_{family}"))
            entries += [(2, _head(item), _bookmark(item["id"])) for item in items]
        paper.paragraph(self.say["contents"], bold=True, size=13).paragraph_format.keep_with_next = True
        paper.contents(entries)

    def _about_the_run(self) -> None:
        rows = run_rows(self.run, self.lang)
        if rows:
            self.paper.heading(self.say["run"], 1, "run")
            self.paper.table(None, rows, [3.6, WIDTH_CM - 3.6])
            self._figure({"figure": "step_time", "title": self.say["step_time"]})

    def _about_the_reference(self) -> None:
        """What the run looks like beside the reference run; only where one was given."""
        found = self.checklist.get("reference_run")
        if not found:
            return
        self.paper.heading(self.say["against"], 1, "against")
        self.paper.labelled(self.say["reference"].capitalize(), found.get("name"))
        self._told(found, "reference_run")

    def _about_remedies(self) -> None:
        """What `msprec remedy` has tried; only where it was run."""
        found = self.checklist.get("remedies")
        if found:
            self.paper.heading(self.say["remedies"], 1, "remedies")
            self._told(found, "remedies")

    def _told(self, found: dict, name: str) -> None:
        for line in found.get("conclusion") or []:
            self.paper.paragraph(line)
        for position, evidence in enumerate(found.get("evidence") or []):
            self._evidence(evidence, f"{name}_{position + 1}")
        self.paper.link(self.say["back"], "summary")

    def _summary(self) -> None:
        paper, entries = self.paper, all_entries(self.checklist)
        paper.page_break_before(paper.heading(self.say["summary"], 1, "summary"))
        counts = {kind: sum(i["conclusion"] == kind for i in entries) for kind in CONCLUSIONS["en"]}
        paper.paragraph(self.say["found"].format(**counts), bold=True)
        self._summary_table(self.checklist["items"])
        if self.checklist.get("beyond"):
            head = paper.paragraph(self.say["beyond"], bold=True)
            head.paragraph_format.space_before, head.paragraph_format.keep_with_next = Pt(6), True
            self._summary_table(self.checklist["beyond"])
        below = paper.paragraph(self.say["how_to_fill"].replace("`", ""), size=9, colour="3C4043")
        below.paragraph_format.space_before = Pt(6)
        add_general(paper, self.checklist.get("remarks") or "")
        self._pictures("general")

    def _summary_table(self, items: list) -> None:
        paper = self.paper
        columns = [self.say["mark"], self.say["item"], self.say["conclusion"], self.say["reason"]]
        table = paper.table(columns, [[""] * 4 for _ in items], [2.0, 4.9, 2.9, WIDTH_CM - 9.8], size=8.5)
        for row, item in zip(list(table.rows)[1:], items):
            mark, name, conclusion, reason = row.cells
            mark.paragraphs[0].alignment = 1
            add_run(mark.paragraphs[0], mark_of(item), bold=True, size=10)
            add_link(name.paragraphs[0], _head(item), _bookmark(item["id"]), 8.5)
            add_choice(paper, conclusion, item, "summary", 8.5)
            add_run(reason.paragraphs[0], self._reason(item), size=8.5)

    def _reason(self, item: dict) -> str:
        lines = [textwrap.shorten(item.get("summary") or "", _LONG_REASON, placeholder=" …")]
        if item.get("answered_by") == "person":
            lines.insert(0, f"[{self.say['by_person']}]")
        if item.get("conflict"):
            lines.append(f"⚠ {item['conflict']}")
        return "\n".join(filter(None, lines))

    # --- one item -----------------------------------------------------------------------------------------------
    def _item(self, item: dict) -> None:
        paper, say = self.paper, self.say
        paper.heading(_head(item), 2, _bookmark(item["id"])).paragraph_format.keep_with_next = True
        add_item_form(paper, item)
        if item.get("conflict"):
            shade(paper.paragraph(f"⚠ {item['conflict']}", bold=True), "FEF3DC")
        if item.get("answered_by") == "person":
            kind = item.get("by_evidence", "undecided")
            paper.labelled(say["evidence_says"], f"{mark_of(item)} {self.names[kind]}")
        if item.get("summary"):
            paper.paragraph(item["summary"])
        places = [f"{p['file']}:{p['line']}" for p in item.get("locations") or [] if p.get("file")]
        paper.labelled(say["places"], "  ".join(places[:12]), mono=True)
        paper.labelled(say["would_decide"], item.get("would_decide"), ours=True)
        paper.labelled(say["advice"], item.get("advice"), ours=True)
        if item.get("evidence"):
            paper.heading(say["evidence"], 3)
        for position, evidence in enumerate(item.get("evidence") or []):
            self._evidence(evidence, f"{item['id']}_{position + 1}")
        texts = item_texts(item["id"], self.lang)
        if texts is not None and "problem" in (item["conclusion"], item.get("by_evidence")):
            paper.markdown(say["fix"], texts.fix)
        if texts is not None:
            paper.markdown(say["check"], texts.check, size=9)
        self._pictures(item["id"])
        paper.link(say["back"], "summary")

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
                file = self._beside(f"picture_{item_id}_{self.kept_pictures}.{extension}")
                file.write_bytes(data)
                self.paper.paragraph(f"{title}: {self._name(file)}")

    # --- evidence -----------------------------------------------------------------------------------------------
    def _evidence(self, evidence: dict, name: str) -> None:
        kind = evidence.get("kind")
        if kind == "text":
            self.paper.labelled(evidence.get("title") or self.say["evidence"], evidence.get("text"))
        elif kind == "code":
            self._code(evidence)
        elif kind == "table":
            self._rows(evidence, name)
        elif kind == "figure":
            self._figure(evidence)

    def _code(self, evidence: dict) -> None:
        place = f"{evidence.get('file', '')}:{(evidence.get('highlight') or [evidence.get('first_line', 1)])[0]}"
        head = self.paper.paragraph(f"{evidence.get('title') or ''}  ({place})", bold=True, size=9.5)
        head.paragraph_format.keep_with_next = True
        head.paragraph_format.space_after = Pt(2)
        first = int(evidence.get("first_line") or 1)
        lines = list(enumerate(str(evidence.get("code", "")).split("\n"), first))
        self.paper.code(lines[:_MAX_LINES], set(evidence.get("highlight") or ()))

    def _rows(self, evidence: dict, name: str) -> None:
        columns, rows = evidence.get("columns") or [], evidence.get("rows") or []
        if not columns:
            return
        notes = [evidence.get("note")]
        if len(rows) > MAX_ROWS:
            file = self._beside(f"{name}.csv")
            write_csv(file, columns, rows)
            more = self.say["more_rows"].format(count=len(rows) - MAX_ROWS, all=len(rows), file=self._name(file))
            notes.append(more)
        shown = [list(row) for row in rows[:MAX_ROWS]]
        self.paper.numbered_table(columns, shown, evidence.get("title") or "", " ".join(filter(None, notes)))

    def _figure(self, evidence: dict) -> None:
        title = evidence.get("title") or evidence.get("figure", "")
        try:
            png = draw(evidence.get("figure", ""), evidence.get("data") or {}, self.run_dir, self.lang)
        except Exception as error:  # odd data of one figure must not cost the user the report
            problem = self.say["figure_failed"].format(error=f"{type(error).__name__}: {error}")
            self.paper.labelled(title, problem)
            return
        if png is not None:
            self.paper.figures += 1
            self.paper.picture(png, title, f"msprec figure {self.paper.figures}")

    def _beside(self, name: str) -> Path:
        folder = self.path.with_name(f"{self.path.stem}_tables")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    @staticmethod
    def _name(file: Path) -> str:
        return f"{file.parent.name}/{file.name}"


def run_rows(run: dict, lang: str) -> list:
    """What the report tells of the run and its machine: (label, value)."""
    if not run:
        return []
    say = words(lang)
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
    notes += [trouble.render(lang) for trouble in known_trouble(run.get("versions") or {})]
    rows = [
        [say["script"], _relative(run)],
        [say["command"], " ".join(map(str, run.get("command") or []))],
        [say["started"], run.get("started")],
        [say["seconds"], run.get("seconds")],
        [say["exit"], exit_text],
        [say["steps"], run.get("training_steps")],
        [say["device"], run.get("device_target")],
        [say["mode"], run.get("mode")],
        [say["seeds"], seeds or say["none"]],
        [say["versions"], ", ".join(f"{k} {v}" for k, v in (run.get("versions") or {}).items())],
        [say["platform"], machine],
    ]
    return [[a, b] for a, b in rows if b is not None] + [[say["notes"], note] for note in notes]


def write_csv(file: Path, columns: list, rows: list) -> None:
    """A table as CSV that spreadsheets read as UTF-8; a text that they would take for a formula gets an apostrophe."""
    with open(file, "w", encoding="utf-8-sig", errors="backslashreplace", newline="") as handle:
        writer = csv.writer(handle)
        for row in [columns, *rows]:
            writer.writerow([harmless_cell(value) for value in row])


def harmless_cell(value):
    """A value for a CSV file: a text that a spreadsheet would take for a formula gets an apostrophe."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        try:
            float(value)
        except ValueError:
            return "'" + value
    return number(value) if value is None or isinstance(value, bool) else value


def _head(item: dict) -> str:
    return f"{item['id']} {item['title']}"


def _bookmark(item_id: str) -> str:
    return "item_" + item_id.replace(".", "_")


def item_texts(item_id: str, lang: str):
    """The item's own texts; a document with foreign ids is written without them."""
    from msprec.engine import find

    found = find(item_id)
    return found.text(lang) if found is not None else None


def _relative(run: dict) -> Optional[str]:
    """The script as seen from the folder that it ran in."""
    script, folder = str(run.get("script") or ""), str(run.get("cwd") or "").rstrip("/\\")
    inside = folder and script.startswith((folder + "/", folder + "\\"))
    return script[len(folder) + 1 :] if inside else script or None


def read_json(path: Path) -> dict:
    """A JSON object, {} where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
