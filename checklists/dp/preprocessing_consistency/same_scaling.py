"""Whether the code brings two arrays to scale by the same numbers, so that data that differ are other data (dp.02)."""

import ast

from msprec.checklists.common.array_origin import argument_origins, array_origins
from msprec.checklists.common.findings import train_sets
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, target_names

_SCALES = (ast.Sub, ast.Div, ast.Mult)


def scaled_alike(run_data: RunData, other: Fact, position: int, shape: list) -> bool:
    """Whether an argument of a call outside training went through the scalings that a column of training of its shape went
    through: ``transform`` of one scaler, or the same operations with the same names; False where the code shows none.

    A scaler that is fitted anew to the other data is another.
    """
    theirs = _scalings(run_data, argument_origins(run_data, other, position), ("transform",))
    columns = [(dataset, one) for dataset in train_sets(run_data) for one in dataset.columns if one.shape == shape]
    ours = [_scalings(run_data, array_origins(run_data, *one), ("transform", "fit_transform")) for one in columns]
    return bool(theirs) and theirs in ours


def _scalings(run_data: RunData, places: list, calls: tuple) -> list:
    """What the assignments there scale by, sorted: the scaler of each of these calls, and each operation with a name."""
    found = set()
    for where in places:
        for node in run_data.source.nodes_at(where.file, where.line, ast.Assign):
            found |= {(node.lineno, one) for one in _of_statement(node.value, calls)}
    return sorted(one for _, one in found)


def _of_statement(value: ast.expr, calls: tuple) -> list:
    found = []
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "transform" in called_name(node):
            known = called_name(node) in calls and isinstance(node.func.value, ast.Name)
            found.append(ast.unparse(node.func.value) if known else f"line {node.lineno}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _SCALES):
            names = target_names(node.right)
            if names and not set(names) & set(target_names(node.left)):
                found.append(f"{type(node.op).__name__} {ast.unparse(node.right)}")
    return found
