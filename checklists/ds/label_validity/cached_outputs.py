"""Outputs that were collected over a shuffled set and are used beside its arrays in their own order (ds.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, called_name, nodes_within

_JOINS = ("concatenate", "concat", "cat", "stack", "vstack", "hstack")


def cached_out_of_order(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where ``kept = collect(net, loader)``, or a comprehension over it, goes over a loader of ``(x, …)`` with ``shuffle=True``,
    and ``x`` and ``kept`` are handed on together."""
    for file in sorted(run_data.source.trees):
        if not any(map(_is_shuffled, run_data.source.nodes(file, ast.Call))):
            continue
        for scope in (run_data.source.trees[file], *run_data.source.nodes(file, ast.FunctionDef)):
            for made, kept, used in _kept(run_data, scope):
                says = Text(
                    "{kept} 按混洗后的顺序从 {made} 的数据集收集，却在 {used} 与原来顺序的数组放在一起：每个样本得到别的样本的值",
                    "What is collected at {kept} comes in the shuffled order of the data set of {made}, and is used at {used} "
                    "beside its arrays in their own order: each sample gets the values of another",
                    kept=at(place(file, kept.lineno)),
                    made=at(place(file, made.lineno)),
                    used=at(place(file, used.lineno)),
                )
                advice = Text(
                    "收集时不混洗（shuffle=False），或在同一循环中一起收集样本。",
                    "Collect it without shuffling (shuffle=False), or collect the samples in the same loop.",
                )
                return says, advice, *(place(file, one.lineno) for one in (kept, made, used))
    return None


def _kept(run_data: RunData, scope: ast.AST) -> Iterator[tuple]:
    """``(the loader, what is kept, where it is used)`` in a function or module."""
    body = [one for one in getattr(scope, "body", []) if not isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    nodes = list(nodes_within(body))
    assigned = {
        one.targets[0].id: one for one in nodes if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    }
    used = [one for one in nodes if isinstance(one, (ast.Call, ast.Tuple))]
    for name, loader in assigned.items():
        arrays = _shuffled_arrays(loader.value)
        for kept_name, kept in assigned.items() if arrays else ():
            if kept.lineno <= loader.lineno or not _collects(run_data, kept.value, name):
                continue
            for one in used:
                names = {part.id for part in _parts(one) if isinstance(part, ast.Name)}
                if kept_name in names and names & arrays and one.lineno > kept.lineno:
                    yield loader, kept, one


def _parts(node) -> list:
    return node.args if isinstance(node, ast.Call) else node.elts


def _shuffled_arrays(node: ast.AST) -> set:
    """The arrays that a call with ``shuffle=True`` makes a loader of."""
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
        tuples = [one for one in call.args if isinstance(one, ast.Tuple)]
        if _is_shuffled(call) and (tuples or call.args):
            return {one.id for one in (tuples[0].elts if tuples else call.args) if isinstance(one, ast.Name)}
    return set()


def _is_shuffled(call: ast.Call) -> bool:
    return any(one.arg == "shuffle" and getattr(one.value, "value", None) is True for one in call.keywords)


def _collects(run_data: RunData, node: ast.AST, loader: str) -> bool:
    """Whether an expression joins what a loop over the loader gives, by itself or in a function that is called with it."""
    if _joins_over(node, loader):
        return True
    if not isinstance(node, ast.Call):
        return False
    given = [n for n, one in enumerate(node.args) if isinstance(one, ast.Name) and one.id == loader]
    for _, called in run_data.source.functions(called_name(node)) if given else ():
        name = "".join(argument_names(called)[given[0] : given[0] + 1])
        returned = [one.value for one in ast.walk(called) if isinstance(one, ast.Return) and one.value is not None]
        if name and len(returned) == 1:
            loops = [one for one in ast.walk(called) if isinstance(one, ast.For) and _goes_over(one.iter, name)]
            return _joins_over(returned[0], name) or (bool(loops) and _is_joined(returned[0]))
    return False


def _is_joined(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in _JOINS


def _joins_over(node: ast.AST, loader: str) -> bool:
    over = [one for one in ast.walk(node) if isinstance(one, (ast.ListComp, ast.GeneratorExp))]
    return _is_joined(node) and any(_goes_over(one.generators[0].iter, loader) for one in over)


def _goes_over(node: ast.AST, loader: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == loader for one in ast.walk(node))
