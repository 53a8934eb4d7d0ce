"""A BatchNorm that normalises by the statistics it began with, in training too (api.02)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def fixed_statistics(run_data: RunData) -> Optional[Finding]:
    """A problem where a BatchNorm that trains has ``use_batch_statistics=False``, and its moving mean is 0 and its moving
    variance 1 to the end: it normalises nothing. What a checkpoint filled has other values."""
    trained = [one for phase in run_data.phases if phase.gradient for one in phase.dependent]
    fixed = {one.path for one in trained if one.training and one.use_batch_statistics is False}
    kept: dict = {}
    for one in run_data.parameters:
        if one.kind == "statistic" and one.cell in fixed and one.final.constant and one.final.max in (0, 1):
            kept.setdefault(one.cell, set()).add((one.name or "").rpartition("moving_")[2] + f" {one.final.max:g}")
    paths = sorted(path for path, values in kept.items() if values == {"mean 0", "variance 1"})
    if not paths:
        return None
    cells = [cell for network in run_data.networks for cell in network.cells if cell.path in paths]
    places = [cell.created for cell in cells if cell.created]
    return problem(
        Text(
            "{names} 设了 use_batch_statistics=False，而其滑动均值与方差自始至终是 0 和 1：训练和评估都没有做归一化。",
            "{names} has use_batch_statistics=False, and its moving mean and variance are 0 and 1 from the beginning to the end: "
            "nothing is normalised, neither in training nor in evaluation.",
            names=listed(paths),
        ),
        Text(
            "保持 use_batch_statistics=None；只有加载了预训练的统计量时才固定它们。",
            "Leave use_batch_statistics at None; fix the statistics only where pretrained ones were loaded.",
        ),
        [run_data.code_at(places, Text("创建 BatchNorm 之处", "Where the BatchNorm is made"))],
        places or [network.place for network in run_data.networks][:1],
    )
