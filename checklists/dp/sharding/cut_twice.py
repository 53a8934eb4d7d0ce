"""Data that the code cuts by the rank, and that are cut by it once more (dp.05)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, bound_names, bound_to, called_name

#: What holds the number of a rank; of two levels of ranks, as of nodes and devices, each may cut once.
_RANK = re.compile(r"(?i)\b(rank|rank_?id|shard_?id)\b")
#: Calls that a part is handed on by, at most.
_DEEPEST = 3


class _Cut(NamedTuple):
    """``first`` and ``second``: where the data are cut."""

    first: Fact
    second: Fact


def cut_twice(run_data: RunData) -> Optional[Finding]:
    """Problem: an array that was cut by the rank is given to a function or class that cuts it by the rank as well, or to a data
    set with ``shard_id``: each rank trains on a part of its part, and the rest is never seen."""
    found = next(_found(run_data), None)
    if found is None:
        return None
    places = [found.second, found.first]
    return problem(
        Text(
            "数据按 rank 切分了两次（{first} 与 {second}）：每个 rank 只训练自己那一份中的一份，其余样本从未用到。",
            "The data are cut by the rank twice ({first} and {second}): each rank trains on a part of its part, and the rest of "
            "the samples is never seen.",
            first=at(found.first),
            second=at(found.second),
        ),
        Text("只切分一次：去掉其中一处。", "Cut them once, at one of the two places."),
        [run_data.code_at(places, Text("切分之处", "Where the data are cut"))],
        places,
    )


def _found(run_data: RunData) -> Iterator[_Cut]:
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            for position, argument in enumerate(call.args):
                first = _cut_at(run_data, file, argument, call.lineno)
                second = _cut_again(run_data, file, call, position, _DEEPEST) if first is not None else None
                if first is not None and second is not None:
                    yield _Cut(first, second)


def _cut_at(run_data: RunData, file: str, node: ast.expr, line: int) -> Optional[Fact]:
    """Where a value was cut by the rank: at once, in a tuple of such values, or when its name was last assigned."""
    if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
        return _cut_at(run_data, file, node.elts[0], line)
    if isinstance(node, ast.Name):
        value = _last_value(run_data, file, node.id, line)
        node = value if value is not None else node
    if isinstance(node, ast.Subscript) and _by_rank(run_data, file, node.slice, node.lineno):
        return place(file, node.lineno)
    return None


def _last_value(run_data: RunData, file: str, name: str, line: int) -> Optional[ast.expr]:
    """What a name was given last before a line, in the function around that line."""
    around = run_data.source.function_around(file, line)
    first = around.lineno if around is not None else 0
    stores = [one for one in run_data.source.nodes(file, ast.Assign) if name in bound_names(one.targets)]
    before = [one for one in stores if first <= one.lineno < line]
    return bound_to(max(before, key=lambda one: one.lineno), name) if before else None


def _by_rank(run_data: RunData, file: str, rows: ast.expr, line: int) -> bool:
    """Whether rows are chosen by the rank: in a slice, or by a name that was made of one."""
    if isinstance(rows, ast.Slice):
        names = {one.id for one in ast.walk(rows) if isinstance(one, ast.Name)}
        values = [_last_value(run_data, file, name, line) for name in sorted(names)]
        return any(_RANK.search(ast.unparse(one)) for one in (rows, *values) if one is not None)
    value = _last_value(run_data, file, rows.id, line) if isinstance(rows, ast.Name) else None
    return isinstance(value, ast.Call) and called_name(value) == "slice" and bool(_RANK.search(ast.unparse(value)))


def _cut_again(run_data: RunData, file: str, call: ast.Call, position: int, depth: int) -> Optional[Fact]:
    """Where what is called cuts its argument at a position by the rank."""
    shards = [one.value for one in call.keywords if one.arg == "shard_id"]
    if any(not isinstance(one, ast.Constant) for one in shards):
        return place(file, call.lineno)
    if not isinstance(call.func, ast.Name) or not depth:
        return None
    source, name = run_data.source, call.func.id
    made = [
        (where, one)
        for where, node in source.classes(name)
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == "__init__"
    ]
    for where, function in source.functions(name) or made:
        names = argument_names(function)
        given = names[position] if position < len(names) else ""
        for node in ast.walk(function):
            held = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == given
            if held and _by_rank(run_data, where, node.slice, node.lineno):  # type: ignore[attr-defined]
                return place(where, node.lineno)  # type: ignore[attr-defined]
            if isinstance(node, ast.Call):
                handed = [n for n, one in enumerate(node.args) if isinstance(one, ast.Name) and one.id == given]
                found = [_cut_again(run_data, where, node, n, depth - 1) for n in handed]
                if any(found):
                    return next(one for one in found if one is not None)
    return None
