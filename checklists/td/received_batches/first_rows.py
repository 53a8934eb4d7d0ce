"""The first rows of predictions beside the targets of rows that were drawn (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.reordered_alone import DRAWS
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import assignments, called_name, names_read

_DRAWN = (*DRAWS, "train_test_split", "choice")


def first_rows_beside_drawn(run_data: RunData) -> Optional[Finding]:
    """A problem where a call takes ``a[:len(rows)]`` beside what is made of ``b[rows]``, the rows are drawn at random, and ``a``
    is made without them: the first rows of the one are not those of the other."""
    for file in run_data.source.trees:
        counted = [
            (call, one, _counted(one))
            for call in run_data.source.nodes(file, ast.Call)
            if len(call.args) > 1
            for one in call.args
            if _counted(one)
        ]
        stores = _stores(run_data, file) if counted else []
        drawn = _made_of(stores, {name for name, value in stores if _draws(value)})
        taken = {(name, rows) for name, value in stores for rows in _rows_taken(value)}
        for call, first, rows in counted:
            beside = [one for one in call.args if one is not first]
            meets = any(rows in _rows_taken(one) or {(name, rows) for name in _read(one)} & taken for one in beside)
            if rows in drawn and meets and not _read(first.value) & _made_of(stores, {rows}):
                return _finding(run_data, place(file, call.lineno), ast.unparse(first), rows)
    return None


def _stores(run_data: RunData, file: str) -> list:
    """``(name, value)`` of the assignments in a file."""
    return [
        (held.id, value)
        for _, held, value, _ in assignments(run_data.source.nodes(file, ast.Assign))
        if isinstance(held, ast.Name)
    ]


def _draws(value: ast.expr) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) in _DRAWN for one in ast.walk(value))


def _read(node: ast.AST) -> set:
    return names_read(ast.walk(node))


def _counted(node: ast.expr) -> str:
    """``rows`` of ``a[:len(rows)]``; empty of anything else."""
    part = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or part.lower is not None or part.step is not None:
        return ""
    size = part.upper
    counted = isinstance(size, ast.Call) and called_name(size) == "len" and len(size.args) == 1
    return getattr(size.args[0], "id", "") if counted and isinstance(size, ast.Call) else ""


def _rows_taken(node: ast.AST) -> set:
    """The names by which it takes rows of arrays."""
    parts = [one.slice for one in ast.walk(node) if isinstance(one, ast.Subscript)]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _made_of(stores: list, names: set) -> set:
    """The names, and those that are assigned what reads one of them, or one made of them."""
    found, before = set(names), -1
    while len(found) != before:
        before = len(found)
        found |= {name for name, value in stores if name not in found and _read(value) & found}
    return found


def _finding(run_data: RunData, where, first: str, rows: str) -> Finding:
    return problem(
        Text(
            "{where} 取 {first}，即最前面的几行，而与之对应的目标取自随机抽取的行 {rows}：预测与别的样本的目标配在一起。",
            "{where} takes {first}, the first rows, beside the targets of the rows {rows}, which are drawn at random: "
            "predictions meet the targets of other samples.",
            where=at(where),
            first=first,
            rows=rows,
        ),
        Text("用同样的行下标取预测。", "Take the predictions by the same rows."),
        [run_data.code_at([where], Text("取行之处", "Where the rows are taken"))],
        [where],
    )
