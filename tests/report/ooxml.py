"""What a .docx has to keep to, beyond being well-formed: the package, references, ids, and the order of children.

The order is that of ECMA-376 (transitional), from part 1, section 17; the limits on names and ids are Word's own, which calls
a document damaged that goes beyond them.
"""

import posixpath
import zipfile
from collections import Counter
from pathlib import Path

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
XML = "{http://www.w3.org/XML/1998/namespace}"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"

ORDER = {
    "pPr": "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs "
    "suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd "
    "snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment "
    "textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange",
    "rPr": "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish "
    "webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang "
    "eastAsianLayout specVanish oMath rPrChange",
    "tbl": "bookmarkStart bookmarkEnd tblPr tblGrid tr sdt",
    "tblPr": "tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd "
    "tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange",
    "tr": "tblPrEx trPr tc sdt",
    "tcPr": "cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark",
    "tcBorders": "top start left bottom end right insideH insideV tl2br tr2bl",
    "sectPr": "headerReference footerReference footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType pgNumType "
    "cols formProt vAlign noEndnote titlePg textDirection bidi rtlGutter docGrid printerSettings sectPrChange",
    "sdt": "sdtPr sdtEndPr sdtContent",
    "sdtPr": "rPr alias tag id lock placeholder temporary showingPlcHdr dataBinding label tabIndex comboBox date "
    "docPartList dropDownList picture richText text",
    "style": "name aliases basedOn next link autoRedefine hidden uiPriority semiHidden unhideWhenUsed qFormat locked personal "
    "personalCompose personalReply rsid pPr rPr tblPr trPr tcPr tblStylePr",
}


def faults(path: Path) -> list:
    """One line for each thing in which the document breaks a rule."""
    with zipfile.ZipFile(path) as file:
        names = file.namelist()
        parts = {name: etree.fromstring(file.read(name)) for name in names if name.endswith((".xml", ".rels"))}
    found = [f"twice in the archive: {name}" for name, count in Counter(names).items() if count > 1]
    found += _content_types(parts["[Content_Types].xml"], names)
    for name, root in parts.items():
        if name.endswith(".rels"):
            found += _relations(name, root, names)
        elif name != "[Content_Types].xml":
            found += [f"{name}: {fault}" for fault in _of_part(name, root, parts)]
    return found


def _content_types(root, names: list) -> list:
    extensions = {node.get("Extension").lower() for node in root.iter(f"{_TYPES}Default")}
    named = [node.get("PartName").lstrip("/") for node in root.iter(f"{_TYPES}Override")]
    found = [f"content type for nothing: {name}" for name in named if name not in names]
    for name in names:
        if name not in named and name != "[Content_Types].xml" and name.rpartition(".")[2].lower() not in extensions:
            found.append(f"no content type: {name}")
    return found


def _relations(name: str, root, names: list) -> list:
    folder = posixpath.dirname(posixpath.dirname(name))
    ids = Counter(relation.get("Id") for relation in root)
    found = [f"{name}: id twice: {key}" for key, count in ids.items() if count > 1]
    for relation in root:
        target = relation.get("Target")
        if relation.get("TargetMode") == "External":
            found.append(f"{name}: leads outside: {target}")
        elif posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/") not in names:
            found.append(f"{name}: leads nowhere: {target}")
    return found


def _of_part(name: str, root, parts: dict) -> list:
    folder, file = posixpath.split(name)
    relations = parts.get(f"{folder}/_rels/{file}.rels")
    known = {relation.get("Id") for relation in relations} if relations is not None else set()
    used = {value for node in root.iter() for key, value in node.attrib.items() if key.startswith(R)}
    found = [f"no such relation: {key}" for key in used - known]
    found += [f"order in {fault}" for fault in _order(root)]
    found += _ids(root) + _fields(root) + _tables(root) + _texts(root) + _controls(root)
    ignorable = (root.get(f"{MC}Ignorable") or "").split()
    return found + [f"mc:Ignorable names no namespace: {prefix}" for prefix in ignorable if prefix not in root.nsmap]


