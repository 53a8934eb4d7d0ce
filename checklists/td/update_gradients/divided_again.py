"""Sums of gradients that are divided by more than the batches they are of (td.04)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: What brings a loss scale in and out by hand.
_SCALERS = r"(?i)scaler|unscale|loss_?scale|sens_param"
#: How a loss is reduced of which a sum over batches has to be divided by their number alone.
_MEANS = ("mean", "batch_mean")


def divided_again(run_data: RunData, explained: list, evidence: list) -> Optional[Finding]:
    """Problem: each update is given the sum of the gradients of several batches, each a mean, divided by a whole multiple of
    their number, two times it or more, in a training that did not come td.04.solved below a constant prediction.

    Args:
        run_data: The run; of an optimizer whose updates follow the size of gradients, and of no loss scale.
        explained: The updates that the computed gradients explain.
        evidence: What is shown.
    """
    parts = {one.parts for one in explained}
    if len(explained) < 2 or len(parts) != 1 or (count := parts.pop() or 1) < 2 or not _of_a_mean(run_data):
        return None
    factors = [one.factor for one in explained]
    times = round(1 / (factors[0] * count)) if factors[0] > 0 else 0
    near = run_data.limit("td.04.equal")
    if times < 2 or any(abs(one * count * times - 1) > near for one in factors):
        return None
    gain = learning_outcome(run_data).gain
    if gain is None or gain >= run_data.limit("td.04.solved"):
        return None
    place = run_data.probes.gradients.place
    return problem(
        Text(
            "每次更新使用 {parts} 个 batch 的梯度之和再除以 {divisor}：每个 loss 已是平均值，只应除以 {parts}；"
            "相当于学习率除以 {times}。",
            "Each update takes the sum of the gradients of {parts} batches divided by {divisor}; each loss is a mean, and "
            "{parts} is all there is to divide by: as if the learning rate were {times} times smaller.",
            parts=count,
            divisor=count * times,
            times=times,
        ),
        Text("把累积的梯度除以 {parts}。", "Divide the sum by {parts}.", parts=count),
        evidence,
        [place] if place else [],
    )


def _of_a_mean(run_data: RunData) -> bool:
    """Whether the one loss is a mean over its batch, which nothing divides or scales."""
    losses, gradients = run_data.probes.losses, run_data.probes.gradients
    mean = len(losses) == 1 and (losses[0].equals or losses[0].settings.get("reduction")) in _MEANS
    return mean and gradients.loss_divided is False and not run_data.find_lines(_SCALERS, 1)
