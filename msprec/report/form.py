"""The form inside the Word report: a drop-down for each conclusion, a field for the comment beside it, and what was prefilled.

A drop-down is a content control (``w:sdt``) with the tag ``msprec:choice:<item>`` (earlier reports had a second one in their
summary, ``msprec:summary:<item>``); a comment's tag is ``msprec:comment:<item>``, the field for general remarks has the item
``general``. The cells carry bookmarks of the same names, for word processors that drop tags. What was prefilled
stands in a custom XML part of the document:

    <form xmlns="urn:msprec:form:1" lang="en"><item id="ds.01" shown="problem" by="tool" evidence="problem"/>…
      <texts>…</texts></form>

``texts`` are fingerprints of the paragraphs as they were written, so that words typed anywhere else can be told.
"""

import base64
import zlib
from typing import Optional
from xml.sax.saxutils import quoteattr

from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt

from msprec.record.checklist_file import all_entries
from msprec.report.docx_builder import WIDTH_CM, Paper
from msprec.report.docx_parts import add_bookmark, add_link, add_run, shade
from msprec.report.form_reader import GENERAL, NAMESPACE, bookmark_of, paragraphs_of_parts, state_fingerprint
from msprec.report.plain_text import clean
from msprec.report.strings import CONCLUSIONS, MARKS, PLACEHOLDERS

_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"
_SHADES = {"problem": "FCE8E6", "undecided": "FEF3DC"}


def _control(paper: Paper, kind: str, item_id: str, alias: str, text: str, size: float, bold=None, placeholder=False):
    """An ``w:sdt`` with one run; the caller adds what kind of control it is to ``sdtPr``."""
    paper.controls += 1
    control, properties, content = OxmlElement("w:sdt"), OxmlElement("w:sdtPr"), OxmlElement("w:sdtContent")
    control.append(properties)
    control.append(content)
    for name, value in (
        ("w:alias", alias),
        ("w:tag", f"msprec:{kind}:{item_id}"),
        ("w:id", str(7100 + paper.controls)),
        ("w:lock", "sdtLocked"),
    ):
        child = OxmlElement(name)
        child.set(qn("w:val"), value)
        properties.append(child)
    if placeholder:
        properties.append(OxmlElement("w:showingPlcHdr"))
    holder = paper.document.add_paragraph()
    run = add_run(holder, text, size=size, bold=bold, colour="757575" if placeholder else None)
    content.append(run._r)
    holder._p.getparent().remove(holder._p)
    return control, properties


def _put(paper: Paper, cell, control, name: str) -> None:
    paragraph = cell.paragraphs[0]
    paragraph._p.append(control)
    paper.bookmarks += 1
    add_bookmark(paragraph, name, paper.bookmarks)


def add_choice(paper: Paper, cell, item: dict, kind: str = "choice", size: float = 10.5) -> None:
    """Puts the drop-down of an item's conclusion into a table cell."""
    names, shown = CONCLUSIONS[paper.lang], item["conclusion"]
    alias = clean(f"{item['id']} {paper.say['conclusion']}")
    control, properties = _control(paper, kind, item["id"], alias, names[shown], size, bold=True)
    choices = OxmlElement("w:dropDownList")
    choices.set(qn("w:lastValue"), shown)
    for value, name in names.items():
        entry = OxmlElement("w:listItem")
        entry.set(qn("w:displayText"), name)
        entry.set(qn("w:value"), value)
        choices.append(entry)
    properties.append(choices)
    _put(paper, cell, control, bookmark_of(kind, item["id"]))
    if shown in _SHADES:
        shade(cell, _SHADES[shown])


def add_comment(paper: Paper, cell, item_id: str, comment: str, size: float = 10) -> None:
    """Puts the field for a comment into a table cell, with what was typed before."""
    text = comment or PLACEHOLDERS[paper.lang]
    alias = f"{item_id} {paper.say['comment']}"
    control, properties = _control(paper, "comment", item_id, alias, text, size, placeholder=not comment)
    # rich, not plain: LibreOffice 7.4 writes a plain one several times over where its text changes script
    properties.append(OxmlElement("w:richText"))
    _put(paper, cell, control, bookmark_of("comment", item_id))


