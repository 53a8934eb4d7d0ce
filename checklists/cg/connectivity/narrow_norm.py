"""A normalisation over one or two numbers of a sample, which leaves nothing but their order (cg.03)."""

import math
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Numbers of which a mean and a deviation leave only which is larger: (a - mean) / deviation of two is 1 or -1.
_FEW = 2
_GROUPS = ArgumentName(("num_groups",), 0)


def judge_narrow_norm(run_data: RunData) -> Optional[Finding]:
    """A problem where a LayerNorm over one number or two ran, or a GroupNorm over as many channels in a network without
    convolutions, and the training did not come cg.03.solved below a constant prediction: one becomes the same for all samples,
    and two keep their order alone (Ba et al. 2016, equation 4)."""
    ran = {cell.path for cell in run_data.probes.graph.cells if cell.calls}
    for network in run_data.networks:
        for cell in (one for one in network.cells if one.path in ran):
            count = _numbers(run_data, cell)
            if count is not None and count <= _FEW and not learnt_by(run_data, "cg.03.solved"):
                return _finding(run_data, f"{cell.class_} {cell.path}", count, _places(run_data, cell))
    return None


def _numbers(run_data: RunData, cell: Fact) -> Optional[int]:
    """How many numbers of a sample are normalised together; None where that is not known, or of another cell."""
    if cell.class_ not in ("LayerNorm", "GroupNorm"):
        return None
    shape = next((one.shape for one in run_data.parameters if one.kind == "norm" and one.cell == cell.path), None)
    if not shape:
        return None
    if cell.class_ == "LayerNorm":
        return math.prod(shape)
    groups = re.search(r"num_groups=(\d+)", cell.args or "")
    pictures = any(len(one.shape) > 2 for one in run_data.parameters)  # whose pixels count as well
    return math.prod(shape) // max(1, int(groups[1])) if groups and not pictures else None


def _places(run_data: RunData, cell: Fact) -> list:
    name = (cell.path or "").split(".")[-1]
    called = run_data.find_lines(rf"self\.{name}\(", 2) if name.isidentifier() else []
    made = argument_origin(run_data, cell.created, _GROUPS, cell.class_ or "") if cell.created else []
    return [one for one in (cell.created, *made, *called) if one]


def _finding(run_data: RunData, name: str, count: int, places: list) -> Finding:
    left = (
        Text("对所有样本都相同", "which is the same for all samples afterwards")
        if count == 1
        else Text("之后只剩下哪个更大（±1）", "of which only the order is left: 1 for the larger, -1 for the other")
    )
    return problem(
        Text(
            "{name}（{where}）只对每个样本的 {n} 个数归一化，{left}：它们的大小丢失了。",
            "The {name} ({where}) normalises {numbers} of each sample at a time, {left}: how large they are is lost.",
            name=name,
            where=at(places[0] if places else None),
            n=count,
            numbers=Text(str(count), "one number" if count == 1 else f"{count} numbers"),
            left=left,
        ),
        Text(
            "去掉这一层；输入的各特征用训练集的均值和标准差逐列标准化，或用 BatchNorm 沿样本归一化。",
            "Take the layer away; standardise the inputs feature by feature over the training set, or use BatchNorm, which goes "
            "along the samples.",
        ),
        run_data.code_at(places, Text("归一化层", "The normalisation")),
        places,
    )
