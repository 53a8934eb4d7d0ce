"""ds.02: The labels of the training data: range, kind, constancy, contradictions; and a sheet of samples for a person."""

from msprec.bilingual import Text
from msprec.checklists.common.data.label_source import unless_open
from msprec.checklists.common.findings import missing, train_sets
from msprec.checklists.ds.label_validity.label_validity import judge_labels, reordered_labels
from msprec.engine.finding import Finding, not_applicable, worst
from msprec.engine.item import item
from msprec.engine.rank_merge import PROBLEMS
from msprec.engine.run_data import RunData


@item("ds.02", ranks=PROBLEMS)
def wrong_labels(run_data: RunData) -> Finding:
    """The labels of the training data: range, kind, constancy, contradictions; and a sheet of samples for a person.

    Problem: class ids beyond the head's outputs (ignore_index is allowed), targets of a binary cross-entropy beyond 0 and 1,
    real numbers for a cross-entropy, one label throughout, the argmax of one unit or over places in the place of classes,
    predictions for a shuffled set that are compared with its labels in their own order, predictions of (N, 1) that are compared
    with (N,), amounts with fractions that are scored by an accuracy, the lowest scores taken for the best ones, identical
    inputs of ds.02.elements values or more with different labels (ds.02.contradictions). OK: none of these, and a network that
    learned them well: validation accuracy of ds.02.accuracy with a training loss below ds.02.loss. Else a person has to look.
    No label column: not applicable, unless the code puts samples into another order than their labels, by which a sampler
    chooses them.
    """
    sets = train_sets(run_data) or run_data.datasets
    if not sets:
        return missing("训练数据集", "training data set")
    if all("label" in dataset and not dataset.label for dataset in sets):
        return reordered_labels(run_data) or not_applicable(
            Text("训练数据没有标签列。", "The training data have no label column.")
        )
    labelled = [dataset for dataset in sets if dataset.label]
    if not labelled:
        return missing("标签列", "label column")
    return worst([unless_open(run_data, dataset, judge_labels(run_data, dataset)) for dataset in labelled])
