"""A reshape in the place of a transpose: the shape is that of moved axes, the elements stay where they were (cg.03)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData


def judge_reshaped_axes(run_data: RunData) -> Optional[Finding]:
    """The finding on a reshape that gives an axis the place of another; what cg.04 says of a loss's input is left to it.

    By shapes alone it could be chance, two sizes that are equal: undecided in a training that came cg.03.solved below a constant
    prediction.
    """
    told = [one.rows_of_channels.place for one in run_data.probes.losses if one.rows_of_channels]
    lines = {(place.file, place.line) for place in told if place}
    found = [one for one in run_data.probes.reshaped_axes if (one.place.file, one.place.line) not in lines]
    if not found:
        return None
    one, places = found[0], [other.place for other in found if other.place]
    summary = Text(
        "{operator} 把形状 {given} 变为 {made}：形状像是移动了轴（长 {size} 的轴），但 {operator} 不移动元素，"
        "轴 {size} 上的值不再是原来那个轴上的值，各位置的特征被混在一起。",
        "{operator} makes {made} of the shape {given}: as if the axis of {size} had been moved, but {operator} leaves the "
        "elements in their order. What lies along that axis now are not its values any more, and those of different places are "
        "mixed up.",
        operator=one.operator,
        given=str(tuple(one.given)),
        made=str(tuple(one.made)),
        size=one.size,
    )
    advice = Text(
        "移动轴用 transpose / permute / swapaxes；拆分一个轴时先 reshape 使各轴保持原来的次序，再 transpose"
        "（合并多头时先 transpose 再 reshape）。",
        "Move axes by transpose, permute or swapaxes; to split an axis, reshape so that all axes keep their order and transpose "
        "after it; to join heads, transpose first and reshape then.",
    )
    made = undecided if learnt_by(run_data, "cg.03.solved") else problem
    return made(summary, advice, run_data.code_at(places, Text("reshape", "The reshape")), places)
