"""The shape of what an expression of arrays and numbers gives, by the shapes of what it names."""

import ast
from typing import Optional, Union

import numpy as np

from msprec.observe.evaluation.changed_shapes import SHAPE_CHANGING, changed_shape

_MODULES = ("np", "numpy", "ops", "mint")
#: Of `ops`, what gives something else than the method of that name: the samples kept apart, or two results.
_OTHERWISE_IN_OPS = ("flatten", "max", "min")

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
    "to_numpy",
)


def shape_of(expression: ast.expr, names: dict) -> Optional[tuple]:
    """The shape that an expression of arrays and numbers has; nothing of the script's runs for it.

    None where it holds anything but names, numbers, comparisons, ``+ - * / ** &``, slices, columns of a table, what leaves
    shapes as they are, and what lays arrays out anew or reduces them by written numbers.
    """
    if isinstance(expression, ast.Constant):
        return ()
    if isinstance(expression, ast.Name):
        shape = getattr(names.get(expression.id), "shape", ())
        return tuple(shape) if isinstance(shape, (tuple, list)) else None
    if isinstance(expression, ast.UnaryOp):
        return shape_of(expression.operand, names)
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        return _of_call(expression, names)
    if isinstance(expression, ast.Subscript):
        return _of_part(expression, names)
    if isinstance(expression, ast.Attribute):
        return shape_of(expression.value, names) if expression.attr == "values" else None
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


def array_of(call: ast.Call) -> tuple:
    """``(array, the other arguments)`` of a method of an array, or of a function of a module with the array first, None where it
    has none."""
    holder = call.func.value  # type: ignore[attr-defined]
    if isinstance(holder, ast.Name) and holder.id in _MODULES:
        return (call.args[0] if call.args else None), call.args[1:]
    return holder, call.args


def _of_call(call: ast.Call, names: dict) -> Optional[tuple]:
    """Of a method of an array, or of a function of a module with the array first."""
    array, given = array_of(call)
    module = array is not call.func.value
    otherwise = module and call.func.value.id in ("ops", "mint") and call.func.attr in _OTHERWISE_IN_OPS
    if array is None or otherwise or call.func.attr not in (*_SHAPE_KEEPING, *SHAPE_CHANGING):
        return None
    shape = shape_of(array, names)
    if shape is None or call.func.attr in _SHAPE_KEEPING:
        return shape
    if len(call.keywords) > 1 or any(keyword.arg not in ("axis", "dim") for keyword in call.keywords):
        return None
    sizes = given[0].elts if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)) else given
    try:
        axis = next((_number(keyword.value, names) for keyword in call.keywords), None)
        return changed_shape(call.func.attr, shape, [_number(size, names) for size in sizes], axis)
    except ValueError:
        return None


def _of_part(expression: ast.Subscript, names: dict) -> Optional[tuple]:
    """Of ``table["column"]``, and of ``array[100:]`` and ``array[:, 0]`` by numbers and names of numbers."""
    whole, key = shape_of(expression.value, names), expression.slice
    if not whole:
        return None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        table = names.get(expression.value.id) if isinstance(expression.value, ast.Name) else None
        columns = list(getattr(table, "columns", ())) if type(table).__name__ == "DataFrame" else []
        return whole[:1] if columns.count(key.value) == 1 else None
    try:
        parts = tuple(_index(one, names) for one in (key.elts if isinstance(key, ast.Tuple) else [key]))
        return np.broadcast_to(np.int8(0), whole)[parts].shape
    except (IndexError, ValueError):
        return None


def is_new_axis(node: ast.AST) -> bool:
    """Whether an index is ``None`` or ``np.newaxis``, which makes an axis of size 1."""
    plain = isinstance(node, ast.Constant) and node.value is None
    return plain or (isinstance(node, ast.Attribute) and node.attr == "newaxis")


def _index(node: ast.expr, names: dict) -> Optional[Union[int, slice]]:
    """A number, a slice of numbers, or None. ValueError for anything else."""
    if is_new_axis(node):
        return None
    if isinstance(node, ast.Slice):
        return slice(*(None if end is None else _number(end, names) for end in (node.lower, node.upper, node.step)))
    return _number(node, names)


def _number(node: ast.expr, names: dict) -> int:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand, names)
    value = node.value if isinstance(node, ast.Constant) else names.get(getattr(node, "id", None))
    if type(value) is not int:
        raise ValueError
    return value
