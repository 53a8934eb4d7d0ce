"""Reads the form back out of a Word report that a person has worked in: choices, comments, and words typed anywhere else.

The document may have been saved by another word processor, which drops the tags of controls, joins or splits runs, or turns
a control into plain text. So a field is looked for by its tag, then by the bookmark in its cell, then by its place in the
form (in earlier reports under the item's heading); and its value is all the text of its cell. A paragraph that msprec did not
write counts as the person's.
"""

import base64
import hashlib
import re
import unicodedata
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple, Optional

from lxml import etree

from msprec.engine.family import ITEM_ID, items
from msprec.report.strings import CONCLUSIONS, FOREIGN_PLACEHOLDERS, PLACEHOLDERS, WORDS

NAMESPACE = "urn:msprec:form:1"
GENERAL = "general"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_STRICT = "purl.oclc.org/ooxml"
_MOST_BYTES = 200_000_000
_COMPUTED = re.compile(r"\s*(SEQ|PAGE|PAGEREF|NUMPAGES)\b")
_ITEM = re.compile(rf"\s*({ITEM_ID})\b")
_OWN_PICTURE = "msprec figure"
_NAMES = {name: kind for names in CONCLUSIONS.values() for kind, name in names.items()}


class FormError(Exception):
    """The file is no report that can be read; the message is one line for the user."""


class Entry(NamedTuple):
    """What one item's section holds.

    ``chosen``: the conclusion in the drop-down, None where it cannot be read; ``other``: a different one that was chosen in
    the summary's table; ``shown``, ``by``, ``evidence``: what msprec had filled in, by whom it was, and what the evidence alone
    said then (None where the document no longer tells); ``comment``; ``typed``: paragraphs typed elsewhere in the section;
    ``pictures``: put there by the person, as (bytes, extension).
    """

    chosen: Optional[str]
    other: Optional[str]
    shown: Optional[str]
    by: Optional[str]
    evidence: Optional[str]
    comment: str
    typed: list
    pictures: list


class Form(NamedTuple):
    """The whole form: ``items`` by id; ``general`` the remarks; ``whole``: whether the record of what was prefilled is there."""

    lang: str
    items: dict
    general: Entry
    whole: bool


def bookmark_of(kind: str, item_id: str) -> str:
    return f"{kind}_{item_id.replace('.', '_')}"


# --- text of paragraphs -------------------------------------------------------------------------------------------------
def text_of(paragraph) -> str:
    """A paragraph's text as a person sees it, without results of fields that are computed and without deleted text."""
    out: list[str] = []
    fields: list = []
    _collect(paragraph, out, fields, top=True)
    return "".join(out)


def _collect(node, out: list, fields: list, top: bool = False) -> None:
    tag = node.tag
    if not isinstance(tag, str) or tag in (f"{_MC}Fallback", f"{_W}moveFrom", f"{_W}del", f"{_W}sdtPr", f"{_W}pPr"):
        return
    if tag == f"{_W}p" and not top:  # a text box: a paragraph of its own
        return
    if tag == f"{_W}fldSimple" and _COMPUTED.match(node.get(f"{_W}instr") or ""):
        return
    if tag == f"{_W}fldChar":
        _field(node.get(f"{_W}fldCharType"), fields)
    elif tag == f"{_W}instrText" and fields:
        fields[-1][0] += node.text or ""
    elif any(shown and _COMPUTED.match(code) for code, shown in fields):
        pass
    elif tag == f"{_W}t":
        out.append(node.text or "")
    elif tag in (f"{_W}tab", f"{_W}ptab"):
        out.append("\t")
    elif tag in (f"{_W}br", f"{_W}cr"):
        out.append("\n")
    elif tag == f"{_W}noBreakHyphen":
        out.append("-")
    for child in node:
        _collect(child, out, fields)


def _field(kind: Optional[str], fields: list) -> None:
    if kind == "begin":
        fields.append(["", False])
    elif kind == "separate" and fields:
        fields[-1][1] = True
    elif kind == "end" and fields:
        fields.pop()


def paragraphs_of_parts(root) -> list:
    """The texts of all paragraphs below an element."""
    return [text_of(p) for p in root.iter(f"{_W}p") if not _hidden(p)]


def _hidden(node) -> bool:
    return any(parent.tag == f"{_MC}Fallback" for parent in node.iterancestors())


def state_fingerprint(text: str) -> bytes:
    """Eight bytes for a paragraph, the same after a word processor has changed its spaces or its composed characters."""
    plain = re.sub(r"\s+", "", unicodedata.normalize("NFC", text))
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=8).digest()


