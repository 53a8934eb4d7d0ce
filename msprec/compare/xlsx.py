"""A table as an Excel workbook, without a package for it: a zip of a few XML files (ECMA-376)."""

import io
import math
import re
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

_TYPES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{0}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="{0}.styles+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{0}.worksheet+xml"/>
</Types>""".format("application/vnd.openxmlformats-officedocument.spreadsheetml")
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"""
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORKBOOK = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="NAME" sheetId="1" r:id="rId1"/></sheets></workbook>"""
_SHEETS = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>"""
# style 0: plain, 1: bold, 2: red
_STYLES = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="{_MAIN}"><fonts count="3"><font/><font><b/></font><font><color rgb="FFB3261E"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf fontId="2" applyFont="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_MOST_ROWS, _MOST_TEXT = 1_048_576, 32_767


def workbook(columns: Sequence, rows: Sequence, sheet: str = "Sheet1", red: Sequence = ()) -> bytes:
    """An ``.xlsx`` file with one sheet: a bold header that stays in view, a filter, a row each.

    Args:
        columns: Names of the columns.
        rows: Sequences of numbers, texts or None; more than Excel takes are left out.
        sheet: The sheet's name.
        red: Positions of rows to write in red.
    """
    marked, kept = set(red), rows[: _MOST_ROWS - 1]
    lines = [_row(1, columns, 1)]
    lines += [_row(number, row, 2 if number - 2 in marked else 0) for number, row in enumerate(kept, 2)]
    last = f"{_letters(len(columns))}{len(kept) + 1}"
    body = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="{_MAIN}"><sheetViews><sheetView '
        'workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        f'<sheetData>{"".join(lines)}</sheetData><autoFilter ref="A1:{last}"/></worksheet>'
    )
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "xl/styles.xml": _STYLES,
        "xl/worksheets/sheet1.xml": body,
        "xl/workbook.xml": _WORKBOOK.replace("NAME", escape(sheet[:31])),
        "xl/_rels/workbook.xml.rels": _SHEETS,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode("utf-8"))
    return buffer.getvalue()


def _row(number: int, values: Sequence, style: int) -> str:
    cells = "".join(
        _cell(f"{_letters(at)}{number}", value, style) for at, value in enumerate(values, 1) if value is not None
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(where: str, value, style: int) -> str:
    if isinstance(value, bool):
        value = str(value)
    if isinstance(value, (int, float)) and math.isfinite(value):
        return f'<c r="{where}" s="{style}"><v>{value!r}</v></c>'
    text = escape(_FORBIDDEN.sub("?", str(value))[:_MOST_TEXT])
    return f'<c r="{where}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _letters(number: int) -> str:
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text
