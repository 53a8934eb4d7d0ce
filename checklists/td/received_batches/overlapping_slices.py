"""Batches that begin at the number of the batch, and not at that of their first row (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place


def overlapping_slices(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop counts ``n // batch`` batches and takes ``x[i : i + batch]`` by their number: each begins one row
    behind the one before, and all rows but the first few are never seen."""
    for file in run_data.source.trees:
        for loop in run_data.source.nodes(file, ast.For):
            widths = _batch_sizes(run_data, file, loop.iter)
            if not widths or not isinstance(loop.target, ast.Name):
                continue
            for node in ast.walk(loop):
                if isinstance(node, ast.Slice) and _begins_at(node, loop.target.id) in widths:
                    return _finding(run_data, place(file, node.lower.lineno))  # type: ignore[union-attr]
    return None


def _batch_sizes(run_data: RunData, file: str, over: ast.expr) -> set:
    """``batch`` of what counts ``n // batch``, as it is written there or given to a name, but of a range with a step."""
    if any(isinstance(one, ast.Call) and len(one.args) == 3 for one in ast.walk(over)):
        return set()
    return {ast.unparse(one.right) for one in _counts(run_data, file, over) if isinstance(one.op, ast.FloorDiv)}


def _counts(run_data: RunData, file: str, over: ast.expr) -> Iterator[ast.BinOp]:
    for node in ast.walk(over):
        value = run_data.source.only_value(file, node.id) if isinstance(node, ast.Name) else node
        if isinstance(value, ast.BinOp):
            yield value


def _begins_at(node: ast.Slice, name: str) -> str:
    """``batch`` of ``i : i + batch``; empty of anything else."""
    low, high = node.lower, node.upper
    if (
        not isinstance(low, ast.Name)
        or low.id != name
        or not isinstance(high, ast.BinOp)
        or not isinstance(high.op, ast.Add)
    ):
        return ""
    return ast.unparse(high.right) if isinstance(high.left, ast.Name) and high.left.id == name else ""


def _finding(run_data: RunData, where) -> Finding:
    return problem(
        Text(
            "{where} 用 batch 的序号作为起始行：每个 batch 只比前一个后移一行，绝大部分样本从未用到。",
            "{where} takes the number of a batch for its first row: each batch begins one row behind the one before, and most "
            "samples are never trained on.",
            where=at(where),
        ),
        Text("从 i * batch 取到 (i + 1) * batch。", "Take the rows from i * batch to (i + 1) * batch."),
        run_data.code_at([where], Text("取 batch 之处", "Where a batch is taken")),
        [where],
    )