# --- the file -----------------------------------------------------------------------------------------------------------
class _File:
    """The parts of a .docx; nothing is unpacked, and no more than a sane amount is read."""

    def __init__(self, path: Path) -> None:
        try:
            self.zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            why = error.strerror if isinstance(error, OSError) else "not a Word document, or a damaged one"
            raise FormError(f"{path}: {why}") from None
        if sum(info.file_size for info in self.zip.infolist()) > _MOST_BYTES:
            raise FormError(f"{path}: too large for a report")
        self.names = set(self.zip.namelist())
        self.path = path

    def read(self, name: str) -> bytes:
        try:
            return self.zip.read(name) if name in self.names else b""
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError):
            return b""

    def xml(self, name: str):
        """The root of a part, or None."""
        data = self.read(name)
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
            return etree.fromstring(data, parser) if data else None
        except etree.XMLSyntaxError:
            return None

    def relations(self, part: str) -> dict:
        """Id to target of a part's relations, targets as names in the archive."""
        folder, _, name = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{name}.rels")
        found = {}
        for relation in root if root is not None else ():
            target = relation.get("Target") or ""
            found[relation.get("Id")] = target[1:] if target.startswith("/") else f"{folder}/{target}"
        return found

    def main(self) -> str:
        """The name of the part that holds the text: what the package says, whatever it is called."""
        root = self.xml("_rels/.rels")
        for relation in root if root is not None else ():
            if (relation.get("Type") or "").endswith("/officeDocument"):
                return (relation.get("Target") or "").lstrip("/")
        return "word/document.xml"


def read_form(path) -> Form:
    """Reads the report ``path``. Raises FormError when it is none."""
    file = _File(Path(path))
    body = file.xml(file.main())
    if body is None:
        raise FormError(f"{path}: not a Word document, or a damaged one")
    if _STRICT in str(body.tag):
        raise FormError(f"{path}: saved as Strict Open XML; save it as an ordinary Word document (.docx) and try again")
    state = _State(file)
    reader = _Reader(file, state)
    reader.read(body)
    if not reader.found:
        raise FormError(f"{path}: no msprec report (none of its fields is there)")
    return reader.form()


class _State:
    """What the custom XML part says was prefilled; empty when it is gone."""

    def __init__(self, file: _File) -> None:
        self.items: dict[str, Any] = {}
        self.lang: Optional[str] = None
        self.prints: Optional[set[bytes]] = None
        for name in sorted(n for n in file.names if re.fullmatch(r"customXml/item\d+\.xml", n)):
            root = file.xml(name)
            if root is not None and root.tag == f"{{{NAMESPACE}}}form":
                self._take(root)

    def _take(self, root) -> None:
        self.lang = root.get("lang")
        self.items = {entry.get("id"): entry.attrib for entry in root.findall(f"{{{NAMESPACE}}}item")}
        try:
            packed = zlib.decompress(base64.b64decode(root.findtext(f"{{{NAMESPACE}}}texts") or ""))
        except (ValueError, zlib.error):
            return
        self.prints = {packed[i : i + 8] for i in range(0, len(packed), 8)}

    def wrote(self, text: str) -> bool:
        """Whether msprec wrote this paragraph; True where nobody can tell."""
        return self.prints is None or not text.strip() or state_fingerprint(text) in self.prints


