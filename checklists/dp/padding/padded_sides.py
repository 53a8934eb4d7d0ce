"""Sequences that are padded in front for the training and behind for the evaluation, or the other way round (dp.04)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import target_names

_TRAIN = re.compile(r"(^|[^a-z])(train|tr|fit)($|[^a-z])", re.IGNORECASE)
_OTHER = re.compile(r"(^|[^a-z])(test|te|val|valid|dev|eval|infer|predict)($|[^a-z])", re.IGNORECASE)
#: What pads, at a first look.
_PADS = re.compile(r"\b[rl]just\s*\(|\]\s*\*|\*\s*\[")
_FRONT, _BEHIND = "in front", "behind"


def padded_sides(run_data: RunData) -> Optional[Finding]:
    """A problem where all that is padded under a name of the training stands on one side, and under a name of the evaluation on
    the other: ``x_train = … rjust(width)``, ``x_test = … ljust(width)``."""
    train: dict = {}
    other: dict = {}
    for file in sorted({file for file, _ in run_data.source.grep(_PADS)}):
        for statement in run_data.source.nodes(file, ast.Assign, ast.Expr, ast.Return):
            for side in _sides(statement):
                words = " ".join(_names(statement))
                if bool(_TRAIN.search(words)) != bool(_OTHER.search(words)):
                    (train if _TRAIN.search(words) else other).setdefault(side, []).append(
                        place(file, statement.lineno)
                    )
    if len(train) != 1 or len(other) != 1 or set(train) == set(other):
        return None
    ((side, (here, *_)),) = train.items()
    ((_, (there, *_)),) = other.items()
    said = {_FRONT: Text("前面", "in front"), _BEHIND: Text("后面", "behind")}
    return problem(
        Text(
            "训练的序列在{one}填充（{here}），评估的序列在{two}填充（{there}）：网络读到的末尾不是训练时的末尾。",
            "The sequences of the training are padded {one} ({here}), those of the evaluation {two} ({there}): what the network "
            "reads last is not what it was trained to read there.",
            one=said[side],
            two=said[_BEHIND if side == _FRONT else _FRONT],
            here=at(here),
            there=at(there),
        ),
        Text("用同一个函数填充两者。", "Pad both by one function."),
        run_data.code_at([here, there], Text("填充之处", "Where they are padded")),
        [there, here],
    )


def _sides(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("rjust", "ljust"):
            yield _FRONT if node.func.attr == "rjust" else _BEHIND
        elif (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _filling(node.left) != _filling(node.right)
        ):
            yield _FRONT if _filling(node.left) else _BEHIND


def _filling(node: ast.AST) -> bool:
    """``[0] * (width - len(s))``: one value, as often as is missing."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    lists = [part for part in (node.left, node.right) if isinstance(part, ast.List) and len(part.elts) == 1]
    return bool(lists) and "len(" in ast.unparse(node)


def _names(statement: ast.stmt) -> list:
    return target_names(statement) + [one.attr for one in ast.walk(statement) if isinstance(one, ast.Attribute)]
