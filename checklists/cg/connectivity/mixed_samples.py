"""A network whose result for a sample depends on the other samples of its batch (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, target_names

#: How a parameter is called that tells whether a training goes on.
_MODE = re.compile(r"train|infer|eval|test|phase|mode", re.IGNORECASE)
_RECURRENT = ("lstm", "gru", "rnn")
#: What divides or subtracts along an axis; an operation that shares features between samples on purpose is another.
_ALONG_AN_AXIS = (
    "softmax",
    "logsoftmax",
    "l2normalize",
    "l2norm",
    "normalize",
    "layernorm",
    "sub",
    "subext",
    "div",
    "divext",
    "realdiv",
    "truedivide",
    "divide",
    "truediv",
)

_BATCH_FIRST = Text(
    "循环层把第 0 轴当作时间：输入为 (batch, time, feature) 时写 batch_first=True，否则先交换前两轴。",
    "The recurrent layer takes axis 0 for the time: for inputs of (batch, time, feature) write batch_first=True, or exchange the "
    "first two axes before it.",
)


def judge_mixed_samples(run_data: RunData) -> Optional[Finding]:
    """The finding on an operation along the axis of the samples, where that axis is known to be theirs: the pipeline's batches
    are as long, or the step has one label for each place of it."""
    one = run_data.probes.mixed_samples
    name = re.sub(r"[^a-z0-9]", "", (one.name or "").lower())
    recurrent = any(word in name for word in _RECURRENT)  # MindSpore's classes inside LSTM have names of their own
    if name not in _ALONG_AN_AXIS and not recurrent:
        return None
    batches = {dataset.batch_size for dataset in run_data.datasets_of("train")}
    if one.rows not in batches and not one.one_label:
        return None
    if _mode_is_given(run_data, one.place):
        return None
    places = [*_made(run_data, one), one.place, one.created]
    places = [at for at in places if at]
    return problem(
        Text(
            "样本之间互相影响：推理模式下，把 batch（{rows} 个样本）中的一个样本换掉，{operator} 的结果对其余样本也变了："
            "它沿样本轴（第 0 轴）计算，单个样本的预测取决于同批的其他样本。",
            "A sample's result depends on the other samples of its batch: in inference mode, with one of the {rows} samples "
            "replaced, {operator} gives other results for the rest too. It goes along the axis of the samples (axis 0), and "
            "what is predicted for a sample changes with the batch that it comes in.",
            rows=one.rows,
            operator=one.operator,
        ),
        _BATCH_FIRST
        if recurrent
        else Text(
            "沿特征轴计算（axis=-1 或 axis=1），均值与标准差也只在特征轴上求；要按 batch 归一化时用 BatchNorm。",
            "Let it go along the features (axis=-1 or axis=1), and take means and deviations along them too; to normalise by "
            "the batch use BatchNorm.",
        ),
        run_data.code_at(places, Text("沿样本轴的运算", "What goes along the samples")),
        places,
    )


def _mode_is_given(run_data: RunData, where: Fact) -> bool:
    """Whether the function asks one of its own parameters for the mode, as a batch normalisation of one's own does: what it does
    along the samples while it trains says nothing of inference."""
    function = run_data.source.function_around(where.file, where.line) if where.file and where.line else None
    if function is None:
        return False
    asked = [one.test for one in ast.walk(function) if isinstance(one, (ast.If, ast.IfExp))]
    names = {name for test in asked for name in target_names(test)}
    return any(_MODE.search(one.arg) for one in function.args.args if one.arg in names)


def _made(run_data: RunData, one: Fact) -> list:
    """Where an operation that is an attribute, ``self.norm(x)``, was made."""
    file, line = one.place.file, one.place.line
    around = run_data.source.class_around(file, line) if file in run_data.source.trees and line else None
    if around is None:
        return []
    calls = [node for node in ast.walk(around) if isinstance(node, ast.Call) and node.lineno == line]
    attributes = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    return [
        place(file, node.lineno)
        for node in ast.walk(around)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and called_name(node.value).lower() == one.operator.lower()
        and any(isinstance(target, ast.Attribute) and target.attr in attributes for target in node.targets)
    ]
