"""A category that is replaced by the mean target of its rows, the row's own among them (td.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, root_name

_TARGETS = re.compile(r"(?i)^(y|t)$|^(y|t)_|label|target|price|sales|churn|click|_y$")
#: What is taken of groups and is no column.
_STATISTICS = ("mean", "agg", "transform")
_AVERAGED_BY = ("groupby", "bincount", "mean")


def encoded_targets(run_data: RunData) -> Optional[Finding]:
    """A problem where training rows are given the mean target of their category, computed over these very rows, and one number of
    the inputs tells the target by td.05.encoded or more; undecided where that is not measured or less. A category of few rows
    then holds the row's own target, which new rows do not have; means over other folds are none of it."""
    found = next((one for file in run_data.source.trees for one in _encodings(run_data, file)), None)
    if found is None:
        return None
    name, places = found
    strength = run_data.probes.telling_column.strength
    told = strength is not None and strength >= run_data.limit("td.05.encoded")
    return (problem if told else undecided)(
        Text(
            "类别被换成 {name} 的均值，而均值由这些行自己算出：行数少的类别里，这个输入就含有该行自己的目标，新数据却没有。",
            "A category is replaced by the mean of {name} over these very rows: in a category of few rows that input holds the "
            "row's own target, which new data do not have.",
            name=name,
        ),
        Text(
            "用其他折（或去掉本行）的均值编码训练数据，行数少的类别向总体均值收缩。",
            "Encode the training rows with means over other folds, or without the row itself, and draw those of few rows "
            "towards the mean of all.",
        ),
        [run_data.code_at(places, Text("求均值与编码之处", "Where the means are taken and used"))],
        places,
    )


def _encodings(run_data: RunData, file: str) -> Iterator[tuple]:
    """``(name of the target, places)``."""
    lines = [one.lineno for one in run_data.source.calls_named(file, _AVERAGED_BY)]
    stores = run_data.source.nodes(file, ast.Assign) if lines else []
    for one in stores:
        if not any(one.lineno <= line <= (one.end_lineno or one.lineno) for line in lines):
            continue
        for target, rows in _means(one.value):
            if not _is_target(run_data, file, target):
                continue
            if isinstance(one.targets[0], ast.Subscript) and _same(one.targets[0].value, rows):
                yield target, [place(file, one.lineno)]  # table["x"] = table.groupby(…).y.transform("mean")
            for use in stores:
                if isinstance(one.targets[0], ast.Name) and _applies(use, one.targets[0].id, rows):
                    yield target, [place(file, one.lineno), place(file, use.lineno)]


def _means(value: ast.expr) -> list:
    """``[(name of what is averaged, the rows' table or categories)]`` of means by category over all rows of a plain name."""
    found: list[tuple[str, ast.expr]] = []
    for call in (one for one in ast.walk(value) if isinstance(one, ast.Call)):
        if called_name(call) == "groupby" and isinstance(call.func, ast.Attribute):
            taken = [_column(one) for one in ast.walk(value) if getattr(one, "value", None) is call]
            column = next((name for name in taken if name and name not in _STATISTICS), "")
            means = any(
                called_name(one) == "mean" or any(getattr(a, "value", None) == "mean" for a in one.args)
                for one in ast.walk(value)
                if isinstance(one, ast.Call)
            )
            if column and means and isinstance(call.func.value, ast.Name):
                found.append((column, call.func.value))
        weights = next((one.value for one in call.keywords if one.arg == "weights"), None)
        if called_name(call) == "bincount" and isinstance(weights, ast.Name) and call.args:
            found.append((weights.id, call.args[0]))
        if called_name(call) == "mean" and isinstance(call.func, ast.Attribute):
            chosen = call.func.value
            if isinstance(chosen, ast.Subscript) and isinstance(chosen.slice, ast.Compare):
                found.append((root_name(chosen), chosen.slice.left))
    return found


def _applies(use: ast.Assign, means: str, rows: ast.expr) -> bool:
    """Whether an assignment gives the same rows their means: ``t["x"] = t.c.map(means)``, ``x = means[c]``,
    ``x = np.array([means[k] for k in c])``."""
    for one in ast.walk(use.value):
        if isinstance(one, ast.Call) and called_name(one) in ("map", "replace") and isinstance(one.func, ast.Attribute):
            given = any(isinstance(part, ast.Name) and part.id == means for part in ast.walk(one))
            if given and root_name(one.func.value) == root_name(rows) != "":
                return True
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == means:
            over = {
                part.target.id: part.iter
                for part in ast.walk(use.value)
                if isinstance(part, ast.comprehension) and isinstance(part.target, ast.Name)
            }
            key = over.get(one.slice.id, one.slice) if isinstance(one.slice, ast.Name) else one.slice
            if _same(key, rows):
                return True
    return False


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)


def _is_target(run_data: RunData, file: str, name: str) -> bool:
    """Whether what is averaged is the target: by its name, or a column that the code reads alone and lists among no inputs."""
    if _TARGETS.search(name):
        return True
    nodes = run_data.source.nodes(file, ast.Attribute, ast.Subscript)
    alone = [
        one
        for one in nodes
        if isinstance(one.value, ast.Name) and isinstance(one.ctx, ast.Load) and _column(one) == name
    ]
    listed = [one for one in run_data.source.nodes(file, ast.List) if len(one.elts) > 1]
    return bool(alone) and not any(getattr(part, "value", None) == name for one in listed for part in one.elts)


def _column(node: ast.AST) -> str:
    """``y`` of ``table.y`` and ``table["y"]``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return str(node.slice.value) if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else ""
