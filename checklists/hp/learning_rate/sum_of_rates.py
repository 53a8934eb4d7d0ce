"""Plain gradient descent whose rates add up to next to nothing over the whole training (hp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.common.training.sum_of_rates import plain_way
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.dp.normalization.check import normalised
from msprec.checklists.hp.learning_rate.after_other_items import settled_first
from msprec.checklists.hp.learning_rate.summed_loss import summed_over
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def sum_of_rates(
    run_data: RunData, used: float, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where a training of hp.01.way_updates or more that came to nothing used SGD or Momentum, and its rates, times
    1/(1 - momentum), add up to less than hp.01.way, whatever else is wrong.

    After updates whose rates add up to s, gradient descent has learnt the directions whose curvature is above 1/s (LeCun et al.
    1998, section 5); with inputs, targets and a loss of usual scale the curvature is 1 at the most. None where inputs or targets
    are of another scale, the loss is summed, gradients moved each weight by hp.01.way_moved all the same, or weights were loaded.
    """
    plain = plain_way(run_data)
    if plain is None or not came_to_nothing(run_data):
        return None
    optimizer, weights, rates, way = plain
    if len(rates) < run_data.limit("hp.01.way_updates") or way >= run_data.limit("hp.01.way"):
        return None
    least = min(one.moved.relative or 0.0 for one in weights)
    if least >= run_data.limit("hp.01.way_moved") and not optimizer.weight_decay:
        return None
    if summed_over(run_data) is not None:
        return None
    if settled_first(run_data) is not None or normalised(run_data).conclusion == "problem":
        return None
    return problem(
        Text(
            "{optimizer} 的学习率 {used} 过小，与其他问题无关：{steps} 次更新的学习率之和（乘以 1/(1-momentum)）只有 {way}，"
            "只够学到 loss 弯曲得最厉害的几个方向；训练没有学到东西。",
            "The learning rate of {used} is too small for {optimizer}, whatever else is wrong: the rates of all {steps} updates, "
            "times 1/(1 - momentum), add up to {way}, in which no more than the steepest directions of a loss are learnt; "
            "nothing was.",
            optimizer=optimizer.class_,
            used=used,
            steps=len(rates),
            way=float(f"{way:.2g}"),
        ),
        Text(
            "把学习率提高十倍以上（并加动量 0.9），或改用 Adam（0.001）。",
            "Raise it ten times or more, with a momentum of 0.9, or use Adam at 0.001.",
        ),
        evidence,
        places,
    )
