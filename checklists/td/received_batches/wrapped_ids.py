"""Numbers of table rows that went through a type too narrow for them: different ids came out as one (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: A cast to whole numbers of one or two bytes.
_TYPE = r"""["']?(np\.|numpy\.|ms\.|mstype\.|mnp\.)?u?int(8|16)\b"""
_CASTS = rf"\bastype\(\s*{_TYPE}|dtype\s*=\s*{_TYPE}"
#: Largest differences of two such numbers, and the samples from which a set of ids would be expected to go beyond or stay below.
_WIDTHS, _SAMPLES = (127, 255, 32767, 65535), 1000
#: Rows of the table beside what the type holds.
_MORE = 1.1


def wrapped_ids(run_data: RunData) -> Optional[Finding]:
    """A problem where the ids of a column span exactly what one or two bytes hold, an embedding table has at least twice as many
    rows, and the source casts to such a type, or a tenth more, and the cast is made on the way of the column; None elsewhere."""
    rows = max(
        (one.shape[0] for one in run_data.parameters if "embed" in (one.cell_class or "").lower() and one.shape),
        default=0,
    )
    casts = run_data.find_lines(_CASTS, 4) if rows else []
    for dataset in train_sets(run_data) if casts else ():
        for column in dataset.columns if (dataset.scanned.samples or 0) >= _SAMPLES else ():
            width = _width(column)
            if width is not None and rows >= _MORE * (width + 1):
                own = [one for one in casts if _on_its_way(run_data, dataset, column, one)]
                if own or rows >= 2 * (width + 1):
                    return _finding(run_data, column, width, rows, own or casts)
    return None


def _on_its_way(run_data: RunData, dataset: Fact, column: Fact, cast: Fact) -> bool:
    """Whether the cast stands in an assignment that the column comes from, or in a function that is called there."""
    around = run_data.source.function_around(cast.file, cast.line)
    for where in array_origins(run_data, dataset, column):
        if where.file != cast.file:
            continue
        calls = run_data.source.nodes_at(where.file, where.line, ast.Call)
        if where.line == cast.line or (around is not None and any(called_name(one) == around.name for one in calls)):
            return True
    return False


def _width(column: Fact) -> Optional[int]:
    if column.kind != "int" or len(column.shape) > 2:
        return None
    channels = list(zip(column.channels.min, column.channels.max)) or [(column.min, column.max)]
    spans = [high - low for low, high in channels if None not in (low, high)]
    return next((one for one in _WIDTHS if one in spans), None)


def _finding(run_data: RunData, column: Fact, width: int, rows: int, casts: list) -> Finding:
    return problem(
        Text(
            "列 {name} 的编号恰好跨越 {n} 个值，而嵌入表有 {rows} 行：编号经过了只有 {bits} 位的整数类型而回绕，"
            "不同的编号变成了同一个。",
            "The ids of column {name} span exactly {n} values, and the embedding table has {rows} rows: they went through an "
            "integer of {bits} bits and wrapped round, so that different ids are one.",
            name=column.name,
            n=width + 1,
            rows=rows,
            bits=8 if width <= 255 else 16,
        ),
        Text("编号用 int32 保存和转换。", "Keep ids as int32 throughout."),
        [run_data.code_at(casts, Text("转换成窄类型之处", "Where they are cast to a narrow type"))],
        casts,
    )
