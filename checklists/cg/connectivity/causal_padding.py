"""A causal convolution that pads on both sides, and so sees what comes after (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.array_origin import argument_of
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, plain_number

_CAUSAL = re.compile(r"causal", re.IGNORECASE)
#: What pads by itself, or hides what comes after: the class looks after it.
_LOOKS_AFTER = re.compile(r"pad|concat|(^|_)cat$|roll|tri[lu]|mask", re.IGNORECASE)


def judge_causal_padding(run_data: RunData) -> Optional[Finding]:
    """Problem: a class of the script's that is called causal, and that trains here, makes a ``nn.Conv1d`` wider than one place
    with MindSpore's own ``pad_mode="same"``, which pads both sides, and neither pads nor masks by itself; else None."""
    used = {cell.class_ or "" for network in run_data.networks for cell in network.cells}
    lines = [
        place(file, call.lineno)
        for name in sorted(used)
        if _CAUSAL.search(name)
        for file, node in run_data.source.classes(name)
        if not _looks_after(node)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and called_name(call) == "Conv1d" and _sees_both_sides(call)
    ]
    if not lines:
        return None
    return problem(
        Text(
            "名为因果的卷积在两侧补齐：nn.Conv1d 的 pad_mode 默认为 'same'（与 PyTorch 不同），每个位置的输出也取决于其后的输入；"
            "目标若在其中，训练时看得到，预测时没有。",
            "A convolution that is called causal pads on both sides: pad_mode of nn.Conv1d is 'same' by default (not so in "
            "PyTorch), and what it gives at a place depends on what comes after. Where the targets lie there, it sees them in "
            "training, and has none when it predicts.",
        ),
        Text(
            "写 pad_mode='pad', padding=(kernel_size - 1) * dilation，再切掉末尾多出的部分；或先在左侧补齐并用 'valid'。",
            "Write pad_mode='pad', padding=(kernel_size - 1) * dilation, and cut what is too much at the end; or pad on the left "
            "first, with pad_mode='valid'.",
        ),
        run_data.code_at(lines, Text("两侧补齐的卷积", "The convolution that pads both sides")),
        lines,
    )


def _looks_after(node: ast.ClassDef) -> bool:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return any(_LOOKS_AFTER.search(called_name(one)) for one in calls)


def _sees_both_sides(call: ast.Call) -> bool:
    """Whether it is wider than one place and its mode is "same", as it is by default."""
    width, mode = argument_of(call, "kernel_size", 2), argument_of(call, "pad_mode", 4)
    same = mode is None or (isinstance(mode, ast.Constant) and mode.value == "same")
    known = all(one.arg for one in call.keywords)
    return width is not None and plain_number(width) != 1 and same and known
