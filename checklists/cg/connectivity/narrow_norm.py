"""A normalisation over one or two numbers of a sample, which leaves nothing but their order (cg.03)."""

import math
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: Numbers of which a mean and a deviation leave only which is larger: (a - mean) / deviation of two is 1 or -1.
_FEW = 2


def judge_narrow_norm(run_data: RunData) -> Optional[Finding]:
    """A problem where a LayerNorm over one number or two ran, and the training did not come cg.03.solved below a constant
    prediction: one becomes the same for all samples, and two keep their order alone (Ba et al. 2016, equation 4)."""
    shapes = {one.cell: one.shape for one in run_data.parameters if one.kind == "norm" and one.cell and one.shape}
    for cell in run_data.probes.graph.cells:
        shape = shapes.get(cell.path)
        if cell.class_ != "LayerNorm" or not cell.calls or shape is None or math.prod(shape) > _FEW:
            continue
        if learnt_by(run_data, "cg.03.solved"):
            return None
        name = (cell.path or "").split(".")[-1]
        called = run_data.find_lines(rf"self\.{name}\(", 2) if name.isidentifier() else []
        places = [one for one in (cell.created, *called) if one]
        return _finding(run_data, cell.path or "", math.prod(shape), places)
    return None


def _finding(run_data: RunData, name: str, count: int, places: list) -> Finding:
    left = (
        Text("对所有样本都相同", "which is the same for all samples afterwards")
        if count == 1
        else Text("之后只剩下哪个更大（±1）", "of which only the order is left: 1 for the larger, -1 for the other")
    )
    return problem(
        Text(
            "LayerNorm {name}（{where}）只对每个样本的 {n} 个数归一化，{left}：它们的大小丢失了。",
            "The LayerNorm {name} ({where}) normalises {numbers} of each sample, {left}: how large they are is lost.",
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
