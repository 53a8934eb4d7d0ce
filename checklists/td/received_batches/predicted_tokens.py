"""Targets of a language model that lie further ahead than the next token (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def targets_too_far_ahead(run_data: RunData) -> Optional[Finding]:
    """A problem where each output of a step's cross entropies is held against a token two places ahead or more, and none against
    the next one: the targets have been shifted twice, once where data are prepared and once more before the loss."""
    losses = [one for one in run_data.probes.predicted_tokens if one.ahead is not None]
    if not losses or min(one.ahead for one in losses) < 2:
        return None
    loss = losses[0]
    places = [one for one in (loss.picked, loss.place, *map(first_place, train_sets(run_data))) if one]
    return problem(
        Text(
            "每个位置的输出与其后第 {ahead} 个 token 比较，而不是下一个：目标被移位了两次（准备数据时一次，计算 loss 前又一次），"
            "网络学的是跳过一个 token 的预测。",
            "The output of each place is held against the token {ahead} places on, not the next one: the targets were shifted "
            "more than once, where data are prepared and again before the loss, and the network learns to leave tokens out.",
            ahead=int(loss.ahead),
        ),
        Text(
            "只移位一次：要么数据集给出移位后的目标，要么 loss 内移位。",
            "Shift once: either the data set gives the shifted targets, or the loss shifts them.",
        ),
        [run_data.code_at(places, Text("目标的移位", "Where targets are shifted"))],
        places,
    )
