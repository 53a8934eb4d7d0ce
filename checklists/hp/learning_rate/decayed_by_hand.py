"""A rate of the script's own that a power of the number of batches takes to nothing while the training has begun (hp.01)."""

import ast
import math
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, plain_number, root_name

_RATE = re.compile(r"(^|_)(lr|learning_?rate|eta|alpha|rate|step_?size)($|_)", re.IGNORECASE)


def decayed_by_hand(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop that computes gradients sets its rate by ``base * share ** n``, n grows by one at each step, and
    that power is hp.01.collapsed or less after hp.01.collapsed_at of the steps that were made: it was meant to count epochs."""
    steps = run_data.training_steps
    if steps < run_data.limit("hp.01.min_steps") or ("lr" in run_data.steps() and run_data.steps().seen("lr").any()):
        return None
    gradients = run_data.source.gradient_functions()
    for file in sorted(run_data.source.trees) if gradients else ():
        for loop in run_data.source.nodes(file, ast.For, ast.While):
            for line, share in _powers(loop, gradients):
                early = share ** (run_data.limit("hp.01.collapsed_at") * steps)
                if early <= run_data.limit("hp.01.collapsed"):
                    return _finding(run_data, file, line, share, steps)
    return None


def _finding(run_data: RunData, file: str, line: int, share: float, steps: int) -> Finding:
    where = place(file, line)
    hundredth = math.ceil(math.log(0.01) / math.log(share))
    return problem(
        Text(
            "{where} 的学习率每一步乘以 {share}：{hundredth} 步后只剩百分之一，而训练有 {steps} 步，其后几乎不再更新。"
            "指数看来应当是 epoch 数。",
            "The rate at {where} is multiplied by {share} at each step: after {hundredth} steps a hundredth of it is left, of "
            "{steps}, and hardly anything is updated from then on. The exponent was probably to count epochs.",
            where=at(where),
            share=share,
            hundredth=hundredth,
            steps=steps,
        ),
        Text(
            "指数改用 epoch 数，或用 n / 每个 epoch 的步数。",
            "Let the exponent count epochs, or divide it by the number of steps of one.",
        ),
        [run_data.code(where, Text("学习率", "The rate"))],
        [where],
    )


def _powers(loop: ast.stmt, gradients: set) -> Iterator[tuple]:
    """``(line, share)`` of the rates that a loop sets beside a call of what computes gradients; an inner loop is another."""
    inside = list(_own(loop))
    if not gradients & {called_name(one) for one in inside if isinstance(one, ast.Call)}:
        return
    counted = {
        root_name(one.target)
        for one in inside
        if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) and plain_number(one.value) == 1
    }
    for store in inside:
        if isinstance(store, ast.Assign) and any(_RATE.search(name) for name in bound_names(store.targets)):
            for power in ast.walk(store.value):
                if isinstance(power, ast.BinOp) and isinstance(power.op, ast.Pow):
                    share, exponent = plain_number(power.left), getattr(power.right, "id", None)
                    if share is not None and 0 < share < 1 and exponent in counted:
                        yield store.lineno, share


def _own(loop: ast.stmt) -> Iterator[ast.AST]:
    waiting: list = list(ast.iter_child_nodes(loop))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.For, ast.While, ast.FunctionDef)):
            waiting += ast.iter_child_nodes(node)
