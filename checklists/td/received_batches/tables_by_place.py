"""Two tables put side by side by the places of their rows, one of which was put in another order (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import assignments, called_name, root_name

#: What puts the rows of a table in another order, or groups them by a key.
_ORDERS = ("sort_values", "groupby", "sample", "pivot_table")


def tables_by_place(run_data: RunData) -> Optional[Finding]:
    """A problem where ``pd.concat([a, b.drop(columns=key)], axis=1)`` takes the key off the one of two tables that alone was
    sorted or grouped, and is not set as the index of it: rows are put side by side by where they stand, not by what they are of.
    """
    for file, call in run_data.source.calls_anywhere(("concat",)):
        for table, key, other in _side_by_side(call):
            ordered = _ordered(run_data, file, table)
            if ordered is not None and _ordered(run_data, file, other) is None:
                return _finding(file, call, table, key, other, ordered)
    return None


def _side_by_side(call: ast.Call) -> Iterator[tuple]:
    """``(table, key, another table)`` of a call that puts a table without its key beside another."""
    axis = next((one.value for one in call.keywords if one.arg == "axis"), None)
    listed = call.args[0] if call.args else None
    if getattr(axis, "value", None) not in (1, "columns") or not isinstance(listed, (ast.List, ast.Tuple)):
        return
    names = [root_name(one) for one in listed.elts if not isinstance(one, ast.Call) or called_name(one) == "drop"]
    for one in listed.elts:
        key = _dropped(one)
        others = [name for name in names if name not in ("", root_name(one))]
        if key and others:
            yield root_name(one), key, others[0]


def _dropped(node: ast.expr) -> str:
    """``key`` of ``table.drop(columns="key")`` and its like."""
    if not (isinstance(node, ast.Call) and called_name(node) == "drop" and isinstance(node.func, ast.Attribute)):
        return ""
    if not isinstance(node.func.value, ast.Name):
        return ""
    given = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "columns")]
    keys = [part for one in given for part in (one.elts if isinstance(one, ast.List) else [one])]
    texts = [one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return texts[0] if len(texts) == 1 else ""


def _ordered(run_data: RunData, file: str, table: str) -> Optional[int]:
    """The line that gives a table, or what any function gives by that name, another order; None where its index is set."""
    calls = [
        (value, inner)
        for _, held, value, _ in assignments(run_data.source.nodes(file, ast.Assign))
        if isinstance(held, ast.Name) and held.id == table
        for inner in ast.walk(value)
        if isinstance(inner, ast.Call)
    ]
    if any(called_name(one) in ("set_index", "reindex") for _, one in calls):
        return None
    return next((value.lineno for value, one in calls if called_name(one) in _ORDERS), None)


def _finding(file: str, call: ast.Call, table: str, key: str, other: str, ordered: int) -> Finding:
    places = [place(file, call.lineno), place(file, ordered)]
    return problem(
        Text(
            "{table} 改变过行的顺序（第 {line} 行），去掉 {key} 后按位置与 {other} 拼接：每行得到的是别的 {key} 的值。",
            "{table} was put in another order (line {line}), and without {key} it is put beside {other} by the places of its "
            "rows: each row gets the values of another {key}.",
            table=table,
            line=ordered,
            key=key,
            other=other,
        ),
        Text(
            "用 {other}.merge({table}, on='{key}')。",
            "Use {other}.merge({table}, on='{key}').",
            other=other,
            table=table,
            key=key,
        ),
        [],
        places,
    )
