"""Inputs that hold one value throughout, beside labels that differ (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Samples from which inputs that differ would be expected to show it.
_SAMPLES = 20


def constant_inputs(run_data: RunData) -> Optional[Finding]:
    """A problem where every column of a training set but its label, which varies, holds one value alone; None elsewhere."""
    for dataset in train_sets(run_data):
        label = next((one for one in dataset.columns if one.name == dataset.label.column), None)
        inputs = [one for one in dataset.columns if one is not label]
        enough = (dataset.scanned.samples or 0) >= _SAMPLES
        if label is None or not enough or not inputs or _constant(label) is not False:
            continue
        if all(_constant(one) and one.batched is not False for one in inputs):
            return _finding(run_data, dataset, inputs[0])
    return None


def _constant(column: Fact) -> Optional[bool]:
    """Whether a column holds one value alone; None where its values are not known."""
    return column.min == column.max if None not in (column.min, column.max) else None


def _finding(run_data: RunData, dataset: Fact, column: Fact) -> Finding:
    places = [one for one in (*array_origins(run_data, dataset, column), first_place(dataset)) if one]
    return problem(
        Text(
            "输入 {column} 的所有元素都是 {value}（{n} 个样本），而标签各不相同：网络从输入中得不到任何信息。",
            "Every element of the input {column} is {value} ({n} samples), and the labels differ: the network is told nothing by "
            "what it is given.",
            column=column.name,
            value=column.min,
            n=dataset.scanned.samples,
        ),
        Text(
            "检查输入的来处：把小于 1 的数转换为整数会得到 0；乘以 0 的掩码、从未填入的数组也会如此。",
            "Look at where the inputs come from: numbers below 1 become 0 in a cast to whole numbers; so do those of a mask of "
            "zeros, or of an array that nothing fills.",
        ),
        [run_data.code_at(places, Text("输入的来处", "Where the inputs come from"))],
        places,
    )