class _Reader:
    def __init__(self, file: _File, state: _State) -> None:
        self.file, self.state = file, state
        self.found = False
        self.values: dict[tuple[str, str], list[str]] = {}  # (kind, item) to the paragraphs of the cell
        self.typed: dict[str, list[str]] = {}
        self.pictures: dict[str, list[tuple[bytes, str]]] = {}
        self.comments = self._margin_comments()
        self.relations = file.relations(file.main())

    # --- going through the document ---------------------------------------------------------------------------------
    def read(self, body) -> None:
        fields = self._fields(body)
        cells = {cell: key for key, cell in fields.items()}
        current = GENERAL
        for paragraph in body.iter(f"{_W}p"):
            if _hidden(paragraph):
                continue
            current = self._section(paragraph) or current
            key = next((cells[a] for a in paragraph.iterancestors(f"{_W}tc") if a in cells), None)
            if key is None:
                self._loose(paragraph, current)
            else:
                self.values.setdefault(key, []).append(text_of(paragraph))
                self._pictures(paragraph, key[1])
            self._margin(paragraph, key[1] if key else current)
        self.found = bool(fields)
        for name in sorted(self.file.names):
            if re.fullmatch(r"word/(header|footer|footnotes|endnotes)\d*\.xml", name):
                root = self.file.xml(name)
                for text in paragraphs_of_parts(root) if root is not None else ():
                    self._keep(text, GENERAL)

    def _fields(self, body) -> dict:
        """(kind, item) of every field to its table cell."""
        found: dict[tuple[str, str], Any] = {}
        for tag in body.iter(f"{_W}tag"):
            parts = (tag.get(f"{_W}val") or "").split(":")
            cell = next(tag.iterancestors(f"{_W}tc"), None)
            if len(parts) == 3 and parts[0] == "msprec" and cell is not None:
                found.setdefault((parts[1], parts[2]), cell)
        names = {
            bookmark_of(kind, item): (kind, item)
            for kind in ("choice", "summary", "comment")
            for item in (*self.state.items, *self._ids())
        }
        for mark in body.iter(f"{_W}bookmarkStart"):
            key, cell = names.get(mark.get(f"{_W}name")), next(mark.iterancestors(f"{_W}tc"), None)
            if key and cell is not None:
                found.setdefault(key, cell)
        for key, cell in self._by_place(body):
            if cell not in found.values():
                found.setdefault(key, cell)
        return found

    def _ids(self) -> list:
        return [*(item.id for item in items()), GENERAL]

    def _by_place(self, body):
        """The cells of each item's form by where they stand: its row of the form; in an earlier report, the first table of two
        columns below the item's heading."""
        current = None
        for block in body.iter(f"{_W}p", f"{_W}tbl"):
            if block.tag == f"{_W}p":
                current = self._section(block) or current
                continue
            rows = block.findall(f"{_W}tr")
            cells = [row.findall(f".//{_W}tc") for row in rows]
            yield from _form_rows(cells)
            if current and current != GENERAL and len(rows) == 2 and [len(c) for c in cells] == [2, 2]:
                yield ("choice", current), cells[1][0]
                yield ("comment", current), cells[1][1]
                current = None

    @staticmethod
    def _section(paragraph) -> Optional[str]:
        """The item whose section begins with this paragraph; GENERAL where a chapter begins; None within a section."""
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        # the ids are Heading2, or 2 where a Chinese Word has saved
        level = (
            re.fullmatch(r"(?i)(?:heading|标题|\W*)\s*([1-9])", style.get(f"{_W}val") or "")
            if style is not None
            else None
        )
        if level is None:
            return None
        match = _ITEM.match(text_of(paragraph))
        return match.group(1) if match else GENERAL if level.group(1) == "1" else None

    def _loose(self, paragraph, current: str) -> None:
        self._keep(text_of(paragraph), current, contents=_is_contents(paragraph))
        self._pictures(paragraph, current)

    def _keep(self, text: str, current: str, contents: bool = False) -> None:
        if contents and (self.state.wrote(re.sub(r"\d+\s*$", "", text)) or _ITEM.match(text)):
            return
        if not self.state.wrote(text) and text.strip() not in self.typed.get(current, ()):
            self.typed.setdefault(current, []).append(text.strip())

    def _pictures(self, paragraph, current: str) -> None:
        for drawing in paragraph.iter(f"{_W}drawing"):
            if _hidden(drawing):
                continue
            named = drawing.find(f".//{_WP}docPr")
            if named is not None and (named.get("name") or "").startswith(_OWN_PICTURE):
                continue
            for blip in drawing.iter(f"{_A}blip"):
                part = self.relations.get(blip.get(f"{_R}embed"))
                data = self.file.read(part) if part else b""
                if part and data:
                    self.pictures.setdefault(current, []).append((data, part.rpartition(".")[2].lower()))

    # --- comments in the margin ---------------------------------------------------------------------------------------
    def _margin_comments(self) -> dict:
        root = self.file.xml("word/comments.xml")
        found = {}
        for comment in root if root is not None else ():
            text = "\n".join(filter(str.strip, paragraphs_of_parts(comment)))
            author = comment.get(f"{_W}author") or ""
            if text:
                found[comment.get(f"{_W}id")] = f"{author}: {text}" if author else text
        return found

    def _margin(self, paragraph, current: str) -> None:
        for reference in paragraph.iter(f"{_W}commentReference"):
            text = self.comments.pop(reference.get(f"{_W}id"), None)
            if text:
                self.typed.setdefault(current, []).append(text)

    # --- what was found ---------------------------------------------------------------------------------------------
    def form(self) -> Form:
        self.typed.setdefault(GENERAL, []).extend(self.comments.values())
        self._keep_unknown()
        entries = {item: self._entry(item) for item in self._ids()}
        return Form(self._lang(), entries, entries.pop(GENERAL), self.state.prints is not None)

    def _keep_unknown(self) -> None:
        """What was filled in for items that this version does not know goes to the general remarks."""
        known, remarks = set(self._ids()), self.typed[GENERAL]
        for item in sorted({item for _, item in self.values} - known | (set(self.typed) - known)):
            before = self.state.items.get(item) or {}
            chosen, other = self._choice("choice", item, before.get("shown"))
            answered = chosen is not None and (chosen != before.get("shown") or before.get("by") == "person")
            comment = _without_placeholder("\n".join(self.values.get(("comment", item), [])))
            answer = CONCLUSIONS[self._lang()][chosen] if answered else ""
            words = "\n".join(filter(None, [answer, *other, comment, *self.typed.pop(item, [])]))
            if words:
                remarks.append(f"[{item}] {words}")
        for item in set(self.pictures) - known:
            self.pictures.setdefault(GENERAL, []).extend(self.pictures.pop(item))

    def _lang(self) -> str:
        lang = self.state.lang
        return lang if lang is not None and lang in ("zh", "en") else self._guess()

    def _guess(self) -> str:
        zh = sum(name in "".join(lines) for lines in self.values.values() for name in CONCLUSIONS["zh"].values())
        return "zh" if zh else "en"

    def _entry(self, item: str) -> Entry:
        known = self.state.items.get(item, {})
        shown = known.get("shown")
        chosen, extra = self._choice("choice", item, shown)
        summary, more = self._choice("summary", item, shown)
        other = None
        if chosen is None or (chosen == shown and summary is not None):
            chosen, summary = (summary if summary is not None else chosen), None
        elif summary not in (None, shown, chosen):
            other = summary
        if chosen is None and known.get("by") == "person":
            chosen = shown  # the field was deleted, or cleared; the answer given before still stands
        comment = _without_placeholder("\n".join(self.values.get(("comment", item), [])))
        typed = [*extra, *more, *self.typed.get(item, [])]
        return Entry(
            chosen, other, shown, known.get("by"), known.get("evidence"), comment, typed, self.pictures.get(item, [])
        )

    def _choice(self, kind: str, item: str, shown: Optional[str]) -> tuple:
        """The conclusion in a cell, and the cell's text again where it holds more words than that."""
        kinds, more = _conclusions(self.values.get((kind, item), []))
        # an editor that writes the new name beside the prefilled one leaves both
        chosen = [found for found in kinds if found != shown] or kinds
        if len(set(chosen)) == 1:
            return chosen[0], more
        return None, more or (kinds and ["\n".join(self.values[kind, item])]) or []


