"""The first page of the Word report: what was run, whether it learnt, what is wrong and where, how to run it again."""

from typing import Optional

from docx.shared import Cm, Pt

from msprec.report.docx_builder import GREY, WIDTH_CM, Paper
from msprec.report.docx_parts import add_link, add_run, shade
from msprec.report.figures import draw
from msprec.report.overview import Overview, sentence

# problems and open items that the page has room for; all of them have sections
_MOST, _MOST_OPEN = 7, 5
_STATES = {"learnt": "E6F4EA", "unknown": "F1F3F4"}


def write_front(paper: Paper, found: Overview, title: str, subtitle: str, run_dir: Optional[object], anchor) -> None:
    """Writes the page; ``anchor(item id)`` gives the bookmark of an item's section."""
    paper.paragraph(title, style="Title")
    paper.paragraph(" · ".join(filter(None, [subtitle])), size=9, colour=GREY)
    if found.ran:
        paper.paragraph(found.ran)
    if found.outcome:
        shade(paper.paragraph(found.outcome, bold=True), _STATES.get(found.state or "", "FCE8E6"))
    _loss(paper, run_dir)
    _problems(paper, found, anchor)
    _open(paper, found, anchor)
    paper.paragraph(found.counts)
    if found.repeat:
        paper.labelled(paper.say["repeat"], found.repeat, mono=True)


def _loss(paper: Paper, run_dir) -> None:
    png = draw("front_loss", {}, run_dir, paper.lang) if run_dir is not None else None
    if png is not None:
        paper.figures += 1
        paper.picture(png, paper.say["loss"], f"msprec figure {paper.figures}", most_cm=3.9)


def _problems(paper: Paper, found: Overview, anchor) -> None:
    say = paper.say
    if not found.problems:
        if found.ran:
            paper.paragraph(say["no_problem_found"], bold=True)
        return
    shown = found.problems[:_MOST]
    few = len(shown) <= 4
    size, most = (9.0, 240) if few else (8.5, 150)
    columns = [say["problem"], say["place"], say["fix_short"]]
    rows = [["", one.place, ""] for one in shown]
    table = paper.table(columns, rows, [7.6, 2.8, WIDTH_CM - 10.4], size=size)
    for row, one in zip(list(table.rows)[1:], shown):
        what, _, fix = row.cells
        add_link(what.paragraphs[0], f"{one.id} {one.title}", anchor(one.id), size)
        add_run(what.paragraphs[0], f"  {sentence(one.text, most)}", size=size)
        paper.inline(fix.paragraphs[0], sentence(one.fix, most), size)
    _more(paper, say["more_problems"], [one.id for one in found.problems[_MOST:]], anchor)
    paper.paragraph().paragraph_format.space_after = Pt(0)


def _open(paper: Paper, found: Overview, anchor) -> None:
    """What is left to a person: with what would decide it, where no problem needs the page."""
    groups = [id for ids, _, _ in found.groups for id in ids]
    if not found.open and not groups:
        return
    head = paper.paragraph(paper.say["open_items"] + ": ", bold=True)
    head.paragraph_format.space_after = Pt(2)
    if found.problems:
        _links(head, [f"{one.id} {one.title}" for one in found.open[:_MOST_OPEN]], anchor)
        _links(head, [*(one.id for one in found.open[_MOST_OPEN:]), *groups], anchor)
        return
    head.paragraph_format.keep_with_next = True
    for one in found.open[:_MOST_OPEN]:
        line = paper.paragraph()
        line.paragraph_format.left_indent, line.paragraph_format.space_after = Cm(0.4), Pt(1)
        _links(line, [f"{one.id} {one.title}"], anchor)
        paper.inline(line, one.fix or one.text, 9)
    _more(paper, paper.say["more_open"], [one.id for one in found.open[_MOST_OPEN:]], anchor)
    for ids, text, fix in found.groups:
        line = paper.paragraph(f"{text} ", size=9)
        paper.inline(line, f"{fix}  ", 9)
        _links(line, ids, anchor)


def _links(line, names: list, anchor) -> None:
    for name in names:
        add_link(line, name, anchor(name.split()[0]), 9)
        add_run(line, "   ", size=9)


def _more(paper: Paper, template: str, ids: list, anchor) -> None:
    if ids:
        _links(paper.paragraph(template.format(count=len(ids)) + " ", size=9), ids, anchor)
