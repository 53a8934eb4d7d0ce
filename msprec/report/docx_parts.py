"""Pieces of a Word document that python-docx has no call for: fonts for East Asian text, links, bookmarks, fields."""

from typing import Optional

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from msprec.report.plain_text import clean

LATIN, CJK, MONO = "Calibri", "Microsoft YaHei", "Consolas"


def set_fonts(target, latin: str = LATIN) -> None:
    """Sets Latin and East Asian fonts on a run or a style."""
    properties = target._element.get_or_add_rPr() if hasattr(target._element, "get_or_add_rPr") else target.element.rPr
    fonts = properties.find(qn("w:rFonts"))
    if fonts is None:
        fonts = OxmlElement("w:rFonts")
        properties.insert(0, fonts)
    for name in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
        fonts.attrib.pop(qn(name), None)
    for name, value in (("w:ascii", latin), ("w:hAnsi", latin), ("w:eastAsia", CJK), ("w:cs", latin)):
        fonts.set(qn(name), value)


def add_run(paragraph, text, *, bold=None, size: Optional[float] = None, colour: Optional[str] = None, mono=False):
    """Appends text with both fonts set."""
    run = paragraph.add_run(clean(text))
    set_fonts(run, MONO if mono else LATIN)
    run.bold = bold
    if size:
        run.font.size = Pt(size)
    if colour:
        run.font.color.rgb = RGBColor.from_string(colour)
    return run


def add_bookmark(paragraph, name: str, number: int) -> None:
    """Marks the paragraph's beginning as the target ``name``."""
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    start.set(qn("w:id"), str(number))
    start.set(qn("w:name"), name)
    end.set(qn("w:id"), str(number))
    paragraph._p.insert(1 if paragraph._p.pPr is not None else 0, start)
    paragraph._p.append(end)


def add_link(paragraph, text: str, bookmark: str, size: Optional[float] = None) -> None:
    """A link to a bookmark in the same document."""
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), bookmark)
    link.set(qn("w:history"), "1")
    run = add_run(paragraph, text, size=size, colour="0B57D0")
    run.font.underline = True
    paragraph._p.remove(run._r)
    link.append(run._r)
    paragraph._p.append(link)


def add_field(paragraph, code: str, shown: str = "1", size: Optional[float] = None) -> None:
    """A field that Word computes: PAGE, NUMPAGES, SEQ Figure, PAGEREF; ``shown`` stands there until it does."""
    for kind, text in (("begin", None), (None, code), ("separate", None), ("text", shown), ("end", None)):
        run = add_run(paragraph, "", size=size)
        if kind in ("begin", "separate", "end"):
            mark = OxmlElement("w:fldChar")
            mark.set(qn("w:fldCharType"), kind)
            run._r.append(mark)
        elif kind == "text":
            run.text = text
        else:
            instruction = OxmlElement("w:instrText")
            instruction.set(qn("xml:space"), "preserve")
            instruction.text = f" {text} "
            run._r.append(instruction)


# what may stand before the shading in the properties of a paragraph; the schema wants the order
_BEFORE_SHADING = [
    qn(f"w:{name}")
    for name in (
        "pStyle",
        "keepNext",
        "keepLines",
        "pageBreakBefore",
        "framePr",
        "widowControl",
        "numPr",
        "suppressLineNumbers",
        "pBdr",
    )
]


def shade(cell_or_paragraph, colour: str) -> None:
    """A background colour for a table cell or a paragraph."""
    element = cell_or_paragraph._element
    of_cell = element.tag == qn("w:tc")
    properties = element.get_or_add_tcPr() if of_cell else element.get_or_add_pPr()
    shading = OxmlElement("w:shd")
    for name, value in (("w:val", "clear"), ("w:color", "auto"), ("w:fill", colour)):
        shading.set(qn(name), value)
    before = [child for child in properties if of_cell or child.tag in _BEFORE_SHADING]
    properties.insert(len(before), shading)


def repeat_head(row) -> None:
    """The row is repeated on every page that the table reaches."""
    properties = row._tr.get_or_add_trPr()
    properties.append(OxmlElement("w:tblHeader"))


def keep_whole(row) -> None:
    """The row is not split across pages."""
    row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))


def set_widths(table, widths: list) -> None:
    """Column widths in centimetres; the table keeps to them."""
    from docx.shared import Cm

    table.autofit = False
    for column, width in zip(table.columns, widths):
        column.width = Cm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, widths):
            cell.width = Cm(width)
