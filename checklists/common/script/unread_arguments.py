"""What a network's forward function is given and never reads (cg.03, dp.04)."""

import ast
from typing import NamedTuple

from msprec.checklists.common.script.own_classes import own_class_names
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, construct_of, names_read


class Argument(NamedTuple):
    """``name`` of an argument that each call of ``construct`` of a network's class, or of another function, has to give;
    ``read``: whether its code reads it; ``place``: of the function."""

    name: str
    read: bool
    construct: ast.FunctionDef
    place: Fact


def required_arguments(run_data: RunData) -> list[Argument]:
    """Those of the networks that were called, where their classes are the user's, and of the cells in these."""
    found = []
    for name in own_class_names(run_data):
        made = run_data.source.classes(name)
        construct = construct_of(made[0][1]) if len(made) == 1 else None
        if construct is not None and construct.args.vararg is None:
            found += _of(made[0][0], construct)
    return found


def forward_arguments(run_data: RunData) -> list[Argument]:
    """The same of the functions whose gradients are computed."""
    return [
        one
        for file in run_data.source.trees
        for name in sorted(run_data.source.under_gradient(file))
        for where, function in run_data.source.functions(name)
        if where == file and function.args.vararg is None
        for one in _of(file, function)
    ]


def _of(file: str, construct: ast.FunctionDef) -> list[Argument]:
    given = argument_names(construct)
    required = given[: len(given) - len(construct.args.defaults)]
    read = names_read(ast.walk(construct))
    read |= set(required) if _reads_all(construct) else set()
    return [
        Argument(name, name in read or name.startswith("_"), construct, place(file, construct.lineno))
        for name in required
    ]


def _reads_all(construct: ast.FunctionDef) -> bool:
    """Whether the function may read its arguments otherwise: ``locals()``, or it is there to be replaced."""
    calls = [one.func.id for one in ast.walk(construct) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return "locals" in calls or any(isinstance(one, (ast.Raise, ast.Pass)) for one in construct.body)
