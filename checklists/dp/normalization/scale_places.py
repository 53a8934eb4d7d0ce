"""Where the scale of inputs is decided, beside the arrays themselves (dp.01)."""

import ast

from msprec.checklists.common.script.discarded_results import discarded
from msprec.checklists.common.script.mapped_operations import mapped_operations
from msprec.checklists.common.script.scaling_statistics import STATISTICS, divides, scaling_statistics
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, root_name

#: Calls that give scaled arrays and leave what they are given as it is.
_SCALE = ("fit_transform", "transform", "normalize", "standardize", "zscore", "minmax_scale", "scale")


def scale_places(run_data: RunData, places: list) -> list:
    """Statements that throw scaled arrays away, scalers, statistics and scaling functions that nothing uses, where the number is
    written, or the statistic taken, that one of the lines scales by, and where a function scales that one of them maps.

    Args:
        run_data: The run.
        places: Where the arrays got their values.
    """
    mapped = [one for where in places if where for one in _mapped(run_data, where)]
    return [*discarded(run_data, _SCALE), *_unused(run_data), *scaling_statistics(run_data, places), *mapped]


def _unused(run_data: RunData) -> list:
    """Where a scaler is fitted, a mean or deviation taken, or a function defined that divides, and the name never read again."""
    found = []
    for file, tree in run_data.source.trees.items():
        attributes = run_data.source.nodes(file, ast.Attribute)
        read = names_read(run_data.source.nodes(file, ast.Name))
        read |= {one.attr for one in attributes if isinstance(one.ctx, ast.Load)}
        found += [place(file, node.lineno) for node in tree.body if _leads_nowhere(run_data, file, node, read)]
    return found


def _leads_nowhere(run_data: RunData, file: str, node: ast.stmt, read: set) -> bool:
    if isinstance(node, ast.Assign):
        return _prepares(node.value) and not bound_names(node.targets) & read
    if isinstance(node, ast.FunctionDef):
        return node.name not in read and divides(node)
    return isinstance(node, ast.Expr) and _fits_alone(run_data, file, node.value)


def _prepares(value: ast.expr) -> bool:
    """Whether a value is a scaler that was fitted, or statistics alone."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(isinstance(one, ast.Call) and called_name(one) in ("fit", *STATISTICS) for one in parts)


def _fits_alone(run_data: RunData, file: str, call: ast.expr) -> bool:
    """Whether a statement ``scaler.fit(x)`` is all that is done with a scaler."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and called_name(call) == "fit"):
        return False
    name = root_name(call.func)
    others = [one for one in run_data.source.nodes(file, ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    return bool(name) and len(others) == 1


def _mapped(run_data: RunData, where: Fact) -> list:
    """Where a function of the script's divides or multiplies that a line hands to ``map``."""
    given = mapped_operations(run_data, where)
    names = {part.id for one in given for part in ast.walk(one) if isinstance(part, ast.Name)}
    return [
        place(file, node.lineno)
        for name in sorted(names)
        for file, function in run_data.source.functions(name)
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult))
    ]
