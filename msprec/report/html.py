"""The findings as one page of HTML that loads nothing: all is inside, and its policy forbids the network."""

import base64
import csv
import io
from html import escape
from pathlib import Path
from typing import Optional

from msprec.record.checklist_file import all_entries, by_family
from msprec.report.figures import draw
from msprec.report.plain_text import clean
from msprec.report.run_table import read_json, run_rows
from msprec.report.strings import CONCLUSIONS, MARKS, family_titles, number, words
from msprec.report.word import item_texts

MAX_ROWS = 200
_ORDER = {"problem": 0, "undecided": 1, "ok": 2, "not_applicable": 3}
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_STYLE = """
:root{color-scheme:light}body{font:15px/1.55 system-ui,"Microsoft YaHei","PingFang SC","Noto Sans CJK SC",sans-serif;
margin:0 auto;max-width:64rem;padding:1rem 1.25rem 4rem;color:#1f2933;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem;border-bottom:1px solid #d5dae0}h3{font-size:1.05rem;margin-top:2rem}
h4{font-size:.95rem;margin:1rem 0 .3rem}table{border-collapse:collapse;margin:.4rem 0;max-width:100%}
.scroll{overflow-x:auto}th,td{border:1px solid #c4cad1;padding:.25rem .5rem;text-align:left;vertical-align:top;
overflow-wrap:anywhere;unicode-bidi:plaintext}th{background:#e8eef4}th button{font:inherit;font-weight:600;background:none;
border:0;padding:0;cursor:pointer;color:inherit}
th[aria-sort=ascending] button::after{content:" \\25B2"}th[aria-sort=descending] button::after{content:" \\25BC"}
td.word{white-space:nowrap}.problem{background:#fce8e6}.undecided{background:#fef3dc}.word,.verdict{font-weight:600}
.verdict{display:inline-block;padding:.1rem .6rem;border:1px solid #5f6368;border-radius:.2rem}
pre{background:#f3f5f7;padding:.5rem;overflow-x:auto;font:12.5px/1.45 Consolas,Menlo,monospace;tab-size:4;margin:.3rem 0}
pre mark{background:#fde9c9;font-weight:600;display:block}pre span{display:block}code{font-family:Consolas,Menlo,monospace}
img{max-width:100%;height:auto}figure{margin:.6rem 0}figcaption,.note{color:#5f6368;font-size:.88rem}
.conflict{background:#fef3dc;border-left:4px solid #9a5b00;padding:.4rem .7rem;font-weight:600}.comment{white-space:pre-wrap;
border-left:4px solid #c4cad1;padding-left:.7rem}p{overflow-wrap:anywhere;unicode-bidi:plaintext;white-space:pre-line}
details{border-left:3px solid #d5dae0;padding-left:.8rem;margin:.5rem 0}summary{cursor:pointer;font-weight:600}
@media print{body{max-width:none}details{border:0;padding:0}h3{break-after:avoid}tr,figure{break-inside:avoid}
thead{display:table-header-group}}
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
const open = () => document.querySelectorAll('details').forEach(part => { part.open = true; });
window.addEventListener('beforeprint', open);
const show = () => { const part = document.getElementById(location.hash.slice(1));
  if (part) { const inner = part.querySelector('details'); if (inner) inner.open = true; } };
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

    def text(self) -> str:
        say, titles = self.say, family_titles(self.checklist, self.lang)
        version = self.checklist.get("tool", {}).get("version", "")
        title = _e(say["title"] if self.run else say["blank_title"])
        body = [
            f"<h1>{title}</h1><p class=note>{_e(say['subtitle'].format(version=version))}</p>",
            self._summary(all_entries(self.checklist)),
        ]
        rows = run_rows(self.run, self.lang)
        if rows:
            cells = "".join(f"<tr><th scope=row>{_e(a)}</th><td>{_e(number(b))}</td></tr>" for a, b in rows)
            body.append(f"<h2 id=run>{_e(say['run'])}</h2><table>{cells}</table>")
            body.append(self._figure({"figure": "step_time"}, self.say["step_time"]))
        body.append(self._against())
        body.append(self._remedies())
        for family, items in by_family(self.checklist):
            body.append(f"<h2>{_e(titles[family])}</h2>")
            body += [self._item(item) for item in items]
        return (
            f'<!DOCTYPE html>\n<html lang="{"zh-CN" if self.lang == "zh" else "en"}"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>"
            f"<body>{''.join(body)}<script>{_SCRIPT}</script></body></html>\n"
        )

    def _against(self) -> str:
        """The run beside the reference run; only where one was given."""
        found = self.checklist.get("reference_run")
        if not found:
            return ""
        name = f"{self.say['reference'].capitalize()}: {found.get('name') or ''}"
        head = f"<h2 id=against>{_e(self.say['against'])}</h2><p>{_e(name)}</p>"
        return head + self._told(found)

    def _remedies(self) -> str:
        """What `msprec remedy` has tried; only where it was run."""
        found = self.checklist.get("remedies")
        return f"<h2 id=remedies>{_e(self.say['remedies'])}</h2>{self._told(found)}" if found else ""

    def _told(self, found: dict) -> str:
        lines = "".join(f"<p>{_e(line)}</p>" for line in found.get("conclusion") or [])
        return lines + "".join(self._evidence(piece) for piece in found.get("evidence") or [])

    def _summary(self, items: list) -> str:
        say = self.say
        counts = {kind: sum(i["conclusion"] == kind for i in items) for kind in _ORDER}
        heads = (say["item"], say["conclusion"], say["reason"])
        head = "".join(f"<th scope=col><button type=button>{_e(name)}</button></th>" for name in heads)
        rows = "".join(self._summary_row(position, item) for position, item in enumerate(items))
        remarks = self.checklist.get("remarks")
        return (
            f"<h2 id=summary>{_e(say['summary'])}</h2><p><b>{_e(say['found'].format(**counts))}</b></p>"
            f"<table class=sortable><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            + (f"<h4>{_e(say['notes_head'])}</h4><p class=comment>{_e(remarks)}</p>" if remarks else "")
            + f"<p><button type=button id=all>{_e(say['unfold'])}</button></p>"
        )

    def _summary_row(self, position: int, item: dict) -> str:
        kind = item["conclusion"]
        name = f"<a href=#{_anchor(item)}>{_e(item['id'])} {_e(item['title'])}</a>"
        person = f" ({_e(self.say['by_person'])})" if item.get("answered_by") == "person" else ""
        return (
            f'<tr><td data-key="{position:03}">{name}</td><td class="word {kind}" data-key="{_ORDER[kind]}{position:03}">'
            f"{MARKS[kind]} {_e(self.names[kind])}{person}</td><td>{_e(item.get('summary') or '')}</td></tr>"
        )

    # --- one item -----------------------------------------------------------------------------------------------
    def _item(self, item: dict) -> str:
        say, kind = self.say, item["conclusion"]
        out = [
            f"<section id={_anchor(item)}><h3>{_e(item['id'])} {_e(item['title'])}</h3>"
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
        places = [f"{p['file']}:{p['line']}" for p in item.get("locations") or [] if p.get("file")]
        if places:
            out.append(f"<p>{_e(say['places'])}: {' '.join(f'<code>{_e(place)}</code>' for place in places)}</p>")
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

    @staticmethod
    def _code(evidence: dict, title: str) -> str:
        marked, first = set(evidence.get("highlight") or ()), int(evidence.get("first_line") or 1)
        lines = []
        for line, text in enumerate(str(evidence.get("code", "")).split("\n"), first):
            tag = "mark" if line in marked else "span"
            lines.append(f"<{tag}>{line:>4}  {_e(text)}</{tag}>")
        place = f"{evidence.get('file', '')}:{(evidence.get('highlight') or [first])[0]}"
        return f"<h4>{_e(title)} <code>{_e(place)}</code></h4><pre>{''.join(lines)}</pre>"

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


def _anchor(item: dict) -> str:
    return "item_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in item["id"])


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
