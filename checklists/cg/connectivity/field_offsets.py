"""Offsets that do not keep the ids of several fields apart in the one table that holds them all (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.cg.connectivity.shared_rows import ids_of_fields
from msprec.checklists.common.findings import at, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import own_attribute

#: A table made for several fields has a row for each of their ids, and few more.
_SPARE = 1.1
#: Ids that are kept apart reach nearly to the end of their table: below this share of it they overlap for certain.
_REACHED = 0.8


def judge_field_offsets(run_data: RunData) -> Optional[Finding]:
    """A problem where a table has one row for each id of several fields, which all count from 0 in the data, and what is looked
    up in it, after all that the network adds, ends far below the last row: fields share rows that were made to be apart."""
    data = next(iter(train_sets(run_data)), None)
    columns = list(data.columns) if data is not None else []
    entered = run_data.probes.first_layers
    for column, seen in zip(columns, entered) if len(columns) == len(entered) else ():
        counts = ids_of_fields(column)
        tables = [one for one in seen.layers if one.operator == "Embedding" and one.max is not None]
        if not counts or not tables:
            continue
        last = max(one.max for one in tables)
        made_for_all = any(sum(counts) <= rows <= _SPARE * sum(counts) for rows in _rows(run_data))
        if made_for_all and max(counts) - 1 <= last < _REACHED * sum(counts) - 1:
            return _finding(run_data, column, counts, tables[0], int(last))
    return None


def _rows(run_data: RunData) -> list:
    names = {
        one
        for network in run_data.networks
        for cell in network.cells
        if cell.class_ == "Embedding"
        for one in cell.parameters
    }
    return [one.shape[0] for one in run_data.parameters if one.name in names and one.shape]


def _added(run_data: RunData, where: Fact) -> list:
    """Where what the function around a place adds to something is made: the attribute, and the name that it holds."""
    file = where.file
    function = run_data.source.function_around(file, where.line)
    sums = (
        [one for one in ast.walk(function) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add)]
        if function
        else []
    )
    held = {own_attribute(side) for one in sums for side in (one.left, one.right)} - {""}
    stores = [one for one in run_data.source.nodes(file, ast.Assign) if {own_attribute(t) for t in one.targets} & held]
    names = [part.id for one in stores for part in ast.walk(one.value) if isinstance(part, ast.Name)]
    values = [value for name in names if (value := run_data.source.only_value(file, name)) is not None]
    return [place(file, one.lineno) for one in (*values, *stores)]


def _finding(run_data: RunData, column: Fact, counts: list, table: Fact, last: int) -> Finding:
    places = [*(_added(run_data, table.place) if table.place else []), *([table.place] if table.place else [])]
    return problem(
        Text(
            "列 {column} 的几个字段各有 {counts} 种 id，嵌入表为它们共准备了 {rows} 行，而查表（{where}）的最大编号只有 {last}："
            "各字段的 id 没有分开，不同字段的 id 共用一行。",
            "The fields of {column} have {counts} ids, and one table of {rows} rows or a few more for all of them, while the "
            "largest id that is looked up at {where} is {last}: the fields are not kept apart, and ids of different ones share "
            "a row.",
            column=column.name or "?",
            counts=listed(map(str, counts[:8])),
            rows=sum(counts),
            where=at(table.place),
            last=last,
        ),
        Text(
            "每个字段的偏移应为前面各字段的种数之和：np.concatenate([[0], np.cumsum(sizes)[:-1]])。",
            "The offset of a field is how many ids all fields before it have: np.concatenate([[0], np.cumsum(sizes)[:-1]]).",
        ),
        run_data.code_at(places, Text("偏移与查表之处", "The offsets, and where ids are looked up")),
        places,
    )
