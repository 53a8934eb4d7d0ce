"""Whether the code brings two arrays to scale by the same numbers, so that data that differ are other data (dp.02)."""

import ast

from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.array_origin import argument_origins, array_origins
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, target_names

_SCALES = (ast.Sub, ast.Div, ast.Mult)
#: Methods by which a scaler brings training data to scale.
_TRANSFORMS = ("transform", "fit_transform")
#: Calls by which a function works the numbers to scale by out of what it is given.
_OF_THE_DATA = frozenset(("mean", "std", "var", "min", "max", "fit", "fit_transform", "norm", "median", "quantile"))


def scaled_alike(run_data: RunData, other: Fact, position: int, shape: list) -> bool:
    """Whether an argument of a call outside training went through the scalings that a column of training of its shape went
    through: ``transform`` of one scaler, one function of the script's with the same further arguments, or the same operations
    with the same names; False where the code shows none.

    A scaler that is fitted anew to the other data is another.
    """
    from_here = argument_origins(run_data, other, position)
    theirs = _scalings(run_data, from_here, ("transform",))
    columns = [(dataset, one) for dataset in train_sets(run_data) for one in dataset.columns if one.shape == shape]
    origins = [[first_place(dataset), *array_origins(run_data, dataset, one)] for dataset, one in columns]
    ours = [_scalings(run_data, places, _TRANSFORMS) for places in origins if not _parted(run_data, from_here, places)]
    return bool(theirs) and theirs in ours


def _parted(run_data: RunData, ones: list, others: list) -> bool:
    """Whether a statement that both come from gives its names values that it scales each in its own way."""
    lines = {(one.file, one.line) for one in others if one}
    for where in (one for one in ones if (one.file, one.line) in lines):
        for node in run_data.source.nodes_at(where.file, where.line, ast.Assign):
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else []
            if len({tuple(_of_statement(run_data, part, _TRANSFORMS)) for part in parts}) > 1:
                return True
    return False


def _scalings(run_data: RunData, places: list, calls: tuple) -> list:
    """What the assignments there scale by, sorted: the scaler of each of these calls, and each operation with a name."""
    found = set()
    for where in filter(None, places):
        for node in run_data.source.nodes_at(where.file, where.line, ast.Assign):
            found |= {(node.lineno, one) for one in _of_statement(run_data, node.value, calls)}
    return sorted(one for _, one in found)


def _of_statement(run_data: RunData, value: ast.expr, calls: tuple) -> list:
    found = []
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and _function_scales(run_data, node.func.id):
            found.append(f"{node.func.id}({', '.join(map(ast.unparse, [*node.args[1:], *node.keywords]))})")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "transform" in called_name(node):
            known = called_name(node) in calls and isinstance(node.func.value, ast.Name)
            found.append(ast.unparse(node.func.value) if known else f"line {node.lineno}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _SCALES):
            names = target_names(node.right)
            if names and not set(names) & set(target_names(node.left)):
                found.append(f"{type(node.op).__name__} {ast.unparse(node.right)}")
    return found


def _function_scales(run_data: RunData, name: str) -> bool:
    """Whether each function of that name in the script's files scales what it is given, by numbers that it does not work out of
    it: a ``mean`` or ``std`` in its body would be the data's own."""
    found = [one for _, one in run_data.source.functions(name)]
    return bool(found) and all(_scales_by_given_numbers(one) for one in found)


def _scales_by_given_numbers(function: ast.FunctionDef) -> bool:
    nodes = list(ast.walk(function))
    called = {called_name(one) for one in nodes if isinstance(one, ast.Call)}
    scales = any(isinstance(one, ast.BinOp) and isinstance(one.op, _SCALES) for one in nodes) or "transform" in called
    return scales and not called & _OF_THE_DATA
