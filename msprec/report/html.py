"""The findings as one page of HTML that loads nothing: all is inside, and its policy forbids the network."""

import base64
import csv
import io
import re
from html import escape
from pathlib import Path
from typing import Optional

from msprec.record.checklist_file import all_entries
from msprec.report.figures import draw
from msprec.report.overview import PARTS, ItemInBrief, in_order, overview, places_of
from msprec.report.plain_text import clean
from msprec.report.run_table import read_json, run_rows
from msprec.report.strings import CONCLUSIONS, MARKS, number, words
from msprec.report.word import item_texts

MAX_ROWS = 200
_ORDER = {"problem": 0, "undecided": 1, "ok": 2, "not_applicable": 3}
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_STYLE = """
:root{color-scheme:light dark;--text:#1f2933;--page:#fff;--line:#c4cad1;--head:#e8eef4;--code:#f3f5f7;--mark:#fde9c9;
--grey:#5f6368;--problem:#fce8e6;--undecided:#fef3dc;--good:#e6f4ea;--link:#0b57d0}
@media (prefers-color-scheme:dark){:root{--text:#e3e6ea;--page:#16191d;--line:#444b54;--head:#252b33;--code:#1e2329;
--mark:#4d3b17;--grey:#9aa0a6;--problem:#4a211d;--undecided:#453612;--good:#173824;--link:#8ab4f8}
img{background:#fff}}
body{font:15px/1.55 system-ui,"Microsoft YaHei","PingFang SC","Noto Sans CJK SC",sans-serif;
margin:0 auto;max-width:64rem;padding:1rem 1.25rem 4rem;color:var(--text);background:var(--page)}a{color:var(--link)}
h1{font-size:1.5rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin-top:1.8rem}
h4{font-size:.95rem;margin:1rem 0 .3rem}table{border-collapse:collapse;margin:.4rem 0;max-width:100%}
.scroll{overflow-x:auto}th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top;
overflow-wrap:anywhere;unicode-bidi:plaintext}th{background:var(--head)}th button{font:inherit;font-weight:600;background:none;
border:0;padding:0;cursor:pointer;color:inherit}
th[aria-sort=ascending] button::after{content:" \\25B2"}th[aria-sort=descending] button::after{content:" \\25BC"}
td.word{white-space:nowrap}.problem{background:var(--problem)}.undecided{background:var(--undecided)}.word,.verdict{font-weight:600}
.verdict{display:inline-block;padding:.1rem .6rem;border:1px solid var(--grey);border-radius:.2rem}
.outcome{padding:.5rem .8rem;font-weight:600;background:var(--problem)}.outcome.learnt{background:var(--good)}
.outcome.unknown{background:var(--code)}.filter label{margin-right:1rem;white-space:nowrap}
pre{background:var(--code);padding:.5rem;overflow-x:auto;font:12.5px/1.45 Consolas,Menlo,monospace;tab-size:4;margin:.3rem 0}
pre mark{background:var(--mark);color:inherit;font-weight:600;display:block}pre span{display:block}
pre :target{outline:2px solid var(--link)}code{font-family:Consolas,Menlo,monospace}
img{max-width:100%;height:auto}figure{margin:.6rem 0}figcaption,.note{color:var(--grey);font-size:.88rem}
.conflict{background:var(--undecided);border-left:4px solid #9a5b00;padding:.4rem .7rem;font-weight:600}
.comment{white-space:pre-wrap;border-left:4px solid var(--line);padding-left:.7rem}
p{overflow-wrap:anywhere;unicode-bidi:plaintext;white-space:pre-line}
details{border-left:3px solid var(--line);padding-left:.8rem;margin:.5rem 0}summary{cursor:pointer;font-weight:600}
@media print{body{max-width:none}details{border:0;padding:0}h3{break-after:avoid}tr,figure{break-inside:avoid}
thead{display:table-header-group}.filter,#all{display:none}}
"""

