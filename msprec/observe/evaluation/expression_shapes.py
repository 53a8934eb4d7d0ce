"""The shape of what an expression of arrays and numbers gives, by the shapes of what it names."""

import ast
from typing import Optional

import numpy as np

#: What leaves the shape of its array as it is, as a method and as a function of one array.
_SHAPE_KEEPING = (
    "astype",
    "round",
    "asnumpy",
    "copy",
    "float",
    "int",
    "long",
    "rint",
    "sign",
    "asarray",
    "array",
    "abs",
)


def shape_of(expression: ast.expr, names: dict) -> Optional[tuple]:
    """The shape that an expression of arrays and numbers has; nothing of the script's runs for it.

    None where it holds anything but names, numbers, comparisons, ``+ - * / ** &`` and what leaves shapes as they are.
    """
    if isinstance(expression, ast.Constant):
        return ()
    if isinstance(expression, ast.Name):
        shape = getattr(names.get(expression.id), "shape", ())
        return tuple(shape) if isinstance(shape, (tuple, list)) else None
    if isinstance(expression, ast.UnaryOp):
        return shape_of(expression.operand, names)
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        kept = expression.func.attr in _SHAPE_KEEPING
        module = isinstance(expression.func.value, ast.Name) and expression.func.value.id in ("np", "numpy", "ops")
        inner = expression.args[:1] if module else [expression.func.value]
        return shape_of(inner[0], names) if kept and inner else None
    if isinstance(expression, ast.Compare) and len(expression.ops) == 1:
        parts = [expression.left, expression.comparators[0]]
    elif isinstance(expression, ast.BinOp) and not isinstance(expression.op, ast.MatMult):
        parts = [expression.left, expression.right]
    else:
        return None
    shapes = [shape_of(part, names) for part in parts]
    try:
        return None if None in shapes else np.broadcast_shapes(*shapes)
    except ValueError:
        return None
