"""Where the scale of inputs is decided, beside the arrays themselves (dp.01)."""

import ast

from msprec.checklists.common.script.discarded_results import discarded
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, plain_number

#: Calls that give scaled arrays and leave what they are given as it is.
_SCALE = ("fit_transform", "transform", "normalize", "standardize", "zscore", "minmax_scale", "scale")

_STATISTICS = ("mean", "std", "min", "max", "sum", "median", "var")


def scale_places(run_data: RunData, places: list) -> list:
    """Statements that throw scaled arrays away, and where the number is written, or the statistic taken, that one of the lines
    scales by.

    Args:
        run_data: The run.
        places: Where the arrays got their values.
    """
    return [*discarded(run_data, _SCALE), *(one for where in places if where for one in _factors(run_data, where))]


def _factors(run_data: RunData, where: Fact) -> list:
    """Where the module gives one number, or a statistic of an array, to a name by which a line scales."""
    scales = [
        one
        for one in run_data.source.nodes_at(where.file, where.line, ast.BinOp)
        if isinstance(one.op, (ast.Div, ast.Mult))
    ]
    names = {side.id for one in scales for side in (one.left, one.right) if isinstance(side, ast.Name)}
    stores = [one for one in run_data.source.trees[where.file].body if isinstance(one, ast.Assign)] if names else []
    return [
        place(where.file, one.lineno)
        for one in stores
        if bound_names(one.targets) & names and (plain_number(one.value) is not None or _is_statistic(one.value))
    ]


def _is_statistic(value: ast.expr) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) in _STATISTICS for one in ast.walk(value))
