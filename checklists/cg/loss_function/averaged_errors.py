"""Errors of several outputs that are averaged before they are squared, so that they cancel (cg.04)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import FunctionNode, called_name, own_nodes

_SQUARES, _SIZES, _MEANS = ("square", "pow"), ("abs",), ("mean", "reduce_mean")


def check_averaged_errors(run_data: RunData) -> Optional[Wrong]:
    """A function of the script's returns no more than the mean of ``square(e.mean(axis=1))``, with ``e`` what a call gives less
    something: outputs that miss on opposite sides cost nothing. A difference of two means is another thing."""
    for file, call in run_data.source.calls_anywhere(_MEANS):
        function = run_data.source.function_around(file, call.lineno)
        if function is None or not _along_outputs(call) or not _is_error(_operand(call), function):
            continue
        returned = [one.value for one in own_nodes(function) if isinstance(one, ast.Return) and one.value is not None]
        if len(returned) == 1 and _is_size_of(_without_mean(returned[0]), call):
            return _wrong(place(file, call.lineno))
    return None


def _operand(call: ast.Call) -> Optional[ast.expr]:
    """What a mean is taken of: ``e`` of ``e.mean(1)`` and of ``ops.mean(e, 1)``."""
    if isinstance(call.func, ast.Attribute) and not (
        isinstance(call.func.value, ast.Name) and call.func.value.id in _MODULES
    ):
        return call.func.value
    return call.args[0] if call.args else None


_MODULES = ("ops", "mint", "mnp", "np", "F", "P", "ms")


def _along_outputs(call: ast.Call) -> bool:
    """Whether a mean goes along an axis other than that of the samples."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg in ("axis", "dim"))]
    axes = [ast.unparse(one) for one in given]
    return any(one in ("1", "-1", "2") for one in axes)


def _is_error(node: Optional[ast.expr], function: FunctionNode) -> bool:
    """Whether it is a difference of what a call gives and something else, there or in the one statement that gives the name."""
    if isinstance(node, ast.Name):
        stores = [one for one in own_nodes(function) if isinstance(one, ast.Assign)]
        values = [one.value for one in stores if any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)]
        node = values[0] if len(values) == 1 else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    sides = (node.left, node.right)
    means = [
        one for side in sides for one in ast.walk(side) if isinstance(one, ast.Call) and called_name(one) in _MEANS
    ]
    return not means and all(isinstance(one, (ast.Name, ast.Call, ast.Attribute)) for one in sides)


def _without_mean(value: ast.expr) -> ast.expr:
    """What the outermost mean is taken of; the value itself where there is none."""
    if isinstance(value, ast.Call) and called_name(value) in _MEANS:
        return _operand(value) or value
    return value


def _is_size_of(value: ast.expr, call: ast.Call) -> bool:
    """Whether a value is the square, or the absolute value, of what a call gives and nothing else."""
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.Pow) and value.left is call
    if not isinstance(value, ast.Call) or called_name(value) not in (*_SQUARES, *_SIZES):
        return False
    return call in (*value.args[:1], getattr(value.func, "value", None))


def _wrong(where) -> Wrong:
    return Wrong(
        Text(
            "{where} 先对各输出的误差取平均，再平方：方向相反的误差互相抵消，各输出可以都不对而 loss 为 0。",
            "{where} averages the errors of the outputs before they are squared: errors on opposite sides cancel, and all "
            "outputs may be wrong at a loss of 0.",
            where=at(where),
        ),
        Text("先平方，再取平均。", "Square first, then take the mean."),
        where,
    )
