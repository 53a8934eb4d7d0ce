"""Weights that are clipped to a small range after each update (td.04)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.call_sites import in_loop
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.reinforcement import has_adversary
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_SETS, _CLIPS = ("set_data", "assign", "assign_value"), ("clamp", "clip", "clip_by_value")
#: Gain over a constant prediction, and share of the weights that end at both ends of one range.
_LITTLE, _MOST = 0.5, 0.5


def clipped_weights(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop writes clipped values to the weights, most of them end at both ends of one range, and the training
    came less than half way below a constant prediction; not of a critic, whose weights are clipped on purpose (Arjovsky,
    Chintala and Bottou 2017)."""
    gain = learning_outcome(run_data).gain
    if gain is None or gain >= _LITTLE or has_adversary(run_data):
        return None
    ends = [one.final for one in run_data.parameters if one.kind == "weight" and one.final.max]
    held = [one for one in ends if one.min == -one.max and one.max == ends[0].max]
    lines = _written_clipped(run_data) if len(held) >= max(1, _MOST * len(ends)) else []
    return _finding(run_data, ends[0].max, lines) if lines else None


def _written_clipped(run_data: RunData) -> list:
    """Where a loop calls ``w.set_data(clip(w, …))``."""
    return [
        where
        for file, call in run_data.source.calls_anywhere(_SETS)
        if in_loop(run_data, where := place(file, call.lineno))
        if any(isinstance(one, ast.Call) and called_name(one) in _CLIPS for arg in call.args for one in ast.walk(arg))
    ]


def _finding(run_data: RunData, end: float, places: list) -> Finding:
    return problem(
        Text(
            "{where} 在每次更新之后把权重截断到 ±{end} 之内，权重停在这一范围的两端，训练没有学到多少。",
            "{where} clips the weights to ±{end} after each update: they end at both ends of that range, and the training learnt "
            "little.",
            where=at(places[0]),
            end=float(f"{end:.4g}"),
        ),
        Text("去掉对权重的截断；要限制的是梯度。", "Take the clipping of weights away; gradients are what is clipped."),
        run_data.code_at(places, Text("截断之处", "Where they are clipped")),
        places,
    )
