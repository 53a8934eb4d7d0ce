"""A maximum or mean over the channels of a convolution in the place of one over its places (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, construct_of, own_attribute, target_names

_REDUCES = ("max", "mean", "amax", "sum", "ReduceMax", "ReduceMean", "reduce_max", "reduce_mean")
_MOVES = ("reshape", "view", "transpose", "swapaxes", "swapdims", "permute", "moveaxis", "movedim")
#: Most assignments that a value is followed through.
_DEEPEST = 3


def judge_reduced_channels(run_data: RunData) -> Optional[Finding]:
    """Problem: ``relu(self.conv(x)).max(axis=1)`` in a ``construct``, of a convolution of the class whose channels lie on axis 1,
    without ``keepdims`` and with nothing that moves axes, in a training that ended with more than cg.03.solved of the constant's
    loss, or came to nothing; else None. What each filter has found is lost, and only where any has found something is kept."""
    gain = unsolved_gain(run_data)
    if gain is None and not came_to_nothing(run_data):
        return None
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.ClassDef):
            call = next(_over_channels(node), None)
            if call is not None:
                where = place(file, call.lineno)
                return problem(
                    Text(
                        "{where} 对卷积的输出沿第 1 轴（通道）做 {name}：各卷积核找到了什么就此丢失，只剩位置；而训练{ended}。",
                        "{where} takes the {name} along axis 1 of what a convolution gives, its channels: what each filter has "
                        "found is lost, and only the place is kept; and the training {ended}.",
                        where=at(where),
                        name=called_name(call),
                        ended=_ended(gain),
                    ),
                    Text(
                        "对位置所在的轴做池化（Conv1d 的第 2 轴，Conv2d 的第 2、3 轴）。",
                        "Reduce over the places: axis 2 of a Conv1d, axes 2 and 3 of a Conv2d.",
                    ),
                    run_data.code_at([where], Text("沿通道的归约", "The reduction over channels")),
                    [where],
                )
    return None


def _ended(gain: Optional[float]) -> Text:
    if gain is None:
        return Text("没有学到东西", "came to nothing")
    return Text(
        "结束时 loss 只比常数预测低 {gain}",
        "ended only {gain} below the loss of a constant prediction",
        gain=percent(max(gain, 0.0)),
    )


def _over_channels(node: ast.ClassDef) -> Iterator[ast.Call]:
    construct = construct_of(node)
    if construct is None:
        return
    layers = {
        own_attribute(target)
        for one in ast.walk(node)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)
        if called_name(one.value) in ("Conv1d", "Conv2d")
        for target in one.targets
    } - {""}
    for call in ast.walk(construct) if layers else ():
        if isinstance(call, ast.Call) and called_name(call) in _REDUCES:
            value = call.func.value if isinstance(call.func, ast.Attribute) else None
            of_module = isinstance(value, ast.Name) and value.id in ("ops", "mint", "P", "F")
            given = call.args[:1] if value is None or of_module else [value]
            axes = call.args[1:] if value is None or of_module else call.args
            if given and _axis(call, axes) == 1 and _of_convolution(construct, given[0], layers, 0):
                yield call


def _axis(call: ast.Call, axes: list) -> Optional[int]:
    """The axis that is written as a number; None where there is none, or the axis is kept."""
    words = {one.arg: one.value for one in call.keywords}
    kept = next((words[name] for name in ("keepdims", "keep_dims", "keepdim") if name in words), None)
    if kept is not None and not (isinstance(kept, ast.Constant) and not kept.value):
        return None
    given = words.get("axis") or words.get("dim") or (axes[0] if len(axes) == 1 else None)
    return given.value if isinstance(given, ast.Constant) and type(given.value) is int else None


def _of_convolution(construct: ast.FunctionDef, value: ast.expr, layers: set, depth: int) -> bool:
    """Whether a value is what one of these layers gave, through calls of one argument, and by names that are given one value, or
    more of themselves, as ``y = relu(y)``."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, ast.Name):
        assigns = [one for one in ast.walk(construct) if isinstance(one, ast.Assign)]
        given = [one for one in assigns if value.id in bound_names(one.targets)]
        before = [one for one in given if one.lineno < value.lineno]
        one_value = all(value.id in target_names(one.value) for one in given[1:])
        return bool(before) and one_value and _of_convolution(construct, before[-1].value, layers, depth + 1)
    if not isinstance(value, ast.Call) or called_name(value) in _MOVES:
        return False
    if own_attribute(value.func) in layers:
        return True
    return len(value.args) == 1 and _of_convolution(construct, value.args[0], layers, depth)
