"""A pooling over all places in front of a target that is a place (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def judge_pooled_places(run_data: RunData) -> Optional[Finding]:
    """A problem where the network pools over all places, the place of what stands out of a sample explains cg.03.placed of its
    target or more, and the training did not come cg.03.solved below a constant prediction; or where a single convolution stands
    before that pooling, the place explains cg.03.placed_in_part of the classes, the nearest of other pictures, pixel by pixel,
    tell cg.03.told of them, and the training did not come cg.03.half_solved below a constant prediction."""
    one, gain = run_data.probes.pooled_places, unsolved_gain(run_data)
    if not one.operator or one.share is None:
        return None
    if one.share < run_data.limit("cg.03.placed"):
        return _behind_one_convolution(run_data, one, 0.0 if came_to_nothing(run_data) else gain)
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


def _behind_one_convolution(run_data: RunData, one: Fact, gain: Optional[float]) -> Optional[Finding]:
    ran = [cell for cell in run_data.probes.graph.cells if not cell.loss]
    windows = [cell for cell in ran if (cell.class_ or "").startswith("Conv")]
    pools = [cell for cell in ran if cell.class_ == one.operator]
    told = run_data.probes.label_control.agreement or 0.0
    if len(windows) != 1 or windows[0].calls != 1 or told < run_data.limit("cg.03.told"):
        return None
    if one.share < run_data.limit("cg.03.placed_in_part"):  # textures are the same wherever they lie
        return None
    if gain is None or gain >= run_data.limit("cg.03.half_solved"):
        return None
    held = [*(cell.created for cell in pools if len(pools) == 1), one.place, windows[0].created]
    places = [where for where in held if where]
    return problem(
        Text(
            "{operator}（{where}）紧跟在唯一的卷积之后把所有位置合成一个：只剩下窗口内图案的平均，图案在哪里到不了后面的层；"
            "而逐像素的最近邻能判对 {told} 的类别，训练只比常数预测低 {gain}。",
            "{operator} at {where} takes all places together behind the only convolution: what is left is the mean of what its "
            "window sees, and where that is reaches no layer behind it. The nearest pictures, pixel by pixel, tell {told} of the "
            "classes, and the training ended only {gain} below a constant prediction.",
            operator=one.operator,
            where=at(one.place),
            told=percent(told),
            gain=percent(max(0.0, gain)),
        ),
        Text(
            "用 2×2 的池化，再展平（Flatten）后接全连接层；全局池化放在多层卷积之后。",
            "Pool two by two, then flatten the places and put a dense layer behind them; pool over all places behind several "
            "convolutions.",
        ),
        run_data.code_at(places, Text("对所有位置的池化", "The pooling over all places")),
        places,
    )
