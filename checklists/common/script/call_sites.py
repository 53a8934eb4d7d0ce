"""Where the function around a line is called, where what is called in it was made, and where a cell's own parameter is
declared and should be used."""

import ast
from typing import Optional

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import construct_of

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def called_from(run_data: RunData, where: Fact, most: int = 1) -> list:
    """The calls of the innermost function around a line; empty where they are more than ``most``, or it is a main function."""
    name = _function_around(run_data, where)
    calls = calls_around(run_data, where) if name not in ("main", "__init__", "construct", "__call__") else []
    return calls if len(calls) <= most else []


def constructed_from(run_data: RunData, where: Fact, most: int = 1) -> list:
    """The calls that make objects of the class whose ``__init__`` is around a line; empty where they are more than ``most``."""
    function = run_data.source.function_around(where.file, where.line) if where and where.file and where.line else None
    if function is None or function.name != "__init__":
        return []
    calls = calls_of(run_data, run_data.source.called_by_name(where.file, function))
    return calls if len(calls) <= most else []


def calls_around(run_data: RunData, where: Fact) -> list:
    """All calls of the innermost function around a line, by its name; empty where it stands in none."""
    name = _function_around(run_data, where)
    return calls_of(run_data, name) if name is not None else []


def calls_of(run_data: RunData, name: str) -> list:
    """All calls of what has that name, of a function or class."""
    return [place(file, node.lineno) for file, node in run_data.source.calls_anywhere((name,))]


def in_loop(run_data: RunData, where: Fact) -> bool:
    """Whether a line stands in a loop."""
    return any(isinstance(one, (ast.For, ast.While)) for one in run_data.source.enclosing(where.file, where.line))


def _function_around(run_data: RunData, where: Fact) -> Optional[str]:
    around = run_data.source.function_around(where.file, where.line) if where and where.file and where.line else None
    return around.name if around is not None else None


def optimizer_calls(run_data: RunData) -> list:
    """The lines that call an optimizer which was used, by the name that it was given where it was made."""
    found = []
    for one in run_data.optimizers:
        made = run_data.source.nodes_at(one.place.file, one.place.line, ast.Assign) if one.used and one.place else []
        names = {ast.unparse(target) for node in made for target in node.targets}
        for node in run_data.source.nodes(one.place.file, ast.Call) if names else ():
            if ast.unparse(node.func) in names:
                found.append(place(one.place.file, node.lineno))
    return found


def made_for_calls(run_data: RunData, where: Fact) -> list:
    """Where the objects that a line calls were made: of ``loss(x)`` the assignment ``loss = nn.MSELoss()`` of its file."""
    called = {ast.unparse(one.func) for one in run_data.source.nodes_at(where.file, where.line, ast.Call)}
    return [
        place(where.file, node.lineno)
        for node in run_data.source.nodes(where.file, ast.Assign)
        if isinstance(node.value, ast.Call) and called & {ast.unparse(one) for one in node.targets}
    ]


def unused_declaration(run_data: RunData, parameter: Fact) -> list:
    """The line that declares a cell's own parameter, and the ``construct`` that does not name it; empty where it is named there,
    or in another method."""
    attribute = (parameter.name or "").rpartition(".")[2]
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.ClassDef):
            named = [one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == attribute]
            declared = [one for one in named if isinstance(one.ctx, ast.Store)]
            construct = construct_of(node)
            if construct is None or len(declared) != 1 or len(named) != 1:
                continue
            if "Parameter" in ast.unparse(_statement(node, declared[0])):
                return [place(file, declared[0].lineno), place(file, construct.lineno)]
    return []


def _statement(tree: ast.AST, node: ast.AST) -> ast.AST:
    return next(one for one in ast.walk(tree) if isinstance(one, ast.stmt) and node in ast.iter_child_nodes(one))
