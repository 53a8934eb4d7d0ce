"""Ids that become one before they are looked up in an embedding (cg.03)."""

from typing import Optional

import numpy as np

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.exchanged_tables import looked_up_column
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Fewest different ids, and how many times the usual number the largest has.
_FEWEST, _MANY = 6, 4
#: Where ids are kept below a number.
_CLIPS = r"\b(clip|clamp|minimum)\s*\(|(?<![\w.])min\s*\(|%\s*\w"


def judge_merged_ids(run_data: RunData) -> Optional[Finding]:
    """A problem where cg.03.merged of the ids or more have become one with others before they are looked up, in the network or in
    the data, and the training did not come cg.03.solved below a constant prediction."""
    return _in_network(run_data) or _in_data(run_data)


def _in_data(run_data: RunData) -> Optional[Finding]:
    """The largest id of a column is cg.03.merged of all ids but 0 or more, several times the usual, and the table that is looked
    up has twice as many rows: the script clips its ids below the number that they have."""
    places = run_data.find_lines(_CLIPS, 4)
    if not places or (unsolved_gain(run_data) is None and not came_to_nothing(run_data)):
        return None
    for one in run_data.probes.lookups:
        column = looked_up_column(run_data, one)
        last, share = _largest(column) if column is not None else (0, 0.0)
        if column is not None and share >= run_data.limit("cg.03.merged") and (one.rows or 0) >= 2 * (last + 1):
            return _clipped(run_data, one, column.name or "?", last, share, places)
    return None


def _largest(column: Fact) -> tuple:
    """``(largest id, its share of all ids but 0)`` of a column in which it comes several times as often as the usual one; a share
    of 0 of any other."""
    counts = {int(value): n for value, n in (column.element_values or {}).items() if int(value) > 0}
    last = max(counts, default=0)
    others = [n for value, n in counts.items() if value != last]
    often = len(counts) >= _FEWEST and counts[last] >= _MANY * np.median(others)
    return last, counts[last] / sum(counts.values()) if often else 0.0


def _clipped(run_data: RunData, table: Fact, column: str, last: int, share: float, places: list) -> Finding:
    return problem(
        Text(
            "列 {column} 的最大 id {last} 占 id（0 除外）的 {share}，而嵌入表 {table} 有 {rows} 行："
            "id 在查表之前被截断，不同的 id 共用一行，其余各行从未用到。",
            "{last}, the largest id of the column {column}, is {share} of all ids but 0, and the table {table} has {rows} rows: "
            "ids are clipped to {last} before they are looked up, different ones share a row, and the rest is never used.",
            column=column,
            last=last,
            share=percent(share),
            table=table.table,
            rows=table.rows,
        ),
        Text(
            "把 id 截断到嵌入表的行数减一，而不是别的长度。",
            "Clip ids to the number of the table's rows less one, not to another length.",
        ),
        run_data.code_at(places, Text("id 被截断之处", "Where ids are clipped")),
        places,
    )


def _in_network(run_data: RunData) -> Optional[Finding]:
    """Of an operator that stands before the lookup."""
    one = run_data.probes.merged_ids
    if not one.operator or one.share is None or one.share < run_data.limit("cg.03.merged"):
        return None
    if unsolved_gain(run_data) is None:
        return None
    places = [one.place] if one.place else []
    return problem(
        Text(
            "查表之前 {operator}（{where}）把不同的 id 变成同一个：一个 batch 中的 {before} 种 id 只剩 {after} 种，"
            "{share} 的 id 与别的 id 混为一谈，共用嵌入表的一行。",
            "Before they are looked up, {operator} at {where} makes one of different ids: of {before} in a batch {after} are "
            "left, and {share} of the ids share a row of the table with others.",
            operator=one.operator,
            where=at(one.place),
            before=one.before,
            after=one.after,
            share=percent(one.share),
        ),
        Text(
            "让嵌入表的行数不少于 id 的种数，去掉截断或取余。",
            "Give the table as many rows as there are ids, and take the clamp or remainder away.",
        ),
        run_data.code_at(places, Text("id 被合并之处", "Where ids become one")),
        places,
    )
