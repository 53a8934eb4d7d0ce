"""A flag of the script's own that an evaluation sets and nothing sets back, in a loop that trains on after it (api.02)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, method_of, root_name

#: Names of methods that evaluate.
_EVALUATES = re.compile(r"(?i)^_?(eval|valid|test|score|infer|predict|assess|benchmark)")


def flag_left_on(run_data: RunData) -> Optional[Finding]:
    """A problem where a method that evaluates gives a field True or False, ``__init__`` the other, nothing else assigns it,
    another method reads it, and the evaluation is called in a loop: from the second round on that one does as in evaluation."""
    for file in sorted(run_data.source.trees):
        for owner in run_data.source.nodes(file, ast.ClassDef):
            methods = [one for one in owner.body if isinstance(one, ast.FunctionDef)]
            for method in (one for one in methods if _EVALUATES.search(one.name)):
                for store in _flags(method):
                    name = store.targets[0].attr
                    reader = next((one for one in methods if one is not method and _reads(one, name)), None)
                    if reader is not None and _set_once(run_data, file, owner, store) and _in_loop(run_data, method):
                        return _finding(run_data, file, store, method, reader)
    return None


def _flags(method: ast.stmt) -> list:
    """The statements ``self.flag = True`` or ``False`` of a method."""
    return [one for one in ast.walk(method) if isinstance(one, ast.Assign) and _is_flag(one)]


def _is_flag(store: ast.Assign) -> bool:
    target = store.targets[0]
    own = isinstance(target, ast.Attribute) and root_name(target) == "self" and len(store.targets) == 1
    return own and isinstance(store.value, ast.Constant) and isinstance(store.value.value, bool)


def _reads(method: ast.FunctionDef, name: str) -> bool:
    loads = (one for one in ast.walk(method) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
    return any(one.attr == name and root_name(one) == "self" for one in loads)


def _set_once(run_data: RunData, file: str, owner: ast.ClassDef, store: ast.Assign) -> bool:
    """Whether ``__init__`` gives the field the other value, and nothing else in the file assigns a field of that name."""
    name = store.targets[0].attr  # type: ignore[attr-defined]
    writes = [
        one
        for one in run_data.source.nodes(file, ast.Attribute)
        if one.attr == name and not isinstance(one.ctx, ast.Load) and one is not store.targets[0]
    ]
    first = [
        one
        for one in _flags(method_of(owner, "__init__") or ast.Pass())
        if one.targets[0].attr == name and one.value.value is not store.value.value  # type: ignore[attr-defined]
    ]
    named = any(isinstance(one.value, str) and one.value == name for one in run_data.source.nodes(file, ast.Constant))
    return len(first) == len(writes) == 1 and not named


def _in_loop(run_data: RunData, method: ast.FunctionDef) -> bool:
    """Whether the method is called in a loop."""
    return any(
        isinstance(one, ast.Call) and called_name(one) == method.name
        for file in run_data.source.trees
        for loop in run_data.source.nodes(file, ast.For, ast.While)
        for one in ast.walk(loop)
    )


def _finding(
    run_data: RunData, file: str, store: ast.Assign, method: ast.FunctionDef, reader: ast.FunctionDef
) -> Finding:
    places = [place(file, store.lineno), place(file, method.end_lineno or method.lineno)]
    return problem(
        Text(
            "{method} 把 self.{name} 设为 {value}（{where}），此后没有再改回来："
            "第一次评估之后，训练中的 {reader} 也一直按评估的方式运行。",
            "{method} sets self.{name} to {value} ({where}), and nothing sets it back: after the first evaluation {reader} does "
            "as in evaluation while the training goes on.",
            method=method.name,
            name=store.targets[0].attr,  # type: ignore[attr-defined]
            value=str(store.value.value),  # type: ignore[attr-defined]
            where=at(places[0]),
            reader=reader.name,
        ),
        Text(
            "评估结束时改回原值（最好用 try … finally）。",
            "Set it back at the end of the evaluation, best in a finally.",
        ),
        [run_data.code_at(places, Text("评估", "The evaluation"))],
        places,
    )
