"""Where the scale of inputs is decided, beside the arrays themselves (dp.01)."""

import ast

from msprec.checklists.common.script.discarded_results import discarded
from msprec.checklists.common.script.mapped_operations import mapped_operations
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, plain_number, root_name

#: Calls that give scaled arrays and leave what they are given as it is.
_SCALE = ("fit_transform", "transform", "normalize", "standardize", "zscore", "minmax_scale", "scale")

_STATISTICS = ("mean", "std", "min", "max", "sum", "median", "var")


def scale_places(run_data: RunData, places: list) -> list:
    """Statements that throw scaled arrays away, scalers, statistics and scaling functions that nothing uses, where the number is
    written, or the statistic taken, that one of the lines scales by, and where a function scales that one of them maps.

    Args:
        run_data: The run.
        places: Where the arrays got their values.
    """
    factors = [one for where in places if where for one in _factors(run_data, where)]
    mapped = [one for where in places if where for one in _mapped(run_data, where)]
    return [*discarded(run_data, _SCALE), *_unused(run_data), *factors, *mapped]


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
        return node.name not in read and _divides(node)
    return isinstance(node, ast.Expr) and _fits_alone(run_data, file, node.value)


def _prepares(value: ast.expr) -> bool:
    """Whether a value is a scaler that was fitted, or statistics alone."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(isinstance(one, ast.Call) and called_name(one) in ("fit", *_STATISTICS) for one in parts)


def _divides(function: ast.AST) -> bool:
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in ast.walk(function))


def _fits_alone(run_data: RunData, file: str, call: ast.expr) -> bool:
    """Whether a statement ``scaler.fit(x)`` is all that is done with a scaler."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and called_name(call) == "fit"):
        return False
    name = root_name(call.func)
    others = [one for one in run_data.source.nodes(file, ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    return bool(name) and len(others) == 1


def _factors(run_data: RunData, where: Fact) -> list:
    """Where the module gives one number, or a statistic of an array, to a name by which a line scales."""
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
    dividing = [one for one in calls if any(_divides(made) for _, made in run_data.source.functions(called_name(one)))]
    return {given.id for one in dividing for given in one.args if isinstance(given, ast.Name)}


def _taken_in(run_data: RunData, value: ast.expr) -> list:
    """Where the function of the script's that a value comes from takes statistics."""
    made = run_data.source.functions(called_name(value)) if isinstance(value, ast.Call) else []
    return [
        place(file, node.lineno)
        for file, function in made
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and called_name(node) in _STATISTICS
    ]


def _is_number(value: ast.expr) -> bool:
    return plain_number(value) is not None


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


def _is_statistic(value: ast.expr) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) in _STATISTICS for one in ast.walk(value))