def _conclusions(lines: list) -> tuple:
    """The conclusions named in a cell's lines, and the text in a list where anything else stands there too."""
    text = "\n".join(lines).strip()
    names = [name for name in _NAMES if name in text]
    rest = text
    for name in names:
        rest = rest.replace(name, "")
    kinds = [_NAMES[name] for name in names]
    return kinds, [text] if rest.strip() else []


def _form_rows(rows: list):
    """The fields of the form's table, whose last column is the comment: mark, item, conclusion, comment."""
    heads = [_text_of_cell(cell) for cell in rows[0]] if rows else []
    if len(heads) != 4 or heads[3] not in (said["comment_head"] for said in WORDS.values()):
        return
    for cells in rows[1:]:
        match = _ITEM.match(_text_of_cell(cells[1])) if len(cells) == 4 else None
        if match:
            yield ("choice", match.group(1)), cells[2]
            yield ("comment", match.group(1)), cells[3]


def _text_of_cell(cell) -> str:
    return "\n".join(text_of(paragraph) for paragraph in cell.iter(f"{_W}p")).strip()


def _is_contents(paragraph) -> bool:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style is not None and bool(re.match(r"(?i)toc|contents", style.get(f"{_W}val") or ""))


def _without_placeholder(text: str) -> str:
    """The comment without the hint that an empty field shows, in whichever language and whoever's hint it is."""
    text = text.strip()
    for hint in (*PLACEHOLDERS.values(), *FOREIGN_PLACEHOLDERS):
        text = text[len(hint) :] if text.startswith(hint) else text[: -len(hint)] if text.endswith(hint) else text
    return text.strip()
