"""A gradient that is stopped on the prediction, and not on the target that it is compared with (cg.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def prediction_stopped(run_data: RunData) -> Optional[Finding]:
    """A problem where a loss compares a network's output, stopped, with a target of data and a network's output that is not: only
    the target learns, and moves towards what the untrained network predicts."""
    one = next(iter(run_data.probes.stopped_predictions), None)
    if one is None:
        return None
    places = [place for place in (one.place, one.compared) if place]
    return problem(
        Text(
            "{where} 处的 {name} 阻断了预测值的梯度，而与它比较的目标（由数据和网络输出组成）没有被阻断：更新只移动目标，"
            "预测值学不到数据。",
            "{name} at {where} stops the gradient of the prediction, and the target that it is compared with, made of data "
            "and a network's output, lets it through: updates move the target, and the prediction learns nothing of data.",
            name=one.operator,
            where=at(one.place),
        ),
        Text(
            "把 stop_gradient 用在目标上（例如 stop_gradient(reward + gamma * next_value)），不要用在预测值上。",
            "Stop the gradient of the target, as in stop_gradient(reward + gamma * next_value), not that of the prediction.",
        ),
        [run_data.code_at(places, Text("被阻断的预测值", "The prediction that is stopped"))],
        places,
    )
