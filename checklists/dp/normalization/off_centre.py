"""Features of a table whose values lie so far off 0 that hardly any difference is left between them (dp.01)."""

from typing import Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import entering, feature_columns, is_picture
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: More features than these are the points of a curve or of a picture.
_MOST = 32
#: Features that keep to one value but for a few samples have a range of many standard deviations.
_EVEN = 12


def off_centre(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """Problem: of a few features of a table one has a mean of dp.01.off_centre standard deviations or more and differs
    dp.01.faint times less than the usual one of them, and no layer that they enter first normalises, in a training that did not
    come cg.03.solved below a constant prediction; else None."""
    solved = learnt_by(run_data, "cg.03.solved")
    if solved or any(layer.normalizes for one in run_data.probes.first_layers for layer in one.layers):
        return None
    for column in entering(run_data, [one for one in feature_columns(dataset) if one.kind == "float"]):
        found = None if is_picture(column) else _feature(run_data, column)
        if found is None:
            continue
        number, low, high, std, usual = found
        places = array_origins(run_data, dataset, column)
        return problem(
            Text(
                "列 {column} 的特征 {number} 没有居中：取值在 {low} 到 {high} 之间，标准差仅 {std}，其他特征约为 {usual}；"
                "它的变化网络几乎看不到。",
                "Feature {number} of the column {column} is not centred: it lies between {low} and {high} with a standard "
                "deviation of {std}, where the others have about {usual}, so that the network hardly sees it change.",
                column=column.name,
                number=number,
                low=low,
                high=high,
                std=std,
                usual=usual,
            ),
            Text(
                "逐列减去训练集的均值，再除以标准差，而不是只除以最大值。",
                "Take the training set's mean off each feature and divide by its standard deviation, not by the largest value "
                "alone.",
            ),
            [run_data.code_at(places, Text("数据处理", "The data processing"))],
            places,
        )
    return None


def _feature(run_data: RunData, column: Fact) -> Optional[tuple]:
    """``(its number, smallest, largest value, standard deviation, the usual one of the others)`` of the first such feature."""
    seen = column.channels
    if not seen.mean or None in (seen.std, seen.min, seen.max) or not 1 < len(seen.mean) <= _MOST:
        return None
    mean, std, low, high = (np.asarray(one, float) for one in (seen.mean, seen.std, seen.min, seen.max))
    far = (std > 0) & (np.abs(mean) >= run_data.limit("dp.01.off_centre") * std) & (high - low <= _EVEN * std)
    if not far.any() or far.all():
        return None
    number, usual = int(np.argmax(far)), float(np.median(std[~far & (std > 0)])) if (~far & (std > 0)).any() else 0.0
    faint = usual >= run_data.limit("dp.01.faint") * std[number]
    return (number, *(float(f"{one[number]:.4g}") for one in (low, high, std)), usual) if faint else None
