"""A momentum that forgets nothing in the course of the whole training (hp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.setting_origin import MOMENTUM, argument_origin
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def lasting_momentum(run_data: RunData, optimizers: list, evidence: list) -> Optional[Finding]:
    """The problem where a momentum m above hp.01.forgets is used for fewer updates than the 1 / (1 - m) for which a gradient
    counts (Goh 2017): the steps then grow from the first update to the last, to as many times the learning rate; or where one of
    hp.01.usual_momentum or more was used in a training that came to nothing."""
    for optimizer in optimizers:
        momentum, updates = optimizer.momentum, _updates(optimizer)
        if momentum is None or not momentum < 1 or updates is None or updates < run_data.limit("hp.01.min_steps"):
            continue
        lasts = 1 / (1 - momentum)
        forgets = lasts <= updates or momentum <= run_data.limit("hp.01.forgets")
        if forgets and not (momentum >= run_data.limit("hp.01.usual_momentum") and came_to_nothing(run_data)):
            continue
        return problem(
            Text(
                "动量 {momentum} 过大：每个梯度影响此后约 {lasts} 次更新，而训练只有 {updates} 次，梯度一直累加，"
                "步长可达学习率的 {lasts} 倍。",
                "The momentum of {momentum} is too large: each gradient counts for about {lasts} updates, and the training has "
                "{updates}; gradients add up over as many, to steps of up to {lasts} times the rate.",
                momentum=float(f"{momentum:.6g}"),
                lasts=round(lasts),
                updates=updates,
            ),
            Text("把动量设为 0.9 左右再运行。", "Set the momentum to about 0.9 and run again."),
            evidence,
            [optimizer.place, *argument_origin(run_data, optimizer.place, MOMENTUM, optimizer.class_ or "")],
        )
    return None


def _updates(optimizer) -> Optional[int]:
    """Of an optimizer its own count, else the steps that it took part in."""
    if optimizer.updates is not None:
        return optimizer.updates
    return optimizer.steps[1] - optimizer.steps[0] + 1 if len(optimizer.steps) == 2 else None
