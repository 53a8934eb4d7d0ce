"""Columns of different things whose ids take the same rows of one table (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.cg.connectivity.exchanged_tables import looked_up_column
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: More fields than these are the places of a sequence.
_MOST = 40
#: The largest of them has so many times the ids of the smallest, or more.
_APART = 2
#: What puts arrays side by side as columns.
_STACKS = ("stack", "column_stack", "vstack", "array", "concatenate", "hstack")


def judge_shared_rows(run_data: RunData) -> Optional[Finding]:
    """A problem where a table has fewer rows than several fields have ids together, all of these count from 0 and are looked
    up in it, the code puts arrays side by side to make them, and the training did not come cg.03.solved below a constant
    prediction: the third of one kind and the third of another share a row."""
    if unsolved_gain(run_data) is None:
        return None
    for one in run_data.probes.lookups:
        column = looked_up_column(run_data, one)
        counts = ids_of_fields(column) if column is not None else []
        if column is None or not counts or not max(counts) <= (one.rows or 0) < sum(counts):
            continue
        data = next(iter(train_sets(run_data)))
        places = [where for where in array_origins(run_data, data, column) if _stacks(run_data, where)]
        if places:
            return _finding(run_data, one, counts, places)
    return None


def ids_of_fields(column: Fact) -> list:
    """How many ids each of a sample's numbers has, from 0 to its largest; empty where one begins elsewhere or is not known, and
    where they may be the places of a text."""
    seen = column.channels
    few = column.kind == "int" and len(column.shape) == 1 and 1 < (column.shape[0] or 0) <= _MOST
    if not few or not seen.min or not seen.max or len(seen.max) != column.shape[0] or any(seen.min):
        return []
    counts = [int(most) + 1 for most in seen.max]
    return counts if max(counts) >= _APART * min(counts) and not _falls(counts) else []


def _falls(counts: list) -> bool:
    """Whether each has as many ids as the next, or more, as the places of padded texts do."""
    return all(one >= other for one, other in zip(counts, counts[1:]))


def _stacks(run_data: RunData, where: Fact) -> bool:
    """Whether a line puts arrays of names of their own, or the values of a dictionary, side by side."""
    for call in run_data.source.nodes_at(where.file, where.line, ast.Call):
        given = call.args[0] if called_name(call) in _STACKS and call.args else None
        if isinstance(given, (ast.ListComp, ast.GeneratorExp)) and isinstance(given.elt, ast.Subscript):
            return True
        if isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) > 1:
            return all(isinstance(one, (ast.Name, ast.Subscript, ast.Attribute)) for one in given.elts)
    return False


def _finding(run_data: RunData, one: Fact, counts: list, places: list) -> Finding:
    return problem(
        Text(
            "几个字段的 id 都从 0 开始（各 {counts} 种），却查同一张 {rows} 行的表 {table}（{where}）："
            "不同字段的相同编号共用一行。",
            "The ids of several fields all begin at 0 ({counts} of them), and are looked up in one table of {rows} rows, {table} "
            "({where}): the same number of different fields takes one row.",
            counts=listed(map(str, counts[:8])),
            rows=one.rows,
            table=one.table,
            where=at(one.place),
        ),
        Text(
            "给每个字段的 id 加上前面各字段的种数之和，表的行数为各字段种数之和；或每个字段用自己的表。",
            "Add to the ids of each field how many the fields before it have, and give the table as many rows as all have "
            "together; or give each field a table of its own.",
        ),
        [run_data.code_at([*places, one.place], Text("字段与查表之处", "The fields, and where they are looked up"))],
        [*places, *([one.place] if one.place else [])],
    )
