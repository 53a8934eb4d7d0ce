"""Rates of a loss that other numbers of the batch weigh, as advantages do in a policy gradient (hp.01)."""

from typing import Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData

#: Share of the first gradients' norm; sound policy gradients keep a third, or end with more.
_LOST = 0.01


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
    gone = _gone_since(run_data) or _faded_since(run_data)
    if gone is not None and moved is not None and moved > run_data.limit("hp.01.moved_far"):
        step, what = gone
        return problem(
            Text(
                "学习率 {used} 过大：权重的变化达到其范数的 {moved} 倍，第 {step} 步起{what}："
                "输出的概率已饱和为 0 或 1，几乎没有梯度。",
                "The learning rate of {used} is too large: it moved the weights by {moved} times their norm, and from step "
                "{step} on {what}: the probabilities are 0 or 1, with hardly any gradient.",
                used=used,
                moved=float(f"{moved:.2g}"),
                step=step,
                what=what,
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


_ZERO = Text("loss 几乎恒为 0", "the loss is 0 nearly always")
_FADED = Text(
    "梯度的范数通常不到训练开始时的 3 %",
    "the norm of the gradients is mostly less than 3 % of what it was at the start",
)


def _gone_since(run_data: RunData) -> Optional[tuple]:
    """``(step, what)``: the first step at which a loss is 0 that is so in most of the second half of the steps; None of any
    other."""
    found = run_data.once(training_losses)
    if found is None or len(found[1]) < run_data.limit("hp.01.moved_steps"):
        return None
    steps, losses = found
    gone = losses == 0
    return (int(steps[np.argmax(gone)]), _ZERO) if gone[len(gone) // 2 :].mean() >= 0.8 and not gone[0] else None


def _faded_since(run_data: RunData) -> Optional[tuple]:
    """``(step, what)`` where the gradients fell to a hundredth of those of the first sampled steps within the first tenth of the
    training, and stayed as small mostly: a policy that was drawn to one action before it had seen what others bring."""
    squares: dict = {}
    for row in run_data.gradients():
        if row.get("step") is not None and row.get("norm") is not None:
            squares[int(row["step"])] = squares.get(int(row["step"]), 0.0) + float(row["norm"]) ** 2
    steps = sorted(squares)
    norms = np.sqrt([squares[step] for step in steps])
    if len(steps) < 6 or not np.isfinite(norms).all():
        return None
    first = float(np.median(norms[:2]))
    low = [step for step, norm in zip(steps, norms) if norm < _LOST * first]
    if not low or low[0] > max(steps[1], run_data.training_steps / 10):
        return None
    return (low[0], _FADED) if float(np.median(norms[steps.index(low[0]) :])) < 3 * _LOST * first else None
