"""Rows that are taken by where they stand beside rows that were drawn (td.05)."""

import ast
from collections.abc import Iterable, Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.reordered_alone import DRAWS, is_draw
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import assignments, called_name, names_read, root_name

#: What makes random numbers, one sample of which is as good as another.
_NOISE = ("normal", "standard_normal", "randn", "uniform", "rand", "random", "StandardNormal")
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
        stores = _stores(run_data.source.nodes(file, ast.Assign)) if counted else []
        drawn = _made_of(stores, {name for name, value in stores if _draws(value)})
        taken = {(name, rows) for name, value in stores for rows in _rows_taken(value)}
        for call, first, rows in counted:
            beside = [one for one in call.args if one is not first]
            meets = any(rows in _rows_taken(one) or {(name, rows) for name in _read(one)} & taken for one in beside)
            if rows in drawn and meets and not _read(first.value) & _made_of(stores, {rows}):
                return _finding(run_data, place(file, call.lineno), ast.unparse(first), rows)
    return None


def plain_rows_beside_drawn(run_data: RunData) -> Optional[Finding]:
    """A problem where one call is given ``a[rows]`` and ``b[i:j]``, and ``rows`` is the part ``i:j`` of an order that was drawn,
    in the same function or in a generator of the script's that gives ``i`` as well: ``b`` stays in the order of the data, unless
    it is made of random numbers."""
    draws = dict.fromkeys(file for file, _ in run_data.source.calls_anywhere(DRAWS))
    made = {name: pairs for file in draws for name, pairs in _generators(run_data, file)}
    given = {file: _given(run_data, file, made) for file, _ in (run_data.source.calls_anywhere(made) if made else ())}
    for file in dict.fromkeys([*draws, *given]):
        found = _rows_by_place(run_data, file, given.get(file, {}))
        if found is not None:
            return found
    return None


def _rows_by_place(run_data: RunData, file: str, given: dict) -> Optional[Finding]:
    """The finding of one file; ``given``: the rows that its loops are handed, and the name of where these begin."""
    stores = _stores(run_data.source.nodes(file, ast.Assign))
    drawn = {name for name, value in stores if is_draw(value)}
    drawn |= {name for name, value in stores if _is_noise(value) or _rows_taken(value) & drawn}
    parts = {name: ast.unparse(part) for name, value in stores if (part := _part(value, drawn)) is not None}
    for call in run_data.source.nodes(file, ast.Call) if parts or given else ():
        taken = [one for part in call.args for one in ast.walk(part) if isinstance(one, ast.Subscript)]
        rows = {name for one in taken for name in _rows_taken(one)} & {*parts, *given}
        for one in taken:
            if not isinstance(one.slice, ast.Slice) or root_name(one.value) in drawn or one.slice.lower is None:
                continue
            low = ast.unparse(one.slice.lower)
            beside = [name for name in rows if ast.unparse(one.slice) == parts.get(name) or low == given.get(name)]
            if len(call.args) > 1 and beside:
                return _finding(run_data, place(file, call.lineno), ast.unparse(one), beside[0])
    return None


def _is_noise(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called_name(value) in _NOISE


def _part(value: ast.expr, drawn: set) -> Optional[ast.Slice]:
    """``i:j`` of ``order[i:j]`` of a drawn order; None of anything else."""
    if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Slice):
        return None
    return value.slice if isinstance(value.value, ast.Name) and value.value.id in drawn else None


def _generators(run_data: RunData, file: str) -> Iterator[tuple]:
    """``(name, [(at, rows at), …])`` of the generators of a file that yield ``i, order[i:j]`` of a drawn order: where among what
    they yield the beginning stands, and where the rows."""
    for function in run_data.source.nodes(file, ast.FunctionDef):
        nodes = list(ast.walk(function))
        yielded = [one.value for one in nodes if isinstance(one, ast.Yield) and isinstance(one.value, ast.Tuple)]
        stores = _stores(one for one in nodes if isinstance(one, ast.Assign)) if yielded else []
        drawn = {name for name, value in stores if is_draw(value)}
        pairs = []
        for parts in (one.elts for one in yielded):
            lows = {part.id: spot for spot, part in enumerate(parts) if isinstance(part, ast.Name)}
            for spot, part in enumerate(parts):
                rows = _part(part, drawn)
                low = rows.lower if rows is not None else None
                if isinstance(low, ast.Name) and low.id in lows:
                    pairs.append((lows[low.id], spot))
        if pairs:
            yield function.name, pairs


def _given(run_data: RunData, file: str, made: dict) -> dict:
    """``{rows: i}`` of the loops ``for i, rows in batches(…)`` over one of these generators."""
    found = {}
    for loop in run_data.source.nodes(file, ast.For):
        pairs = made.get(called_name(loop.iter), ()) if isinstance(loop.iter, ast.Call) else ()
        names = [getattr(one, "id", "") for one in loop.target.elts] if isinstance(loop.target, ast.Tuple) else []
        found.update({names[at]: names[low] for low, at in pairs if max(low, at) < len(names)})
    return found


def _stores(nodes: Iterable) -> list:
    """``(name, value)`` of the assignments to single names among them."""
    return [(held.id, value) for _, held, value, _ in assignments(nodes) if isinstance(held, ast.Name)]


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
            "{where} 按位置取 {first}，而与之配对的取自随机抽取的行 {rows}：不同样本的数据配在了一起。",
            "{where} takes {first} by where the rows stand, beside what is taken by the rows {rows}, which are drawn at random: "
            "what belongs to one sample meets what belongs to another.",
            where=at(where),
            first=first,
            rows=rows,
        ),
        Text("两者用同样的行下标。", "Take both by the same rows."),
        [run_data.code_at([where], Text("取行之处", "Where the rows are taken"))],
        [where],
    )