_SCRIPT = """
'use strict';
document.querySelectorAll('table.sortable').forEach(table => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const down = head.getAttribute('aria-sort') === 'ascending';
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = row => row.cells[column].dataset.key || row.cells[column].textContent;
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => key(a).localeCompare(key(b), undefined, {numeric: true}) * (down ? -1 : 1));
    rows.forEach(row => table.tBodies[0].append(row));
  }));
});
const chosen = () => {
  const kinds = new Set([...document.querySelectorAll('.filter input:checked')].map(box => box.value));
  document.querySelectorAll('[data-kind]').forEach(part => { part.hidden = !kinds.has(part.dataset.kind); });
};
document.querySelectorAll('.filter input').forEach(box => box.addEventListener('change', chosen));
const open = () => document.querySelectorAll('details').forEach(part => { part.open = true; });
window.addEventListener('beforeprint', open);
const show = () => {
  const part = document.getElementById(location.hash.slice(1));
  if (!part) return;
  const inner = part.querySelector('details'); if (inner) inner.open = true;
  const outer = part.closest('details'); if (outer) outer.open = true;
  const section = part.closest('[data-kind]'); if (section) section.hidden = false;
  part.scrollIntoView();
};
window.addEventListener('hashchange', show); show();
document.getElementById('all').addEventListener('click', open);
"""


def write_html(checklist: dict, path, run_dir: Optional[Path] = None, lang: Optional[str] = None) -> None:
    """Writes the page.

    Args:
        checklist: The dict of ``checklist.json``.
        path: The .html file to write.
        run_dir: The run folder, for the table of the run and the figures of its steps.
        lang: ``zh`` or ``en``; default: the checklist's own.

    Raises:
        OSError: ``path`` cannot be written.
    """
    lang = "zh" if (lang or checklist.get("lang", "en")) == "zh" else "en"
    page = _Page(checklist, Path(run_dir) if run_dir else None, lang).text()
    Path(path).write_text(page, encoding="utf-8")


def _e(value) -> str:
    return escape(clean(value), quote=True)


