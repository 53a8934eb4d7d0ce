"""Batches all of whose samples are the same (td.05)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.data.input_scale import entering, feature_columns
from msprec.checklists.common.findings import first_place, label_column, pipeline_table, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def repeated_samples(run_data: RunData) -> Optional[Finding]:
    """A problem where the inputs of all samples of a batch are the same, in nearly every batch (td.05.alike), while batches
    differ, and so do the labels within a batch."""
    for dataset in train_sets(run_data):
        columns = entering(
            run_data, [one for one in feature_columns(dataset) if one.kind in ("float", "int") and one.shape]
        )
        label = label_column(dataset)
        if label is None or label.repeated_batches != 0 or label in columns or not columns:
            continue
        if all(one.min != one.max and _alike(run_data, dataset, one) for one in columns):
            return _finding(run_data, dataset, columns)
    return None


def _alike(run_data: RunData, dataset: Fact, column: Fact) -> bool:
    """Whether enough batches of a column were looked at, and the samples of nearly all are the same."""
    batches = (dataset.scanned.samples or 0) / dataset.batch_size if dataset.batch_size else 0
    share = run_data.limit("td.05.alike")
    return batches >= run_data.limit("td.05.batches") and (column.repeated_batches or 0) >= share * batches


def _finding(run_data: RunData, dataset: Fact, columns: list) -> Finding:
    places = [one for one in (*array_origins(run_data, dataset, columns[0])[:2], first_place(dataset)) if one]
    return problem(
        Text(
            "{names} 在每个 batch 内处处相同：{n} 个样本是同一个样本，而标签各不相同。",
            "All {n} samples of a batch are the same in {names}, while their labels differ.",
            names=listed(one.name for one in columns),
            n=dataset.batch_size,
        ),
        Text(
            "检查样本如何存放：放入列表的是否总是同一个被就地修改的数组（应放入副本）；取 batch 的索引是否是一个数。",
            "Look at how samples are kept: one array that is changed in place and put into a list again and again (put a copy "
            "there), or a batch that is taken by one number for all its rows.",
        ),
        [pipeline_table(dataset), run_data.code_at(places, Text("样本的来处", "Where the samples come from"))],
        places,
    )
