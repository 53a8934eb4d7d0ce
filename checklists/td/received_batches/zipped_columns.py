"""Data sets of one column each that are zipped after one of them was shuffled alone (td.05)."""

from typing import NamedTuple, Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import pipeline_table, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


class _Branch(NamedTuple):
    """What is zipped: its columns, and the step that shuffles it; None where nothing does."""

    columns: list
    shuffle: Optional[Fact]


def zipped_columns(run_data: RunData) -> Optional[Finding]:
    """A problem where the column of the labels comes from a data set of its own that is zipped with that of the inputs, and one
    of the two is shuffled and the other is not."""
    for dataset in train_sets(run_data):
        branches = _branches(dataset)
        labels = [one for one in branches if one.columns == [dataset.label.column]]
        inputs = [one for one in branches if one not in labels]
        if len(labels) != 1 or not inputs or any(not one.columns for one in inputs):
            continue
        shuffled = [one for one in branches if one.shuffle is not None]
        if shuffled and (labels[0].shuffle is None) != all(one.shuffle is None for one in inputs):
            places = [one.shuffle.place for one in shuffled if one.shuffle is not None and one.shuffle.place]
            return _finding(run_data, dataset, shuffled[0], places)
    return None


def _finding(run_data: RunData, dataset: Fact, shuffled: _Branch, places: list) -> Finding:
    return problem(
        Text(
            "zip 之前只混洗了列 {names}：输入与标签不再属于同一个样本。",
            "Column {names} was shuffled before the zip, and what it is zipped with was not: inputs and labels no longer belong "
            "to one sample.",
            names=listed(shuffled.columns),
        ),
        Text(
            "先 zip，再 shuffle；或者用一个数据集同时提供两列。",
            "Zip first and shuffle then, or deliver both columns by one data set.",
        ),
        [pipeline_table(dataset), run_data.code_at(places, Text("混洗之处", "Where it is shuffled"))],
        places,
    )


def _branches(dataset: Fact) -> list:
    """The branches of the one zip of a pipeline, whose steps stand branch by branch, each from its source on."""
    operations = [step.op or "" for step in dataset.pipeline]
    if operations.count("zip") != 1:
        return []
    found: list = []
    for step in dataset.pipeline[: operations.index("zip")]:
        if (step.op or "").endswith("Dataset"):
            given = step.args.get("column_names")
            random = "Random" in str(step.args.get("sampler") or "")
            found.append(_Branch(given if isinstance(given, list) else [], step if random else None))
        elif step.op == "shuffle" and found:
            found[-1] = found[-1]._replace(shuffle=step)
        elif found and step.op not in ("map", "batch", "repeat", "take", "skip"):
            found[-1] = found[-1]._replace(columns=[])  # columns that were renamed or left out
    return found
