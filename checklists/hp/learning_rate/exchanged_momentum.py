"""The learning rate and the momentum in each other's place (hp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.setting_origin import MOMENTUM, RATE, argument_origin
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def exchanged_momentum(run_data: RunData, optimizers: list, evidence: list) -> Optional[Finding]:
    """The problem where an optimizer has a constant rate of hp.01.as_momentum or more, below 1, and a momentum above 0 of at most
    hp.01.as_rate, in a training that did not come down to hp.01.converged of a constant prediction's loss: nobody sets a momentum
    to that, and it is a usual rate."""
    gain = learning_outcome(run_data).gain
    if gain is not None and gain >= 1 - run_data.limit("hp.01.converged"):
        return None
    for optimizer in optimizers:
        rate, momentum = optimizer.learning_rate.value, optimizer.momentum
        if rate is None or not isinstance(momentum, (int, float)):
            continue
        exchanged = run_data.limit("hp.01.as_momentum") <= rate < 1 and 0 < momentum <= run_data.limit("hp.01.as_rate")
        if not exchanged:
            continue
        name = optimizer.class_ or ""
        written = [
            one for wanted in (RATE, MOMENTUM) for one in argument_origin(run_data, optimizer.place, wanted, name)
        ]
        return problem(
            Text(
                "{name} 的学习率为 {rate}，动量为 {momentum}：两个值很可能写反了（先是 learning_rate，后是 momentum）。",
                "{name} has a learning rate of {rate} and a momentum of {momentum}: most likely the two are in each other's "
                "place (learning_rate comes first, then momentum).",
                name=name,
                rate=float(f"{rate:.6g}"),
                momentum=float(f"{momentum:.6g}"),
            ),
            Text("交换两个值。", "Exchange the two."),
            evidence,
            [optimizer.place, *written],
        )
    return None
