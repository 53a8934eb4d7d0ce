"""Targets of a language model that lie further ahead than the next token, or that its input shows (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.array_origin import array_origins
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


def guessed_tokens_shown(run_data: RunData) -> Optional[Finding]:
    """A problem where a cross entropy counts some places of a text alone, each with the token that the input holds at that very
    place, and the places that it leaves out hold td.05.tokens_left_out different tokens or more, which padding does not: what a
    masked language model is to guess was never hidden."""
    for loss in run_data.probes.predicted_tokens:
        if loss.ahead == 0 and (loss.left_out or 0) >= run_data.limit("td.05.tokens_left_out"):
            sets = train_sets(run_data)
            origins = [at for one in sets for column in one.columns[:1] for at in array_origins(run_data, one, column)]
            places = [one for one in (*map(first_place, sets), *origins, loss.place) if one]
            return problem(
                Text(
                    "loss 只计入部分位置，而输入在这些位置上正是要预测的 token：没有遮盖任何内容，网络只需照抄。",
                    "The loss counts some places alone, and the input holds in each of them the very token that is to be "
                    "predicted: nothing is hidden, and the network has only to copy.",
                ),
                Text(
                    "把遮盖后的序列（而不是原序列）作为输入。",
                    "Give the network the sequence in which these tokens are masked, and not the plain one.",
                ),
                [run_data.code_at(places, Text("输入与目标", "Input and targets"))],
                places,
            )
    return None
