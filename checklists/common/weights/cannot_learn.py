"""Weights that learn at no rate and in no number of epochs, after which rate and epochs are for judging (hp.01, hp.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.weights.constant_initialization import starts
from msprec.checklists.common.weights.frozen_as_drawn import frozen_as_drawn
from msprec.checklists.common.weights.unregistered_cells import several_unregistered
from msprec.checklists.common.weights.weight_updates import sort_parameters
from msprec.engine.finding import Finding, undecided
from msprec.engine.run_data import RunData

THE_RATE, THE_EPOCHS = Text("学习率", "the rate"), Text("训练轮数", "the number of epochs")


def cannot_learn(run_data: RunData, what: Text) -> Optional[tuple]:
    """``(why, item)`` where weights cannot learn, so that what helps the others says little of ``what``.

    Args:
        what: `THE_RATE` or `THE_EPOCHS`.
    """
    left_out = run_data.once(sort_parameters).left_out
    if several_unregistered(run_data) or any(one.kind == "weight" for one in left_out):
        why = Text(
            "有可训练的权重不在优化器中（cg.02）：它们怎样都不会学习，{what}要在改正之后再判断",
            "Trainable weights are not in the optimizer (cg.02) and do not learn at all, so {what} is for judging after that",
            what=what,
        )
        return why, "cg.02"
    if run_data.once(frozen_as_drawn)[0]:
        why = Text(
            "有权重被冻结在随机的初始值（cg.02）：它们怎样都不会学习，{what}要在改正之后再判断",
            "Weights are frozen as they were drawn (cg.02) and do not learn at all, so {what} is for judging after that",
            what=what,
        )
        return why, "cg.02"
    if starts_alike(run_data):
        why = Text(
            "多数权重从同一个常数开始（wi.01）：各单元始终相同，{what}要在改正之后再判断",
            "Most weights start at one constant (wi.01) and their units stay alike, so {what} is for judging after that",
            what=what,
        )
        return why, "wi.01"
    return None


def starts_alike(run_data: RunData) -> bool:
    """Whether half of the weights or more start at one constant, without an excuse for it (wi.01)."""
    weights = starts(run_data.parameters)
    alike = [one for one in weights if one.state and not one.excuse]
    return bool(alike) and 2 * len(alike) >= len(weights)


def judged_after(found: Finding, why: Text, item_id: str) -> Finding:
    """The finding on what is for judging after what another item says."""
    made = undecided(
        Text("{why}：{says}", "{why}: {says}", why=why, says=found.summary),
        Text("先按 {item} 改正，再运行一次。", "Do what {item} says, and run again.", item=item_id),
        found.evidence,
    )
    made.locations = found.locations
    return made
