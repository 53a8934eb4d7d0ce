"""Pictures whose channels a reshape has brought to the front, where their axes were to be exchanged (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import op_place, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

_RESHAPES = r"(?i)\b(reshape|view)\((.*,)?\s*[(\[]?\s*(-1,\s*)?({}|c|\w*channels?)\s*,"


def reshaped_pictures(run_data: RunData) -> Optional[Finding]:
    """A problem where values that are as many places apart in a row as there are channels, and those twice as far apart, are
    closer, by td.05.interleaved, than those a place nearer or further; where a reshape to so many channels is written, the former
    alone, by td.05.interleaved_written, as noise hides what the pictures show."""
    found = run_data.probes.interleaved_channels
    apart, channels = [0.0, *found.apart], found.channels or 0
    if len(apart) < 2 * channels + 2 or not channels:
        return None
    closer = [apart[lag] / min(apart[lag - 1], apart[lag + 1]) for lag in (channels, 2 * channels)]
    written = run_data.find_lines(_RESHAPES.format(channels), 3)
    shown = max(closer) <= run_data.limit("td.05.interleaved")
    if not shown and not (written and closer[0] <= run_data.limit("td.05.interleaved_written")):
        return None
    places = written or [op_place(dataset, "map") for dataset in train_sets(run_data)]
    places = [one for one in places if one]
    return problem(
        Text(
            "图像的形状是 (通道, 高, 宽)，数值却按 (高, 宽, 通道) 排列：同一行中相隔 {channels} 个位置的值平均相差 {one}，"
            "比相邻的值（{near}）更接近。reshape 不移动数值，颜色与像素被打乱。",
            "The pictures have the shape (channels, height, width), and their values lie as those of (height, width, channels) "
            "do: in a row, values {channels} places apart differ by {one} on average, less than neighbours ({near}). A reshape "
            "moves no values, and colours and pixels are mixed up.",
            channels=channels,
            one=apart[channels],
            near=apart[1],
        ),
        Text(
            "用 transpose(2, 0, 1) 或 vision.HWC2CHW() 代替 reshape。",
            "Exchange the axes by transpose(2, 0, 1) or vision.HWC2CHW() in place of the reshape.",
        ),
        run_data.code_at(places, Text("改变形状之处", "Where the shape is changed")),
        places,
    )
