"""A layer that is given one and the same tensor twice, side by side (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.own_classes import own_class_names
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of, root_name

_JOINS = ("cat", "concat", "concatenate", "Concat")


def judge_joined_twice(run_data: RunData) -> Optional[Finding]:
    """A problem where a network's ``construct`` gives a cell that it holds ``cat((a, a))``, in a training that did not come
    cg.03.solved below a constant prediction: each weight stands twice for one number, and what was to be joined is missing."""
    if learnt_by(run_data, "cg.03.solved"):
        return None
    for file, node in (made for name in own_class_names(run_data) for made in run_data.source.classes(name)):
        construct = construct_of(node)
        for call, joined in _joined(construct) if construct is not None else ():
            return _finding(run_data, place(file, call.lineno), f"self.{called_name(call)}", joined)
    return None


def _finding(run_data: RunData, where: Fact, cell: str, joined: str) -> Finding:
    return problem(
        Text(
            "{where} 把 {name} 与它自己拼接后送入 {cell}：同一个数有两份权重，而本应拼接的张量没有用到。",
            "{where} gives {cell} {name} joined with itself: each of its numbers has two weights, and the other tensor that was "
            "to be joined is missing.",
            where=at(where),
            name=joined,
            cell=cell,
        ),
        Text("拼接该拼接的张量（如跳跃连接）。", "Join what was meant, such as the skip connection."),
        [run_data.code_at([where], Text("拼接之处", "Where they are joined"))],
        [where],
    )


def _joined(construct: ast.FunctionDef) -> Iterator[tuple]:
    """``(call, name)`` of the calls of cells that are given one name joined with itself."""
    for call in ast.walk(construct):
        if not isinstance(call, ast.Call) or root_name(call.func) != "self":
            continue
        for given in call.args:
            parts = _parts(given)
            if len(parts) > 1 and len({ast.dump(part) for part in parts}) == 1 and isinstance(parts[0], ast.Name):
                yield call, parts[0].id


def _parts(node: ast.expr) -> list:
    """What a call of ``cat`` or one of its kin joins."""
    if not isinstance(node, ast.Call) or called_name(node) not in _JOINS or not node.args:
        return []
    return list(node.args[0].elts) if isinstance(node.args[0], (ast.Tuple, ast.List)) else []
