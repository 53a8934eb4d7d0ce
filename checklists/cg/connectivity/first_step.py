"""A recurrent layer of which the first step alone counts (cg.03)."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: Weights from one step to the next, as MindSpore's own recurrent layers name them, and those from the inputs.
_RECURRENT, _OF_INPUTS = re.compile(r"(^|\.)weight_hh\w*$"), "weight_ih"
#: Where the first step of a sequence is taken, or the last, which is the first that a reverse direction reads.
_STEP = r"\w\[\s*(:\s*,\s*)?{}\s*(,[\w\s.*/+-]*:[\w\s.*/+-]*)*(,\s*\.\.\.\s*)?\]"
_REVERSE = "_reverse"
_LAYER = r"\bnn\.(LSTM|GRU|RNN)\w*\("


def judge_first_step(run_data: RunData) -> Optional[Finding]:
    """The finding where no update changed the weights from one step to the next, and those from the inputs have learnt."""
    moved = {one.name: one.moved.any for one in run_data.parameters if one.in_optimizer and one.name}
    stuck = [name for name, any_ in moved.items() if any_ is False and _RECURRENT.search(name)]
    stuck = [name for name in stuck if moved.get(name.replace("weight_hh", _OF_INPUTS))]
    if not stuck:
        return None
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
        Text(
            "取最后一步（batch_first=True 时为 out[:, -1]）或最终的隐状态，双向时取两个方向各自的最终隐状态；"
            "序列应为 (batch, 步数, 特征)。",
            "Take the last step (out[:, -1] with batch_first=True) or the final state, of two directions that of each; sequences "
            "are (batch, steps, features).",
        ),
        run_data.code_at([*first, *layers], Text("循环层与它的输出", "The recurrent layer and its output")),
        [*first, *layers],
    )


def _in_networks(run_data: RunData, pattern: str) -> list:
    """Lines of networks' own classes that take the first, or last, of something along an axis."""
    return [one for one in run_data.find_lines(pattern, 8) if run_data.source.in_construct(one.file, one.line)][:2]