def _order(root) -> list:
    found = []
    for name, children in ORDER.items():
        places = {f"{W}{child}": place for place, child in enumerate(children.split())}
        for node in root.iter(f"{W}{name}"):
            tags = [child.tag for child in node if child.tag.startswith(W)]
            ranks = [places.get(tag, -1) for tag in tags]
            if ranks != sorted(ranks) or -1 in ranks:
                found.append(f"{name}: {' '.join(tag.rpartition('}')[2] for tag in tags)}")
    return found


def _ids(root) -> list:
    starts, ends = list(root.iter(f"{W}bookmarkStart")), [node.get(f"{W}id") for node in root.iter(f"{W}bookmarkEnd")]
    groups = {
        "bookmark id": [node.get(f"{W}id") for node in starts],
        "bookmark": [node.get(f"{W}name").lower() for node in starts],
        "docPr id": [node.get("id") for node in root.iter(f"{WP}docPr")],
        "control id": [node.get(f"{W}val") for node in root.iter(f"{W}id") if node.getparent().tag == f"{W}sdtPr"],
    }
    found = [f"{what} twice: {key}" for what, ids in groups.items() for key, n in Counter(ids).items() if n > 1]
    if sorted(groups["bookmark id"]) != sorted(ends):
        found.append("bookmarks that do not end, or end twice")
    names = [node.get(f"{W}name") for node in starts]
    found += [f"no name for a bookmark: {name}" for name in names if len(name) > 40 or not name[0].isalpha()]
    anchors = {node.get(f"{W}anchor") for node in root.iter(f"{W}hyperlink")} - {None}
    return found + [f"link to no bookmark: {anchor}" for anchor in anchors - set(names)]


def _fields(root) -> list:
    found, names = [], {node.get(f"{W}name") for node in root.iter(f"{W}bookmarkStart")}
    kinds = [node.get(f"{W}fldCharType") for node in root.iter(f"{W}fldChar")]
    depth = 0
    for kind in kinds:
        depth += {"begin": 1, "end": -1}.get(kind, 0)
        if depth < 0 or (kind == "separate" and not depth):
            found.append(f"a field's {kind} without its begin")
    for node in root.iter(f"{W}instrText"):
        words = (node.text or "").split()
        if words and words[0] in ("PAGEREF", "REF") and words[1] not in names:
            found.append(f"field of no bookmark: {node.text}")
    return found + (["a field that does not end"] if depth else [])


def _tables(root) -> list:
    found = []
    for table in root.iter(f"{W}tbl"):
        columns = len(table.findall(f"{W}tblGrid/{W}gridCol"))
        for row in table.findall(f"{W}tr"):
            spans = [int(span.get(f"{W}val")) - 1 for span in row.findall(f"{W}tc/{W}tcPr/{W}gridSpan")]
            if len(row.findall(f"{W}tc")) + sum(spans) != columns:
                found.append(f"a row with other than {columns} cells")
    cells = [cell for cell in root.iter(f"{W}tc") if not len(cell) or cell[-1].tag != f"{W}p"]
    return found + ["a cell that does not end with a paragraph"] * len(cells)


def _texts(root) -> list:
    odd = [
        node.text
        for node in root.iter(f"{W}t", f"{W}instrText")
        if node.text and node.text != node.text.strip() and node.get(f"{XML}space") != "preserve"
    ]
    return [f"space that is lost: {text!r}" for text in odd]


def _controls(root) -> list:
    found = []
    for properties in root.iter(f"{W}sdtPr"):
        for name in ("alias", "tag"):
            node = properties.find(f"{W}{name}")
            if node is not None and len(node.get(f"{W}val")) > 64:
                found.append(f"a control's {name} of more than 64 characters: {node.get(f'{W}val')}")
        for attribute in ("displayText", "value"):
            entries = [node.get(f"{W}{attribute}") for node in properties.iter(f"{W}listItem")]
            found += [f"choice twice: {entry}" for entry, count in Counter(entries).items() if count > 1]
    return found
