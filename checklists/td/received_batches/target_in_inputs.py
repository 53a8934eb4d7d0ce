"""Targets that stand among the inputs (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.array_origin import input_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def target_in_inputs(run_data: RunData) -> Optional[Finding]:
    """A problem where one number of each sample's inputs is its target and the loss changes with it; None where none is."""
    facts = run_data.probes.target_in_inputs
    if facts.samples is None:
        return None
    places = input_origins(run_data, facts.input or 0)
    places += input_origins(run_data, facts.target)[:2] if facts.target is not None else []
    return problem(
        _in_window(facts)
        if facts.steps is not None
        else Text(
            "目标就在输入里：{n} 个样本中，第 {input} 个输入的第 {column} 个数（序列则为最后一步的第几个）都等于目标，"
            "loss 随它变化。网络只需照抄；真正使用时没有这个数。",
            "The target is among the inputs: in all {n} samples that were compared, number {column} of input {input} (of a "
            "sequence: of its last step) equals the target, and the loss changes with it. The network only has to copy it, and "
            "no such number is there when the network is used.",
            n=facts.samples,
            input=(facts.input or 0) + 1,
            column=(facts.column or 0) + 1,
        ),
        Text(
            "去掉这一列；若输入是时间窗，则让窗口在目标之前结束。",
            "Take this column out of the inputs; let a window of a series end before its target.",
        ),
        run_data.code_at(places[:2], Text("输入的来处", "Where the inputs are made")),
        places,
    )


def _in_window(facts: Fact) -> Text:
    return Text(
        "目标就在输入的窗口里：{n} 个样本中，每个样本的 {all} 个目标里前 {steps} 个都等于第 {input} 个输入的最后 {steps} 步"
        "（第 {column} 个数），loss 随它们变化。网络只需照抄；真正预测时还没有这些数。",
        "The target lies in the window of the inputs: in all {n} samples that were compared, the first {steps} of {all} "
        "targets are the last {steps} steps of input {input} (number {column} of each), and the loss changes with them. The "
        "network only has to copy them, and they are not there yet when it forecasts.",
        n=facts.samples,
        all=facts.of_targets,
        steps=facts.steps,
        input=(facts.input or 0) + 1,
        column=(facts.column or 0) + 1,
    )
