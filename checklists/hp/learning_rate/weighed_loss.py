"""Rates of a loss that other numbers of the batch weigh, as advantages do in a policy gradient (hp.01)."""

from typing import Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData


def of_weighed_loss(run_data: RunData, used: float, evidence: list, places: list) -> Finding:
    """Of a loss that other numbers of the batch weigh, as advantages do in a policy gradient: its course tells nothing of what is
    learnt, and how far the weights went is all that is known."""
    known = [one.moved.relative for one in run_data.parameters if one.requires_grad and one.kind == "weight"]
    moved = max([one for one in known if one is not None], default=None)
    if (
        moved is not None
        and moved < run_data.limit("hp.01.moved")
        and run_data.training_steps >= run_data.limit("hp.01.moved_steps")
    ):
        return problem(
            Text(
                "学习率 {used} 过小：{steps} 步训练后，权重的变化最多只有其范数的 {moved}"
                "（loss 被优势等数值加权，其走势不说明学习情况）。",
                "The learning rate of {used} is too small: {steps} steps changed the weights by {moved} of their norm at most "
                "(the loss is weighed by advantages or the like, and its trend does not tell what is learnt).",
                used=used,
                steps=run_data.training_steps,
                moved=f"{100 * moved:.2g} %",
            ),
            Text("提高学习率，或训练更多步。", "Raise the learning rate, or train for more steps."),
            evidence,
            places,
        )
    gone = _gone_since(run_data)
    if gone is not None and moved is not None and moved > run_data.limit("hp.01.moved_far"):
        return problem(
            Text(
                "学习率 {used} 过大：权重的变化达到其范数的 {moved} 倍，第 {step} 步起 loss 几乎恒为 0："
                "输出的概率已全部饱和为 0 或 1，梯度为 0。",
                "The learning rate of {used} is too large: it moved the weights by {moved} times their norm, and from step "
                "{step} on the loss is 0 nearly always: the probabilities are all 0 or 1, their gradients 0.",
                used=used,
                moved=float(f"{moved:.2g}"),
                step=gone,
            ),
            Text("把学习率降到百分之一左右再运行。", "Lower it to about a hundredth and run again."),
            evidence,
            places,
        )
    return undecided(
        Text(
            "学习率 {used}；loss 被 batch 中的其他数值（如优势）加权，它的走势和范围测试都不说明学习情况。",
            "The learning rate is {used}; other numbers of the batch, such as advantages, weigh the loss, so that neither its "
            "trend nor a range test tells what is learnt.",
            used=used if used is not None else Text("未记录", "not recorded"),
        ),
        Text(
            "看平均回报（return）随训练的变化，用几个学习率各训练一次并比较。",
            "Look at the mean return over the training, and compare short trainings with a few rates.",
        ),
        evidence,
        places,
    )


def _gone_since(run_data: RunData) -> Optional[int]:
    """The first step at which a loss is 0 that is so in most of the second half of the steps; None of any other."""
    found = run_data.once(training_losses)
    if found is None or len(found[1]) < run_data.limit("hp.01.moved_steps"):
        return None
    steps, losses = found
    gone = losses == 0
    return int(steps[np.argmax(gone)]) if gone[len(gone) // 2 :].mean() >= 0.8 and not gone[0] else None
