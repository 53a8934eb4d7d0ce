"""Gradients that are clipped so far that no number of such updates moves the weights (td.04)."""

import ast
import math
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.setting_origin import CLIPPING, argument_origin
from msprec.checklists.common.training.sum_of_rates import plain_way
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, plain_number

_CLIPS = ("clip_by_global_norm", "clip_grad_norm_", "clip_grad_norm")


def clipped_way(run_data: RunData) -> Optional[Finding]:
    """The problem of a training by SGD or Momentum that came to nothing, whose gradients are clipped to a global norm c by a
    number that the code has, or that two updates were seen to be brought to: all its updates in one direction, the sum of the
    rates times c and 1/(1 - momentum), are less than td.04.way of the norm that the weights began with."""
    plain = plain_way(run_data)
    if plain is None:
        return None
    _, weights, _, way = plain
    squares = [(one.size or 0) * ((one.initial.mean or 0.0) ** 2 + (one.initial.std or 0.0) ** 2) for one in weights]
    norm = math.sqrt(sum(squares))
    for clip, places in _clips(run_data):
        if norm and way * clip < run_data.limit("td.04.way") * norm and came_to_nothing(run_data):
            return _finding(run_data, clip, way * clip / norm, places)
    return None


def _clips(run_data: RunData) -> Iterator[tuple]:
    """``(norm, places)`` of the calls that clip to a number: it is written there, given to a name once, or was seen."""
    for file, call in run_data.source.calls_anywhere(_CLIPS):
        words = {one.arg: one.value for one in call.keywords}
        given = words.get("clip_norm", words.get("max_norm", call.args[1] if len(call.args) > 1 else None))
        value = run_data.source.only_value(file, given.id) if isinstance(given, ast.Name) else given
        number = (plain_number(value) if value is not None else None) or _seen(run_data)
        where = place(file, call.lineno)
        if number:
            yield number, [where, *argument_origin(run_data, where, CLIPPING, called_name(call), number)]


def _seen(run_data: RunData) -> Optional[float]:
    """The norm that the gradients of two updates or more were brought to, from norms that were larger."""
    updates = [one for one in run_data.probes.gradients.updates if one.given_norm and one.computed_norm]
    norms = [one.given_norm for one in updates if one.computed_norm > 1.5 * one.given_norm]
    same = len(norms) >= 2 and len(norms) == len(updates) and max(norms) - min(norms) < 1e-4 * max(norms)
    return float(f"{norms[0]:.4g}") if same else None


def _finding(run_data: RunData, norm: float, share: float, places: list) -> Finding:
    return problem(
        Text(
            "梯度被裁剪到全局范数 {norm}：以这样的学习率，全部更新即使朝同一方向，也只能使权重改变其范数的 {share}，"
            "训练没有学到东西。",
            "Gradients are clipped to a global norm of {norm}: at these rates all updates, in one direction, could have moved "
            "the weights by {share} of their norm, and nothing was learnt.",
            norm=norm,
            share=f"{100 * share:.2g} %",
        ),
        Text("把裁剪的范数提高到 1 左右，或去掉裁剪。", "Clip to a norm of about 1, or not at all."),
        [run_data.code_at(places, Text("裁剪处", "Where gradients are clipped"))],
        places,
    )
