"""Data sets: ds.01 to ds.04."""

from msprec.checklists.absent import Missing, all_finite, missing_found, missing_treated, missing_unused, no_missing
from msprec.checklists.balance import balance
from msprec.checklists.handled import nan_treatments
from msprec.checklists.labels import judge_labels
from msprec.checklists.shared import missing, no_training, train_sets
from msprec.checklists.standard import judge_files

from msprec.checklist.each_rank import PROBLEMS, WORST
from msprec.checklist.finding import Finding, not_applicable, worst
from msprec.checklist.item import item
from msprec.checklist.subject import Subject
from msprec.checklist.text import Text


@item("ds.01", zh="数据集中缺失值过多", en="Too many missing values in the dataset", ranks=WORST)
def missing_values(subject: Subject) -> Finding:
    """Delivered NaN or infinity, missing-value marks, empty strings.

    Rests on the column statistics of every data set that was iterated. Any NaN or infinity in a training, evaluation or
    inference set is a problem, unless the code treats it after delivery (nan_to_num, a mask from isnan in construct, in
    the forward function or in the loop) and every loss and every final weight is finite: then it is a mark for missing
    values that the network knows. A test such as ``if isnan(loss)`` treats nothing. Among repeated extreme values
    only those count that lie far from all else (sentinels.py). A data set fed to nothing proves nothing.
    """
    known = [dataset for dataset in subject.datasets if dataset.columns and dataset.scanned.samples != 0]
    if not known:
        return missing("被迭代的数据集", "data set being iterated")
    used = [dataset for dataset in known if dataset.role in ("train", "eval", "predict")]
    reports = [Missing(subject, dataset) for dataset in used or known]
    bad = [report for report in reports if report.rows]
    if not bad:
        return no_missing(subject, used or known, reports)
    if not used:
        return missing_unused(bad)
    treated = nan_treatments(subject) if all(report.only_nonfinite for report in bad) else []
    if treated and all_finite(subject):
        return missing_treated(subject, bad, treated)
    return missing_found(subject, bad, treated)


@item("ds.02", zh="数据的标签错误", en="Wrong labels in the data", ranks=PROBLEMS)
def wrong_labels(subject: Subject) -> Finding:
    """The labels of the training data: range, kind, constancy, contradictions; and a sheet of samples for a person.

    Problem: class ids beyond the head's outputs (ignore_index is allowed), targets of a binary cross-entropy beyond 0 and 1,
    real numbers for a cross-entropy, one label throughout, identical inputs of ds.02.elements values or more with different
    labels (ds.02.contradictions). OK: none of these, and a network that learned them well: validation accuracy of
    ds.02.accuracy with a training loss below ds.02.loss. Else a person has to look. No label column: not applicable.
    """
    sets = train_sets(subject) or subject.datasets
    if not sets:
        return missing("训练数据集", "training data set")
    if all("label" in dataset and not dataset.label for dataset in sets):
        return not_applicable(Text("训练数据没有标签列。", "The training data have no label column."))
    labelled = [dataset for dataset in sets if dataset.label]
    if not labelled:
        return missing("标签列", "label column")
    return worst([judge_labels(subject, dataset) for dataset in labelled])


@item(
    "ds.03",
    zh="数据集每个类别的样本数目不均衡或部分类别训练样本不足",
    en="Unbalanced numbers of samples per class, or too few training samples in some classes",
)
def class_balance(subject: Subject) -> Finding:
    """Class counts of the training labels over one pass, as delivered (so a resampling sampler already counts).

    Problem: largest over smallest class at ds.03.ratio or more, a class below ds.03.few samples, or a class without any
    (a gap in the ids, or fewer labels than a cross-entropy head has outputs). Class weights in the loss are shown but
    do not excuse: the item is about the data. A part of a pass is judged only when it is large and mixed.
    Labels that are maps or sequences have no samples a class: not applicable for tokens, left open for segmentation.
    """
    if subject.trains_nothing:
        return no_training()
    sets = [dataset for dataset in train_sets(subject) if "label" in dataset]
    if not sets:
        return missing("训练集的标签", "label of a training set")
    return worst([balance(subject, dataset) for dataset in sets])


@item(
    "ds.04",
    zh="训练环境上的数据集同标准数据集不同",
    en="The dataset in the training environment differs from the standard dataset",
)
def differs_from_standard(subject: Subject) -> Finding:
    """The files that the data sets were made from: their names, sizes and MD5.

    Beside ``--reference-data``: files that differ are a problem, as are files missing from or added to a folder that a
    pipeline lists whole. Files that differ between ranks are a problem. Without a reference the published checksums of
    MNIST, Fashion-MNIST and CIFAR serve; a file of an MNIST name may belong to another set of that format. Else it is left
    open, with the manifest. A script that reads no file: not applicable.
    """
    return judge_files(subject)