def add_form(paper: Paper, checklist: dict, anchor) -> None:
    """The guide's form, on pages of its own: a drop-down and a field for a comment beside each item; then the items beyond
    the guide, and general remarks. ``anchor(item id)`` gives the bookmark of what is told of an item."""
    say = paper.say
    paper.page_break_before(paper.heading(say["form"], 1, "form"))
    paper.paragraph(say["how_to_fill"].replace("`", ""), size=8.5, colour="3C4043")
    _items(paper, checklist["items"], anchor)
    if checklist.get("beyond"):
        head = paper.paragraph(say["beyond"], bold=True)
        head.paragraph_format.space_before, head.paragraph_format.keep_with_next = Pt(6), True
        _items(paper, checklist["beyond"], anchor)
    paper.paragraph().paragraph_format.space_after = Pt(0)
    table = paper.table([say["general"]], [[""]], [WIDTH_CM])
    add_comment(paper, table.rows[1].cells[0], GENERAL, checklist.get("remarks") or "")


def _items(paper: Paper, items: list, anchor) -> None:
    """The fields of items, a row each; those of an item left to a person have a heavy frame."""
    say, size = paper.say, 8.5
    columns = [say["mark"], say["item"], say["conclusion"], say["comment_head"]]
    table = paper.table(columns, [[""] * 4 for _ in items], [2.0, 5.6, 3.0, WIDTH_CM - 10.6], size=size)
    for row, item in zip(list(table.rows)[1:], items):
        mark, name, conclusion, comment = row.cells
        mark.paragraphs[0].alignment = 1
        add_run(mark.paragraphs[0], mark_of(item), bold=True, size=10)
        add_link(name.paragraphs[0], f"{item['id']} {item['title']}", anchor(item["id"]), size)
        add_choice(paper, conclusion, item, "choice", size)
        add_comment(paper, comment, item["id"], item.get("comment") or "", size)
        if item["conclusion"] == "undecided":
            for cell in (conclusion, comment):
                _frame(cell)


def _frame(cell) -> None:
    borders = OxmlElement("w:tcBorders")
    for side in ("top", "left", "bottom", "right"):
        line = OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", "18"), ("space", "0"), ("color", "3C4043")):
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    properties = cell._tc.get_or_add_tcPr()
    shading = properties.find(qn("w:shd"))
    # the schema wants the borders before the shading
    if shading is not None:
        shading.addprevious(borders)
    else:
        properties.append(borders)


def add_state(paper: Paper, checklist: dict) -> None:
    """Writes what was prefilled, and the fingerprints of all paragraphs, into a custom XML part; comes last."""
    from lxml import etree

    roots = [paper.document.element]
    for section in paper.document.sections:
        if not section.header.is_linked_to_previous:
            roots += [section.header._element, section.footer._element]
    prints = {state_fingerprint(text) for root in roots for text in paragraphs_of_parts(root)}
    texts = base64.b64encode(zlib.compress(b"".join(sorted(prints)), 9)).decode()
    entries = "".join(_entry(item) for item in all_entries(checklist))
    xml = f'<form xmlns="{NAMESPACE}" lang="{paper.lang}">{entries}<texts>{texts}</texts></form>'
    etree.fromstring(xml)
    package = paper.document.part.package
    name = PackURI("/customXml/item9.xml")
    part = Part(name, "application/xml", xml.encode("utf-8"), package)
    paper.document.part.relate_to(part, _RELATION)


def _entry(item: dict) -> str:
    known = {
        "id": item["id"],
        "shown": item["conclusion"],
        "by": item.get("answered_by") or "tool",
        "evidence": item.get("by_evidence") or item["conclusion"],
    }
    return "<item " + " ".join(f"{key}={quoteattr(str(value))}" for key, value in known.items()) + "/>"


def mark_of(item: dict) -> Optional[str]:
    """The sign of what the evidence alone says, beside the choice."""
    return MARKS.get(item.get("by_evidence") or item["conclusion"])
