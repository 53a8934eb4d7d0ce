"""Discounted sums of rewards that run from the first step to the last (td.05)."""

import ast
from typing import Optional, Union

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.received_batches.done_flags import factors
from msprec.checklists.td.received_batches.zero_discount import DISCOUNT, name_of
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, nodes_within, target_names

#: What keeps a sum in the order of the loop.
_KEEPS = ("append", "extend")


def forward_returns(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop over rewards from the first to the last keeps ``total = reward + gamma * total`` of each: a step is
    credited with what came before it, not with what follows."""
    for file in sorted(run_data.source.trees):
        for loop in run_data.source.nodes(file, ast.For):
            total = _kept_total(loop)
            if total is not None and not runs_backwards(run_data, file, loop):
                return _finding(run_data, place(file, loop.lineno), place(file, total.lineno))
    return None


def _kept_total(loop: ast.For) -> Optional[ast.Assign]:
    """The statement of the loop's body that adds an element of the loop to the discounted total, which the loop keeps."""
    for one in loop.body:
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            name = one.targets[0].id
            if _adds_to_discounted(one.value, name, bound_names([loop.target])) and keeps(loop, name):
                return one
    return None


def _adds_to_discounted(value: ast.expr, name: str, each: set) -> bool:
    """Whether a value is ``rewards[t] + gamma * total`` of the total's ``name``; ``each``: the names of the loop's target."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return False
    for held, added in ((value.left, value.right), (value.right, value.left)):
        parts = list(factors(held))
        discounted = len(parts) > 1 and any(DISCOUNT.search(name_of(one)) for one in parts)
        if discounted and name in names_read(ast.walk(held)) and name not in names_read(ast.walk(added)):
            return is_element(added, each)
    return False


def is_element(node: ast.expr, each: set) -> bool:
    """Whether an expression is an element of the loop, or that of an array by the loop's number alone."""
    if isinstance(node, ast.Name):
        return node.id in each
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return isinstance(index, ast.Name) and index.id in each


def keeps(loop: ast.For, name: str) -> bool:
    """Whether the loop appends the total, or stores it at the loop's number."""
    each = bound_names([loop.target])
    for one in nodes_within(loop.body):
        if isinstance(one, ast.Call) and called_name(one) in _KEEPS and name in names_read(ast.walk(one)):
            return True
        stored = one.targets if isinstance(one, ast.Assign) and name in names_read(ast.walk(one.value)) else []
        if any(isinstance(target, ast.Subscript) and is_element(target, each) for target in stored):
            return True
    return False


def runs_backwards(run_data: RunData, file: str, loop: ast.For) -> bool:
    """Whether the loop runs from the last to the first: by its own words, or by those of what it runs over."""
    names = set(target_names(loop.iter))
    around = run_data.source.scope_around(file, loop.lineno)
    made = [one.value for one in ast.walk(around) if isinstance(one, ast.Assign) and names & bound_names(one.targets)]
    return any(_turns_round(one) for one in (loop.iter, *made))


def _turns_round(node: Union[ast.expr, ast.stmt]) -> bool:
    """Whether an expression reverses something, or counts down."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and called_name(one) in ("reversed", "flip", "flipud"):
            return True
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub):
            return True
    return False


def _finding(run_data: RunData, loop: Fact, total: Fact) -> Finding:
    return problem(
        Text(
            "{loop} 的循环从第一步到最后一步累加折扣奖励（{total}）：每一步得到的是它之前的奖励，而不是它之后的奖励。",
            "The loop of {loop} adds up discounted rewards from the first step to the last ({total}): a step is credited with "
            "the rewards before it, and not with those that follow.",
            loop=at(loop),
            total=at(total),
        ),
        Text(
            "从最后一步向前累加：for t in reversed(range(len(rewards)))。",
            "Add up from the last step back to the first: for t in reversed(range(len(rewards))).",
        ),
        run_data.code_at([loop], Text("折扣奖励的累加", "The discounted sum")),
        [loop, total],
    )
