"""Sums of rewards from the last step back that leave out what was summed up so far (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.received_batches.forward_returns import is_element, keeps, runs_backwards
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, names_read, nodes_within


def uncarried_returns(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop from the last step to the first keeps a total that begins before it, and each time is given an
    element of the loop alone: each step is credited with its own reward and not with those that follow."""
    for file in sorted(run_data.source.trees):
        for loop in run_data.source.nodes(file, ast.For):
            total = _element_alone(loop)
            if total is None or not runs_backwards(run_data, file, loop):
                continue
            if _begins_before(run_data.source.scope_around(file, loop.lineno), loop, bound_names(total.targets)):
                return _finding(run_data, file, loop, total)
    return None


def _element_alone(loop: ast.For) -> Optional[ast.Assign]:
    """The statement of the body that gives a kept total an element of the loop alone, where nothing of the body is read before it
    is given."""
    each = bound_names([loop.target])
    for one in loop.body:
        if not (isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name)):
            continue
        if not is_element(one.value, each):
            continue
        name = one.targets[0].id
        held = [inner for inner in nodes_within(loop.body) if isinstance(inner, ast.Name) and inner.id == name]
        given = [inner for inner in held if isinstance(inner.ctx, ast.Store)]
        read_before = any(inner.lineno <= one.lineno for inner in held if inner not in given)
        if len(given) == 1 and not read_before and keeps(loop, name):
            return one
    return None


def _begins_before(around: ast.AST, loop: ast.For, names: set) -> bool:
    """Whether one of the names is given a value right before the loop that is nothing but a beginning: it is not read until then,
    and nothing else is carried on by the loop."""
    first = [one for one in ast.walk(around) if isinstance(one, ast.Assign) and one.lineno < loop.lineno]
    begun = [one for one in first if names & bound_names(one.targets)]
    if len(begun) != 1:
        return False
    between = [one for one in ast.walk(around) if begun[0].lineno < getattr(one, "lineno", 0) < loop.lineno]
    carries = any(
        isinstance(one, ast.AugAssign)
        or (isinstance(one, ast.Assign) and bound_names(one.targets) & names_read(ast.walk(one.value)))
        for one in nodes_within(loop.body)
    )
    return not carries and not names & names_read(between)


def _finding(run_data: RunData, file: str, loop: ast.For, total: ast.Assign) -> Finding:
    where, given = place(file, loop.lineno), place(file, total.lineno)
    return problem(
        Text(
            "{loop} 的循环从最后一步向前，但 {total} 每次只取当前一步的奖励，没有加上之前累计的值：每一步得到的只是自己的奖励，"
            "之后的奖励不计入。",
            "The loop of {loop} runs from the last step back, and {total} is given the reward of the step alone, without what "
            "was summed up before: a step is credited with its own reward, and not with those that follow.",
            loop=at(where),
            total=at(given),
        ),
        Text(
            "加上打了折扣的累计值：total = rewards[t] + gamma * total。",
            "Add what follows, discounted: total = rewards[t] + gamma * total.",
        ),
        run_data.code_at([where, given], Text("折扣奖励的累加", "The discounted sum")),
        [given, where],
    )