class _Page:
    def __init__(self, checklist: dict, run_dir: Optional[Path], lang: str) -> None:
        self.checklist, self.run_dir, self.lang = checklist, run_dir, lang
        self.say, self.names = words(lang), CONCLUSIONS[lang]
        self.run = read_json(run_dir / "run.json") if run_dir else {}
        self.figures = self.tables = 0
        #: Lines of source that the page lists, as ``file:line``; those that have their anchor already
        self.listed: set = _listed_lines(checklist)
        self.anchored: set = set()

    def text(self) -> str:
        say = self.say
        version = self.checklist.get("tool", {}).get("version", "")
        title = _e(say["title"] if self.run else say["blank_title"])
        body = [
            f"<h1>{title}</h1><p class=note>{_e(say['subtitle'].format(version=version))}</p>",
            self._front(),
            self._summary(all_entries(self.checklist)),
            self._parts(),
            *self._sections(),
        ]
        rows = run_rows(self.run, self.lang)
        if rows:
            cells = "".join(f"<tr><th scope=row>{_e(a)}</th><td>{_e(number(b))}</td></tr>" for a, b in rows)
            body.append(f"<h2 id=run>{_e(say['run'])}</h2><table>{cells}</table>")
            body.append(self._figure({"figure": "step_time"}, self.say["step_time"]))
        return (
            f'<!DOCTYPE html>\n<html lang="{"zh-CN" if self.lang == "zh" else "en"}"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>"
            f"<body>{''.join(body)}<script>{_SCRIPT}</script></body></html>\n"
        )

    def _front(self) -> str:
        """What was run, whether it learnt, the problems, how to run it again."""
        found, say = overview(self.checklist, self.lang, self.run, short=False), self.say
        out = [f"<p>{_e(found.ran)}</p>"] if found.ran else []
        if found.outcome:
            out.append(f"<p class='outcome {_e(found.state or '')}'>{_e(found.outcome)}</p>")
        if self.run:
            out.append(self._figure({"figure": "front_loss"}, say["loss"]))
        if found.problems:
            heads = "".join(f"<th scope=col>{_e(say[name])}</th>" for name in ("problem", "place", "fix_short"))
            rows = "".join(map(self._front_row, found.problems))
            out.append(f"<table class=front><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
        elif found.ran:
            out.append(f"<p><b>{_e(say['no_problem_found'])}</b></p>")
        if found.open:
            links = ", ".join(f"<a href=#{_anchor(one.id)}>{_e(one.id)} {_e(one.title)}</a>" for one in found.open)
            out.append(f"<p><b>{_e(say['open_items'])}:</b> {links}</p>")
        out += [f"<p><b>{_e(' '.join(ids))}:</b> {_e(text)} {_inline(fix)}</p>" for ids, text, fix in found.groups]
        out.append(f"<p>{_e(found.counts)}</p>")
        if found.repeat:
            out.append(f"<p><b>{_e(say['repeat'])}:</b> <code>{_e(found.repeat)}</code></p>")
        return "".join(out)

    def _front_row(self, one: ItemInBrief) -> str:
        name = f"<a href=#{_anchor(one.id)}>{_e(one.id)} {_e(one.title)}</a><br>{_e(one.text)}"
        return f"<tr><td>{name}</td><td>{self._place(one.place)}</td><td>{_inline(one.fix)}</td></tr>"

    def _place(self, place: str) -> str:
        """``file:line``, a link to the line where the page lists it."""
        shown = f"<code>{_e(place)}</code>"
        return f'<a href="#{_line_id(place)}">{shown}</a>' if place in self.listed else shown

    def _sections(self) -> list:
        """Problems, then what is to be filled in, then what is in order, each under its head."""
        out = []
        kinds_of = {"problems": ("problem",), "open_items": ("undecided",), "in_order": ("ok", "not_applicable")}
        for name, kinds in kinds_of.items():
            items = [item for kind in kinds for item in in_order(self.checklist, kind)]
            if items:
                out.append(f"<h2 id={name}>{_e(self.say[name])}</h2>")
                out += [self._item(item) for item in items]
        return out

    def _parts(self) -> str:
        """What the remedies came to, and the run beside the reference run; only where that was asked for."""
        out = ""
        for key, title in PARTS.items():
            found = self.checklist.get(key)
            if found:
                out += f"<h2 id={title}>{_e(self.say[title])}</h2>"
                out += (
                    f"<p>{_e(self.say['reference'].capitalize())}: {_e(found['name'])}</p>" if found.get("name") else ""
                )
                out += "".join(f"<p>{_e(line)}</p>" for line in found.get("conclusion") or [])
                out += "".join(self._evidence(piece) for piece in found.get("evidence") or [])
        return out

    def _summary(self, items: list) -> str:
        say = self.say
        counts = {kind: sum(i["conclusion"] == kind for i in items) for kind in _ORDER}
        heads = (say["item"], say["conclusion"], say["reason"])
        head = "".join(f"<th scope=col><button type=button>{_e(name)}</button></th>" for name in heads)
        rows = "".join(self._summary_row(position, item) for position, item in enumerate(items))
        remarks = self.checklist.get("remarks")
        return (
            f"<h2 id=summary>{_e(say['form'])}</h2>{self._filter(counts)}"
            f"<table class=sortable><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            + (f"<h4>{_e(say['notes_head'])}</h4><p class=comment>{_e(remarks)}</p>" if remarks else "")
            + f"<p><button type=button id=all>{_e(say['unfold'])}</button></p>"
        )

    def _filter(self, counts: dict) -> str:
        """A box for each conclusion; what is not ticked is hidden, in the table and below."""
        boxes = "".join(
            f"<label><input type=checkbox value={kind} checked> {MARKS[kind]} {_e(self.names[kind])} ({count})</label>"
            for kind, count in counts.items()
        )
        return f"<p class=filter>{boxes}</p>"

    def _summary_row(self, position: int, item: dict) -> str:
        kind = item["conclusion"]
        name = f"<a href=#{_anchor(item['id'])}>{_e(item['id'])} {_e(item['title'])}</a>"
        person = f" ({_e(self.say['by_person'])})" if item.get("answered_by") == "person" else ""
        return (
            f'<tr data-kind={kind}><td data-key="{position:03}">{name}</td>'
            f'<td class="word {kind}" data-key="{_ORDER[kind]}{position:03}">'
            f"{MARKS[kind]} {_e(self.names[kind])}{person}</td><td>{_e(item.get('summary') or '')}</td></tr>"
        )

    # --- one item -----------------------------------------------------------------------------------------------
    def _item(self, item: dict) -> str:
        say, kind = self.say, item["conclusion"]
        out = [
            f"<section id={_anchor(item['id'])} data-kind={kind}><h3>{_e(item['id'])} {_e(item['title'])}</h3>"
            f"<p><span class='verdict {kind}'>{MARKS[kind]} {_e(self.names[kind])}</span></p>"
        ]
        if item.get("conflict"):
            out.append(f"<p class=conflict>⚠ {_e(item['conflict'])}</p>")
        if item.get("answered_by") == "person":
            known = item.get("by_evidence", "undecided")
            out.append(
                f"<p>{_e(say['by_person'])}; {_e(say['evidence_says'])}: {MARKS[known]} {_e(self.names[known])}</p>"
            )
        if item.get("summary"):
            out.append(f"<p>{_e(item['summary'])}</p>")
        if item.get("comment"):
            out.append(f"<p class=comment><b>{_e(say['comment'])}:</b> {_e(item['comment'])}</p>")
        places = places_of(item)
        if places:
            out.append(f"<p>{_e(say['places'])}: {' '.join(map(self._place, places))}</p>")
        for key in ("would_decide", "advice"):
            if item.get(key):
                out.append(f"<p><b>{_e(say[key])}:</b> {_inline(item[key])}</p>")
        evidence = "".join(self._evidence(piece) for piece in item.get("evidence") or [])
        texts = item_texts(item["id"], self.lang)
        if evidence:
            shown = " open" if kind == "problem" else ""
            out.append(f"<details{shown}><summary>{_e(say['evidence'])}</summary>{evidence}</details>")
        if texts is not None:
            out.append(f"<details><summary>{_e(say['check'])}</summary>{_markdown(texts.check)}</details>")
            if "problem" in (kind, item.get("by_evidence")):
                out.append(f"<details open><summary>{_e(say['fix'])}</summary>{_markdown(texts.fix)}</details>")
        return "".join(out) + f"<p><a href=#summary>{_e(say['back'])}</a></p></section>"

    def _evidence(self, evidence: dict) -> str:
        kind, title = evidence.get("kind"), evidence.get("title") or ""
        if kind == "text":
            return f"<p><b>{_e(title)}:</b> {_e(evidence.get('text') or '')}</p>"
        if kind == "code":
            return self._code(evidence, title)
        if kind == "table":
            return self._table(evidence, title)
        return self._figure(evidence, title) if kind == "figure" else ""

    def _code(self, evidence: dict, title: str) -> str:
        marked, first = set(evidence.get("highlight") or ()), int(evidence.get("first_line") or 1)
        lines = []
        for line, text in enumerate(str(evidence.get("code", "")).split("\n"), first):
            tag = "mark" if line in marked else "span"
            lines.append(f"<{tag}{self._line_anchor(evidence, line)}>{line:>4}  {_e(text)}</{tag}>")
        place = f"{evidence.get('file', '')}:{(evidence.get('highlight') or [first])[0]}"
        return f"<h4>{_e(title)} <code>{_e(place)}</code></h4><pre>{''.join(lines)}</pre>"

    def _line_anchor(self, evidence: dict, line: int) -> str:
        """The attribute that makes a line of a listing a target, where it is listed for the first time."""
        name = _line_id(f"{evidence.get('file', '')}:{line}")
        if name in self.anchored:
            return ""
        self.anchored.add(name)
        return f' id="{name}"'

    def _table(self, evidence: dict, title: str) -> str:
        columns, rows = evidence.get("columns") or [], evidence.get("rows") or []
        if not columns:
            return ""
        self.tables += 1
        head = "".join(f"<th scope=col>{_e(name)}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{_e(number(v))}</td>" for v in row) + "</tr>" for row in rows[:MAX_ROWS])
        note = _e(evidence.get("note") or "")
        if len(rows) > MAX_ROWS:
            file = f"table_{self.tables}.csv"
            link = f'<a download="{file}" href="{_csv_link(columns, rows)}">{file}</a>'
            more = _e(self.say["more_rows"].format(count=len(rows) - MAX_ROWS, all=len(rows), file="\0"))
            note += " " + more.replace("\\x00", link)
        caption = f"{_e(self.say['table'])} {self.tables}  {_e(title)}"
        return (
            f"<h4>{caption}</h4><div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            f"<p class=note>{note}</p>"
        )

    def _figure(self, evidence: dict, title: str) -> str:
        title = title or evidence.get("figure", "")
        try:
            png = draw(evidence.get("figure", ""), evidence.get("data") or {}, self.run_dir, self.lang)
        except Exception as error:  # odd data of one figure must not cost the user the page
            return (
                f"<p>{_e(title)}: {_e(self.say['figure_failed'].format(error=f'{type(error).__name__}: {error}'))}</p>"
            )
        if png is None:
            return ""
        self.figures += 1
        data = base64.b64encode(png).decode()
        return (
            f'<figure><img alt="{_e(title)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{_e(self.say['figure'])} {self.figures}  {_e(title)}</figcaption></figure>"
        )


