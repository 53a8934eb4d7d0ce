"""An embedding table that is looked up by the ids of another one (cg.03)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def judge_exchanged_tables(run_data: RunData) -> Optional[Finding]:
    """A problem where a table has a row for each id of one column and is looked up by another column, whose ids have a table
    with a row for each of their own: what the rows stand for is taken for something else."""
    looked = run_data.probes.lookups
    for one in looked:
        own, rows = _ids(run_data, one), one.rows
        others = [other for other in looked if other.input != one.input and _ids(run_data, other) == rows]
        has_own = any(other.input == one.input and other.rows == own for other in looked)
        if own is not None and own < rows and has_own and others:
            return _finding(run_data, one, others[0])
    return None


def looked_up_column(run_data: RunData, lookup: Fact) -> Optional[Fact]:
    """The column of the first training set that is looked up, where a batch has as many columns as the step has inputs."""
    columns = next((data.columns for data in train_sets(run_data)), ())
    return columns[lookup.input] if len(columns) == lookup.inputs else None


def _ids(run_data: RunData, lookup: Fact) -> Optional[int]:
    """How many ids that column holds, from 0 to the largest; None where it is not known."""
    column = looked_up_column(run_data, lookup)
    known = column is not None and column.kind == "int" and column.max is not None and column.min == 0
    return int(column.max) + 1 if column is not None and known else None


def _name(run_data: RunData, lookup: Fact) -> str:
    column = looked_up_column(run_data, lookup)
    return (column.name if column is not None else None) or f"{lookup.input}"


def _finding(run_data: RunData, one: Fact, other: Fact) -> Finding:
    places = [one.place] if one.place else []
    return problem(
        Text(
            "嵌入表 {table} 有 {rows} 行，与列 {other} 的 id 数相同，而 {where} 用列 {column} 查它：查到的是别的对象的行。",
            "The table {table} has {rows} rows, one for each id of the column {other}, and {where} looks up the column {column} "
            "in it, whose ids have a table of their own: the rows are those of something else.",
            table=one.table,
            rows=one.rows,
            other=_name(run_data, other),
            where=at(one.place),
            column=_name(run_data, one),
        ),
        Text("用 {other} 查这张表。", "Look up {other} in it.", other=_name(run_data, other)),
        run_data.code_at(places, Text("查表之处", "Where the table is looked up")),
        places,
    )
