"""A recurrent layer of which the first step alone counts (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.cg.connectivity.recurrent_axes import recurrent_outputs, taken_at
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names

#: Weights from one step to the next, as MindSpore's own recurrent layers name them, and those from the inputs.
_RECURRENT, _OF_INPUTS = re.compile(r"(^|\.)weight_hh\w*$"), "weight_ih"
#: Where the first step of a sequence is taken, or the last, which is the first that a reverse direction reads.
_STEP = r"\w\[\s*(:\s*,\s*)?{}\s*(,[\w\s.*/+-]*:[\w\s.*/+-]*)*(,\s*\.\.\.\s*)?\]"
_REVERSE = "_reverse"
_LAYER = r"\bnn\.(LSTM|GRU|RNN)\w*\("
_TAKE_LAST = Text(
    "取最后一步（batch_first=True 时为 out[:, -1]）或最终的隐状态，双向时取两个方向各自的最终隐状态；"
    "序列应为 (batch, 步数, 特征)。",
    "Take the last step (out[:, -1] with batch_first=True) or the final state, of two directions that of each; sequences "
    "are (batch, steps, features).",
)


def judge_first_step(run_data: RunData) -> Optional[Finding]:
    """The finding where no update changed the weights from one step to the next, and those from the inputs have learnt; or where
    of what a recurrent layer of one direction gives the first step alone is read."""
    moved = {one.name: one.moved.any for one in run_data.parameters if one.in_optimizer and one.name}
    stuck = [name for name, any_ in moved.items() if any_ is False and _RECURRENT.search(name)]
    stuck = [name for name in stuck if moved.get(name.replace("weight_hh", _OF_INPUTS))]
    if not stuck:
        return _first_alone(run_data)
    reverse = all(name.endswith(_REVERSE) for name in stuck)
    layers, first = run_data.find_lines(_LAYER, 2), _in_networks(run_data, _STEP.format("-1" if reverse else "0"))
    return problem(
        Text(
            "循环层只有第一个时间步起作用：从上一步到下一步的权重 {name} 从未得到梯度，而从输入来的权重在学习。"
            "之后用到的是第一步的输出，或者每个序列只有一步。",
            "Of a recurrent layer the first step alone counts: its weights from one step to the next, {name}, never got a "
            "gradient, and those from the inputs have learnt. Either the output of the first step is what is used, or each "
            "sequence is one step long.",
            name=stuck[0],
        ),
        _TAKE_LAST,
        run_data.code_at([*first, *layers], Text("循环层与它的输出", "The recurrent layer and its output")),
        [*first, *layers],
    )


def _first_alone(run_data: RunData) -> Optional[Finding]:
    """The problem of ``output[:, 0]``, which has seen the first value of each sequence, where nothing else is read of ``output``
    or of the layer's state."""
    for file, construct, name, layer in recurrent_outputs(run_data):
        axis = 1 if layer.batch_first else 0
        lines = [] if layer.both_ways else taken_at(construct, name, axis, "0")
        read = [one for one in ast.walk(construct) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
        if lines and len(lines) == [one.id for one in read].count(name) and not _reads_state(construct, name, read):
            return _of_first(run_data, layer.kind, [place(file, lines[0]), place(file, layer.line)])
    return None


def _reads_state(construct: ast.FunctionDef, name: str, read: list) -> bool:
    """Whether what is bound beside ``name``, ``output, (h, c) = self.lstm(x)``, is read."""
    stores = [one for one in ast.walk(construct) if isinstance(one, ast.Assign) and name in bound_names(one.targets)]
    beside = {other for one in stores for other in bound_names(one.targets)} - {name}
    return bool(beside & {one.id for one in read})


def _of_first(run_data: RunData, kind: str, places: list) -> Finding:
    return problem(
        Text(
            "{taken} 只取了 {kind} 第一个时间步的输出：它只看过每个序列的第一个值，其余各步都不起作用。",
            "At {taken} the output of the first step of the {kind} alone is taken: it has seen the first value of each sequence, "
            "and all later ones count for nothing.",
            taken=at(places[0]),
            kind=kind,
        ),
        _TAKE_LAST,
        [run_data.code_at(places, Text("循环层与它的输出", "The recurrent layer and its output"))],
        places,
    )


def _in_networks(run_data: RunData, pattern: str) -> list:
    """Lines of networks' own classes that take the first, or last, of something along an axis."""
    return [one for one in run_data.find_lines(pattern, 8) if run_data.source.in_construct(one.file, one.line)][:2]
