"""One batch in every step: an iterator that is made anew for each (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

#: Passes of one batch each from which on it is one batch throughout.
_LEAST = 8


def same_batch(run_data: RunData) -> Optional[Finding]:
    """A problem where all steps were given the samples of one batch in one order, and the line that takes it calls ``next`` of an
    iterator made there, inside a loop: each step then begins the data anew. A training whose data are one batch iterates over
    them, or calls its step with them."""
    for dataset in train_sets(run_data):
        where = _anew(run_data, dataset.iterated_at) if _is_one_batch(dataset) else None
        if where is None:
            continue
        return problem(
            Text(
                "每一步都得到同一个 batch：{where} 每次新建迭代器并取第一个 batch，{passes} 步都是同样的 {samples} 个样本。",
                "Each step is given one and the same batch: {where} makes a new iterator every time and takes its first batch, "
                "so that {passes} steps were given the same {samples} samples.",
                where=at(where),
                passes=dataset.passes,
                samples=dataset.samples_per_pass,
            ),
            Text(
                "在循环之前建立迭代器，或直接用 for 遍历数据集。",
                "Make the iterator before the loop, or iterate over the data set with for.",
            ),
            [run_data.code(where, Text("取 batch 之处", "Where the batch is taken"))],
            [where],
        )
    return None


def _is_one_batch(dataset: Fact) -> bool:
    keys = {tuple(one.first_keys) for one in dataset.order.passes if one.first_keys}
    whole = dataset.samples_per_pass and dataset.batch_size and dataset.samples_per_pass <= dataset.batch_size
    return bool(whole) and (dataset.passes or 0) >= _LEAST and len(keys) == 1


def _anew(run_data: RunData, line: Optional[Fact]) -> Optional[Fact]:
    """The place of ``next(iter(…))``, or ``next`` of another call, at a line inside a loop."""
    if not line or not line.file:
        return None
    for call, parents in run_data.source.calls_to(line.file, ("next",)):
        made = call.args[0] if call.args else None
        looped = any(isinstance(one, (ast.For, ast.While)) for one in parents)
        # the line that is known takes the batch, or hands it to the step
        if isinstance(made, ast.Call) and looped and abs(call.lineno - (line.line or 0)) <= 1:
            return place(line.file, call.lineno)
    return None
