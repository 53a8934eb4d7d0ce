"""A pooling over all places in front of a target that is a place (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_pooled_places(run_data: RunData) -> Optional[Finding]:
    """A problem where the network pools over all places, the place of what stands out of a sample explains cg.03.placed of its
    target or more, and the training did not come cg.03.solved below a constant prediction."""
    one = run_data.probes.pooled_places
    if not one.operator or one.share is None or one.share < run_data.limit("cg.03.placed"):
        return None
    gain = unsolved_gain(run_data)
    if gain is None:
        return None
    places = [one.place] if one.place else []
    return problem(
        Text(
            "目标取决于样本中的位置：突出部分所在的位置解释了目标的 {share}，而 {operator}（{where}）把所有位置合成一个，"
            "位置信息到不了后面的层；训练只比常数预测低 {gain}。",
            "The target is where something lies: the place of what stands out explains {share} of it, and {operator} at {where} "
            "takes all places together, so that none of that reaches the layers behind it; the training ended only {gain} below "
            "a constant prediction.",
            share=percent(one.share),
            operator=one.operator,
            where=at(one.place),
            gain=percent(max(0.0, gain)),
        ),
        Text(
            "去掉全局池化，改为展平（Flatten）后接全连接层，或为输入加上坐标通道。",
            "Flatten the places in its stead and put a dense layer behind them, or give the network channels of coordinates.",
        ),
        run_data.code_at(places, Text("对所有位置的池化", "The pooling over all places")),
        places,
    )
