"""Scrubs a Word document in place: its paragraphs across their runs, tables of secrets, attributes, links and properties."""

import io
import zipfile

from lxml import etree

from msprec.bundle.names import SecretSpan, sort_of_name
from msprec.bundle.patterns import find_secrets
from msprec.bundle.scrub import Scrubber

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = (f"{_W}t", f"{_W}delText", f"{_W}instrText")
# whose document it is, whatever the name
_PERSONS = {"creator", "lastModifiedBy", "Company", "Manager", "author", "initials", "userId"}
_OWN = {"msprec", ""}
_MONO = {"Consolas", "Courier New", "DejaVu Sans Mono"}


def scrub_docx(data: bytes, scrubber: Scrubber, where: str) -> bytes:
    """The document with the scrubber's replacements in every XML part; pictures stay as they are.

    Raises zipfile.BadZipFile, lxml.etree.XMLSyntaxError or ValueError when it cannot be read whole.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        if sum(info.file_size for info in old.infolist()) > 200_000_000:
            raise ValueError("too large")
        for info in old.infolist():
            content = old.read(info)
            if info.filename.endswith((".xml", ".rels")):
                content = _part(content, scrubber, where)
            new.writestr(zipfile.ZipInfo(info.filename, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def learn_docx(data: bytes, scrubber: Scrubber) -> None:
    """Shows the document's text to the scrubber before anything is replaced."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            if name.endswith((".xml", ".rels")):
                root = _parse(file.read(name))
                scrubber.learn("\n".join("".join(p.itertext(*_TEXT)) for p in root.iter(f"{_W}p")))


def _parse(content: bytes):
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def _part(content: bytes, scrubber: Scrubber, where: str) -> bytes:
    root = _parse(content)
    before = etree.tostring(root)
    _across_paragraphs(root, scrubber, where)
    for table in root.iter(f"{_W}tbl"):
        _table(table, scrubber, where)
    for paragraph in root.iter(f"{_W}p"):
        nodes = _nodes(paragraph)
        text = "".join(node.text for node in nodes)
        _apply(nodes, scrubber.spans(text, _is_code(paragraph)), scrubber, where)
    _others(root, scrubber, where)
    if etree.tostring(root) == before:
        return content
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _nodes(paragraph) -> list:
    return [node for node in paragraph.iter(*_TEXT) if node.text]


def _is_code(paragraph) -> bool:
    fonts = paragraph.find(f".//{_W}r/{_W}rPr/{_W}rFonts")
    return fonts is not None and fonts.get(f"{_W}ascii") in _MONO


def _across_paragraphs(root, scrubber: Scrubber, where: str) -> None:
    """Secrets of several lines, such as a private key in a listing."""
    nodes, text = [], ""
    for paragraph in root.iter(f"{_W}p"):
        for node in _nodes(paragraph):
            nodes.append((node, len(text)))
            text += node.text
        text += "\n"
    found = [f for f in find_secrets(text, code=True) if "\n" in text[f.start : f.end]] if "PRIVATE KEY" in text else []
    for piece in found:
        if "secret" in scrubber.keep:
            continue
        by = scrubber.take("secret", text[piece.start : piece.end], where)
        for node, start in nodes:
            low, high = max(piece.start - start, 0), min(piece.end - start, len(node.text))
            if low < high:
                node.text = node.text[:low] + by + node.text[high:]
                by = ""


def _apply(nodes: list, spans: list, scrubber: Scrubber, where: str) -> None:
    """Replaces spans of the nodes' joined text; the replacement stands where the span began."""
    text = "".join(node.text for node in nodes)
    for span in reversed(spans):
        by, start = scrubber.take(span.kind, text[span.start : span.end], where, text, span.start), 0
        for node in nodes:
            size = len(node.text)
            low, high = max(span.start - start, 0), min(span.end - start, size)
            if low < high:
                node.text = node.text[:low] + by + node.text[high:]
                by = ""
            start += size


def _table(table, scrubber: Scrubber, where: str) -> None:
    """Cells under a head, or beside a name, that is a secret's."""
    rows = [row.findall(f"{_W}tc") for row in table.findall(f"{_W}tr")]
    texts = [["".join(n.text for n in _nodes(cell)) for cell in row] for row in rows]
    heads = [sort_of_name(text) for text in texts[0]] if texts else []
    for cells, row in zip(rows, texts):
        for column, (cell, text) in enumerate(zip(cells, row)):
            head = heads[column] if column < len(heads) and row is not texts[0] else None
            for sort in (head, scrubber.beside(row, column)):
                if sort and scrubber.hides(text, sort):
                    kind = "proxy" if sort == "proxy" else "secret"
                    _apply(_nodes(cell), [SecretSpan(0, len(text), kind)], scrubber, where)
                    break


def _others(root, scrubber: Scrubber, where: str) -> None:
    """Attributes, and texts outside of paragraphs."""
    known = {}
    for node in root.iter():
        if not isinstance(node.tag, str):
            continue
        for name, value in node.attrib.items():
            if etree.QName(name).localname in _PERSONS and value not in _OWN:
                node.set(name, scrubber.take("user", value, where))
            elif len(value) >= 4:
                if value not in known:
                    known[value] = scrubber.spans(value)
                if known[value]:
                    node.set(name, scrubber.text(value, where))
        if node.tag in _TEXT or not (node.text or "").strip() or len(node.text) > 100_000:
            continue
        if etree.QName(node).localname in _PERSONS:
            if node.text not in _OWN and "user" not in scrubber.keep:
                node.text = scrubber.take("user", node.text, where)
        else:
            node.text = scrubber.text(node.text, where)
