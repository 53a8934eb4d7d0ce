"""Messages of a graph network that go back to the nodes they came from (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_TAKES = ("gather", "index_select", "take", "embedding", "gather_nd")
#: What adds rows up by an index.
_SUMS = ("segment", "scatter", "index_add")


def judge_own_messages(run_data: RunData) -> Optional[Finding]:
    """A problem where rows that are taken by an index are summed by that same index and by nothing else: each node gets back what
    it gave, and never sees a neighbour."""
    names = [name for name in run_data.source.names_called() if any(word in name for word in _SUMS)]
    for file in run_data.source.trees if names else ():
        sums = run_data.source.calls_named(file, names)
        for function in run_data.source.functions_around(file, sums):
            line, index = next(_back_to_their_own(function), (0, ""))
            if line:
                where = place(file, line)
                return problem(
                    Text(
                        "{where} 按 {index} 求和的，正是按 {index} 取出的各行：每个节点只得到自己的信息，看不到邻居。",
                        "What is summed by {index} at {where} are rows that were taken by {index}: each node gets back what it "
                        "gave, and no node sees its neighbours.",
                        where=at(where),
                        index=index,
                    ),
                    Text(
                        "按边的一端（src）取，按另一端（dst）求和。",
                        "Take rows by one end of the edges (src), and sum them by the other (dst).",
                    ),
                    [run_data.code_at([where], Text("求和之处", "Where they are summed"))],
                    [where],
                )
    return None


def _back_to_their_own(function: ast.AST) -> Iterator[tuple]:
    """``(line, index)`` of the sums."""
    taken: dict = {}
    for node in sorted((one for one in ast.walk(function) if isinstance(one, ast.Assign)), key=lambda one: one.lineno):
        target = node.targets[0]
        if isinstance(target, ast.Name):
            taken[target.id] = _index_of(node.value)
    for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
        if not any(word in called_name(call) for word in _SUMS):
            continue
        names = [one.id for one in call.args if isinstance(one, ast.Name)]
        indices = {taken.get(name) for name in names} - {None}
        found = next((one for one in names if one in indices), None)
        if found is not None and len(call.args) > 1:
            yield call.lineno, found


def _index_of(value: ast.expr) -> Optional[str]:
    """``src`` of ``ops.gather(h, src, 0)`` and ``h[src]``; None of anything else."""
    given: Optional[ast.expr] = None
    if isinstance(value, ast.Call) and called_name(value) in _TAKES:
        given = next((one for one in value.args[1:] if isinstance(one, ast.Name)), None)
    elif isinstance(value, ast.Subscript):
        given = value.slice
    return given.id if isinstance(given, ast.Name) else None
