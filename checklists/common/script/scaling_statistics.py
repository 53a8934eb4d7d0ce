"""Where the numbers are written, or the statistics taken, by which a line scales (dp.01, td.08)."""

import ast

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, plain_number

STATISTICS = ("mean", "std", "min", "max", "sum", "median", "var")


def scaling_statistics(run_data: RunData, places: list) -> list:
    """Where the module gives one number, or a statistic of an array, to a name by which one of the lines scales, or that it hands
    to a function of the script's that does; of a statistic that such a function takes, the line in there.

    Args:
        run_data: The run.
        places: Of the lines, None among them.
    """
    return [one for where in places if where for one in _factors(run_data, where)]


def _factors(run_data: RunData, where: Fact) -> list:
    scales = [
        one
        for one in run_data.source.nodes_at(where.file, where.line, ast.BinOp)
        if isinstance(one.op, (ast.Div, ast.Mult))
    ]
    names = {side.id for one in scales for side in (one.left, one.right) if isinstance(side, ast.Name)}
    names |= _given_to_scale(run_data, where)
    stores = [one for one in run_data.source.trees[where.file].body if isinstance(one, ast.Assign)] if names else []
    stores = [one for one in stores if bound_names(one.targets) & names]
    found = [place(where.file, one.lineno) for one in stores if _is_number(one.value) or _is_statistic(one.value)]
    return [*found, *(at for one in stores for at in _taken_in(run_data, one.value))]


def _given_to_scale(run_data: RunData, where: Fact) -> set:
    """The names that a line hands to functions of the script's that divide."""
    calls = run_data.source.nodes_at(where.file, where.line, ast.Call)
    dividing = [one for one in calls if any(divides(made) for _, made in run_data.source.functions(called_name(one)))]
    return {given.id for one in dividing for given in one.args if isinstance(given, ast.Name)}


def _taken_in(run_data: RunData, value: ast.expr) -> list:
    """Where the function of the script's that a value comes from takes statistics."""
    made = run_data.source.functions(called_name(value)) if isinstance(value, ast.Call) else []
    return [
        place(file, node.lineno)
        for file, function in made
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and called_name(node) in STATISTICS
    ]


def _is_number(value: ast.expr) -> bool:
    return plain_number(value) is not None


def divides(function: ast.AST) -> bool:
    """Whether a function divides anything."""
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in ast.walk(function))


def _is_statistic(value: ast.expr) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) in STATISTICS for one in ast.walk(value))