def _anchor(item_id: str) -> str:
    return "item_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in item_id)


def _line_id(place: str) -> str:
    return "line_" + re.sub(r"[^A-Za-z0-9.:-]", lambda m: f"_{ord(m.group()):x}_", place)


def _listed_lines(checklist: dict) -> set:
    """``file:line`` of every line in the listings of the evidence."""
    found = set()
    for piece in (piece for item in all_entries(checklist) for piece in item.get("evidence") or []):
        if piece.get("kind") == "code":
            first = int(piece.get("first_line") or 1)
            last = first + str(piece.get("code", "")).count("\n")
            found |= {f"{piece.get('file', '')}:{line}" for line in range(first, last + 1)}
    return found


def _csv_link(columns: list, rows: list) -> str:
    from msprec.report.word_evidence import harmless_cell

    text = io.StringIO(newline="")
    csv.writer(text).writerows([[harmless_cell(value) for value in row] for row in [columns, *rows]])
    data = text.getvalue().encode("utf-8-sig", "backslashreplace")
    return "data:text/csv;base64," + base64.b64encode(data).decode()


def _inline(text: str) -> str:
    """Code between backticks, emphasis between asterisks; for texts of msprec's own."""
    out = []
    for i, part in enumerate(str(text).split("`")):
        out.append(f"<code>{_e(part)}</code>" if i % 2 else _bold(part))
    return "".join(out)


def _bold(text: str) -> str:
    pieces = _e(text).split("**")
    return "".join(f"<b>{piece}</b>" if i % 2 and i < len(pieces) - 1 else piece for i, piece in enumerate(pieces))


def _markdown(text: str) -> str:
    out: list[str] = []
    code: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            if fenced:
                out.append(f"<pre>{_e(chr(10).join(code))}</pre>")
            code, fenced = [], not fenced
        elif fenced:
            code.append(line)
        elif line.strip().startswith(("- ", "* ")):
            out.append(f"<li>{_inline(line.strip()[2:])}</li>")
        elif line.strip():
            out.append(f"<p>{_inline(line.strip())}</p>")
    return "".join(out).replace("</p><li>", "</p><ul><li>").replace("</li><p>", "</li></ul><p>") if out else ""
