"""The first rows of predictions beside the targets of rows that were drawn (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.reordered_alone import DRAWS
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import assigned_parts, called_name

_DRAWN = (*DRAWS, "train_test_split", "choice")


def first_rows_beside_drawn(run_data: RunData) -> Optional[Finding]:
    """A problem where a call takes ``a[:len(rows)]`` beside what is made of ``b[rows]``, the rows are drawn at random, and ``a``
    is made without them: the first rows of the one are not those of the other."""
    for file, tree in run_data.source.trees.items():
        if not run_data.source.calls_named(file, _DRAWN):
            continue
        stores = [
            (held, value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            for held, value, _ in assigned_parts(target, node.value)
            if isinstance(held, ast.Name)
        ]
        taken = {(held.id, rows) for held, value in stores for rows in _rows_taken(value)}
        for call, first, rows in _first_rows(tree, _made_of(stores, draws=True)):
            beside = [one for one in call.args if one is not first]
            drawn = any(rows in _rows_taken(one) or {(name, rows) for name in _read(one)} & taken for one in beside)
            if drawn and not _read(first.value) & _made_of(stores, {rows}):
                return _finding(run_data, place(file, call.lineno), ast.unparse(first), rows)
    return None


def _first_rows(tree: ast.AST, drawn: set) -> Iterator[tuple]:
    """``(call, a[:len(rows)], rows)`` of calls of several arguments with such a one, of rows that are drawn."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and len(call.args) > 1:
            yield from ((call, one, _counted(one)) for one in call.args if _counted(one) in drawn)


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


def _made_of(stores: list, names: Optional[set] = None, draws: bool = False) -> set:
    """The names that are assigned what reads one of ``names``, or one made of them; ``draws``: or what is drawn at random."""
    found = set(names or ())
    before = -1
    while len(found) != before:
        before = len(found)
        for held, value in stores:
            drawn = draws and any(isinstance(one, ast.Call) and called_name(one) in _DRAWN for one in ast.walk(value))
            if drawn or _read(value) & found:
                found.add(held.id)
    return found


def _read(node: ast.AST) -> set:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


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
