"""Where an evaluation takes what a network gave and other arrays together, by the script's source."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Optional

from msprec.observe.evaluation.assigned_names import computed, names_in, value_read
from msprec.observe.evaluation.expression_shapes import is_new_axis
from msprec.observe.evaluation.returned_names import own_statements, scope_of


@lru_cache(maxsize=512)
def comparisons_after(file: str, first_line: int, function: str, line: int) -> tuple:
    """``(line, left, right)`` of each ``left == right`` and ``left - right`` in what is computed as for `scores_after`, where one
    side is made of what the network gave and the other is not; of one in a function of the file the line is that of its call,
    and both sides are told by what it is called with. None of what is given another value further down, as its shape is read
    at the end."""
    found, later = [], _last_stores(file, first_line, function)
    for node, derived in computed(file, first_line, function, line):
        for one in ast.walk(value_read(node) or node):
            called = _in_called(file, one) if isinstance(one, ast.Call) else ()
            for sides in (_sides(one), *called):
                names = [names_in(side) for side in sides]
                stays = all(later.get(name, 0) < one.lineno for side in names for name in side)
                if len(sides) == 2 and stays and len([side for side in names if side & derived]) == 1:
                    found.append((one.lineno, *sides))
    return tuple(found)


def _last_stores(file: str, first_line: int, function: str) -> dict:
    """The last line that gives each name of a function a value."""
    scope = scope_of(file, first_line, function)
    nodes = own_statements(scope) if scope is not None else ()
    stores = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return {one.id: one.lineno for one in sorted(stores, key=lambda one: one.lineno)}


def _sides(node: ast.AST) -> tuple:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return node.left, node.comparators[0]
    # the differences of all pairs are meant where a new axis is written
    pairs = any(is_new_axis(one) for one in ast.walk(node))
    return (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and not pairs else ()


def _in_called(file: str, call: ast.Call) -> Iterator[tuple]:
    """The sides of what a function of the file compares that are its parameters as it was given them, each as the argument of
    the call."""
    tree = scope_of(file, 0, "<module>")
    name = call.func.id if isinstance(call.func, ast.Name) else None
    made = [one for one in getattr(tree, "body", []) if isinstance(one, ast.FunctionDef) and one.name == name]
    function = made[0] if len(made) == 1 else None
    plain = not call.keywords and not any(isinstance(one, ast.Starred) for one in call.args)
    if function is None or not plain or len(call.args) > len(function.args.args):
        return
    nodes = list(own_statements(function))
    assigned = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    given = {one.arg: value for one, value in zip(function.args.args, call.args) if one.arg not in assigned}
    for node in nodes:
        sides = [_argument(side, given) for side in _sides(node)]
        if None not in sides:
            yield tuple(sides)


def _argument(side: ast.expr, given: dict) -> Optional[ast.expr]:
    """The argument that a side is; None of anything but a parameter."""
    return given.get(side.id) if isinstance(side, ast.Name) else None
