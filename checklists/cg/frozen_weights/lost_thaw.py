"""Weights that were to be set free by a loop over ``trainable_params()``, which leaves out those that are frozen (cg.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.array_origin import argument_of
from msprec.checklists.common.weights.weight_updates import sort_parameters
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import argument_names, called_name, root_name, target_names


def thaws_nothing(run_data: RunData) -> Optional[Finding]:
    """A problem where weights are frozen at the end, and a loop over ``trainable_params()`` sets ``requires_grad`` of each to
    True, or to what an argument says that was False in another call; None elsewhere."""
    if not run_data.once(sort_parameters).frozen:
        return None
    for file in run_data.source.trees:
        for loop in run_data.source.nodes(file, ast.For):
            over = loop.iter
            if not isinstance(over, ast.Call) or called_name(over) != "trainable_params":
                continue
            thawing = next(_thawing(run_data, file, loop), None)
            if thawing is not None:
                return _problem(run_data, [place(file, loop.lineno), thawing])
    return None


def _thawing(run_data: RunData, file: str, loop: ast.For) -> Iterator:
    """Where a loop is to set its parameters free: its own statement, or the call that says so."""
    for node in ast.walk(loop):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        target = node.targets[0]
        if target.attr != "requires_grad" or root_name(target) not in target_names(loop.target):
            continue
        if isinstance(node.value, ast.Constant):
            if node.value.value is True:
                yield place(file, node.lineno)
            continue
        function = run_data.source.function_around(file, loop.lineno)
        turned = isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.Not)
        asked = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
        if function is not None and isinstance(asked, ast.Name):
            yield from _calls_that_thaw(run_data, function, asked.id, free=not turned)


def _calls_that_thaw(run_data: RunData, function, name: str, free: bool) -> Iterator:
    """The calls of a function whose argument of that name sets parameters free, where another one freezes them."""
    names = argument_names(function)
    position = names.index(name) if name in names else len(names)
    said: dict = {True: [], False: []}
    for file, call in run_data.source.calls_anywhere((function.name,)):
        value = getattr(argument_of(call, name, position), "value", None)
        if isinstance(value, bool):
            said[value].append(place(file, call.lineno))
    if said[not free]:
        yield from said[free]


def _problem(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "解冻没有作用：循环遍历的是 trainable_params()，它只给出 requires_grad=True 的参数，已冻结的参数不在其中，"
            "requires_grad 仍为 False，之后的训练没有更新它们。",
            "Nothing is set free again: the loop goes over trainable_params(), which lists only what takes a gradient, so that "
            "frozen parameters are not among them, keep requires_grad=False, and are not updated by the training that follows.",
        ),
        Text(
            "解冻时遍历 get_parameters()，再用新的 trainable_params() 创建优化器。",
            "To set them free go over get_parameters(), and make the optimizer of a new trainable_params() after it.",
        ),
        [run_data.code_at(places, Text("解冻之处", "Where they are to be set free"))],
        places,
    )
