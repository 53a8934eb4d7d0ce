"""Data sets: ds.01 to ds.04."""

import math
import re
from typing import Optional

from msprec.checklists.handled import nan_treatments
from msprec.checklists.sentinels import codes_among_integers, missing_marks
from msprec.checklists.shared import (
    first_place,
    missing,
    no_training,
    note,
    op_place,
    pipeline_table,
    role_of,
    train_sets,
)

from msprec.checklist.facts import Fact
from msprec.checklist.finding import Finding, figure, not_applicable, ok, problem, table, undecided, worst
from msprec.checklist.item import item
from msprec.checklist.subject import Subject
from msprec.checklist.text import Joined, Text, english, listed, percent


@item("ds.01", zh="数据集中缺失值过多", en="Too many missing values in the dataset")
def missing_values(subject: Subject) -> Finding:
    """Delivered NaN or infinity, missing-value marks, empty strings.

    Rests on the column statistics of every data set that was iterated. Any NaN or infinity in a training, evaluation or
    inference set is a problem, unless the code treats it after delivery (nan_to_num, a mask from isnan in construct, in
    the forward function or in the loop) and every loss and every final weight is finite: then it is a missing-value mark
    that the network knows. A test such as ``if isnan(loss)`` treats nothing. Among repeated extreme values only those
    count that lie far from all else (sentinels.py). A data set of unknown use (iterated, fed to nothing) alone proves nothing.
    """
    known = [dataset for dataset in subject.datasets if dataset.columns and dataset.scanned.samples != 0]
    if not known:
        return missing("被迭代的数据集", "data set being iterated")
    used = [dataset for dataset in known if dataset.role in ("train", "eval", "predict")]
    reports = [_Missing(subject, dataset) for dataset in used or known]
    bad = [report for report in reports if report.rows]
    if not bad:
        return _no_missing(subject, used or known, reports)
    if not used:
        return _missing_unused(bad)
    treated = nan_treatments(subject) if all(report.only_nonfinite for report in bad) else []
    if treated and _all_finite(subject):
        return _missing_treated(subject, bad, treated)
    return _missing_found(subject, bad, treated)


class _Missing:
    """What is missing in one data set: rows of the table, sentences, places."""

    def __init__(self, subject: Subject, dataset: Fact):
        self.dataset, self.rows, self.sentences, self.only_nonfinite = dataset, [], [], True
        for column in dataset.columns:
            self._nonfinite(column)
            self._marks(subject, column)
            self._empty(subject, column)

    def _row(self, column: Fact, what, number, share, first) -> None:
        self.rows.append([role_of(self.dataset), column.name, what, number, share, ", ".join(map(str, first[:10]))])

    def _nonfinite(self, column: Fact) -> None:
        bad = (column.nan or 0) + (column.inf or 0)
        if not bad:
            return
        what = Text("NaN/Inf", "NaN/Inf")
        self._row(column, what, bad, bad / column.elements if column.elements else None, _known(column.first_nonfinite))
        self.sentences.append(
            Text(
                "{role}的列 {column} 有 {bad} 个 NaN/Inf({nan} 个 NaN、{inf} 个 Inf),涉及 {scanned} 个样本中的 {n} 个",
                "{n} of {scanned} samples of the {role} hold {bad} NaN or infinite values in column {column} ({nan} "
                "NaN, {inf} infinite)",
                role=role_of(self.dataset),
                column=column.name,
                bad=bad,
                nan=column.nan or 0,
                inf=column.inf or 0,
                scanned=self.dataset.scanned.samples,
                n=column.nonfinite_samples,
            )
        )

    def _marks(self, subject: Subject, column: Fact) -> None:
        if column.name == self.dataset.label.column and self.dataset.label.kind != "regression":
            return
        for mark in missing_marks(subject, self.dataset, column):
            self._mark(column, mark.value, mark.count, mark.share, mark.feature, _known(mark.first_samples))
        if column.kind == "int":
            for value, count, share in codes_among_integers(subject, column):
                self._mark(column, value, count, share, None, [])

    def _mark(self, column: Fact, value, count, share, feature, first) -> None:
        self.only_nonfinite = False
        where = column.name if feature is None else f"{column.name}[{feature}]"
        self._row(column, Text("值 {value}", "value {value}", value=value), count, share, first)
        self.sentences.append(
            Text(
                "{role}的 {where} 中有 {count} 个 {value}({share}),远离其余取值,像是缺失标记",
                "{where} of the {role} holds {value} {count} times ({share}), far from all else: a mark for missing "
                "values",
                role=role_of(self.dataset),
                where=where,
                count=count,
                value=value,
                share=percent(share),
            )
        )

    def _empty(self, subject: Subject, column: Fact) -> None:
        empty, total = column.empty_strings or 0, self.dataset.scanned.samples or 0
        if not empty or (total and empty / total < subject.limit("ds.01.share")):
            return
        self.only_nonfinite = False
        self._row(column, Text("空字符串", "empty string"), empty, empty / total if total else None, [])
        self.sentences.append(
            Text(
                "{role}的列 {column} 有 {n} 个空字符串(共 {total} 个样本)",
                "{n} of {total} samples of the {role} have an empty text in column {column}",
                role=role_of(self.dataset),
                column=column.name,
                n=empty,
                total=total,
            )
        )


def _known(positions: list) -> list:
    return [position for position in positions if position is not None]


def _missing_table(reports: list):
    columns = [
        Text("数据集", "data set"),
        Text("列", "column"),
        Text("缺失形式", "kind"),
        Text("个数", "count"),
        Text("占比", "share"),
        Text("样本位置", "first samples"),
    ]
    return table(Text("缺失值", "Missing values"), columns, [row for report in reports for row in report.rows])


def _missing_found(subject: Subject, bad: list, treated: list) -> Finding:
    sentences = [sentence for report in bad for sentence in report.sentences]
    rest = (
        Text(";另有 {n} 处。", "; {n} more in the table.", n=len(sentences) - 2)
        if len(sentences) > 2
        else Text("。", ".")
    )
    summary = Joined([Joined(sentences[:2], zh=";", en="; "), rest], zh="", en="")
    places = [first_place(report.dataset) for report in bad]
    return problem(
        summary,
        Text(
            "在数据处理中删除这些样本或填补缺失值(均值、中位数、单独的“缺失”类别),再重新训练;Inf 往往来自除零或对 0 取"
            "对数。",
            "Drop these samples or fill them in the pipeline (mean, median, a category of their own) and train again; "
            "infinities often come from a division by zero or a logarithm of zero.",
        ),
        [
            _missing_table(bad),
            [pipeline_table(report.dataset) for report in bad],
            subject.code_at(places, Text("数据集的创建", "Where the data set is created")),
            subject.code_at(
                treated,
                Text("代码中处理 NaN 之处(未能使结果有限)", "The code treats NaN here, yet not all results are finite"),
                "script",
            ),
        ],
        places,
    )


def _missing_treated(subject: Subject, bad: list, treated: list) -> Finding:
    return ok(
        Text(
            "交付的数据含 NaN/Inf({first}),但代码在交付之后对其作了处理,且全部 loss 与最终权重均为有限值。",
            "The delivered data hold NaN or infinity ({first}), but the code treats them after delivery, and every "
            "loss and final weight is finite.",
            first=bad[0].sentences[0],
        ),
        [_missing_table(bad), subject.code_at(treated, Text("对 NaN 的处理", "Where NaN is treated"), "script")],
        treated,
    )


def _missing_unused(bad: list) -> Finding:
    return undecided(
        Text(
            "被迭代的数据含缺失值({first}),但没有看到它们进入训练。",
            "The iterated data hold missing values ({first}), but they were not seen to feed any training.",
            first=bad[0].sentences[0],
        ),
        Text(
            "确认这些值在进入网络之前是否已处理;或让脚本直接用该数据集训练后再运行。",
            "See whether they are treated before they reach the network, or train from that data set itself and run "
            "again.",
        ),
        [_missing_table(bad)],
        [first_place(report.dataset) for report in bad],
    )


def _no_missing(subject: Subject, datasets: list, reports: list) -> Finding:
    samples = sum(dataset.scanned.samples or 0 for dataset in datasets)
    whole = all(dataset.samples_per_pass for dataset in datasets)
    if not whole and samples < subject.limit("ds.01.min_samples"):
        return undecided(
            Text(
                "只看到 {n} 个样本,其中没有缺失值。",
                "Only {n} samples were seen, none with a missing value.",
                n=samples,
            ),
            Text("完整运行至少一轮训练。", "Run one whole epoch of the training."),
        )
    seen = Text("整轮数据", "whole passes") if whole else Text("一部分数据", "a part of the data")
    columns = sum(len(dataset.columns) for dataset in datasets)
    rows = [
        [
            role_of(dataset),
            column.name,
            column.dtype,
            column.elements,
            column.nan,
            column.inf,
            column.min,
            column.max,
            column.empty_strings,
        ]
        for dataset in datasets
        for column in dataset.columns
    ]
    heads = [
        Text("数据集", "data set"),
        Text("列", "column"),
        "dtype",
        Text("元素数", "elements"),
        "NaN",
        "Inf",
        Text("最小", "min"),
        Text("最大", "max"),
        Text("空字符串", "empty strings"),
    ]
    return ok(
        Text(
            "检查了 {n} 个样本({seen})的 {columns} 列,没有 NaN/Inf、缺失标记或空字符串。",
            "No NaN, infinity, missing-value mark or empty text in {columns} {noun} of {n} samples ({seen}).",
            n=samples,
            seen=seen,
            columns=columns,
            noun=english("column", columns),
        ),
        [table(Text("各列概况", "The columns"), heads, rows), _judged_harmless(datasets)],
    )


def _judged_harmless(datasets: list):
    rows = [
        [
            column.name if suspect.feature is None else f"{column.name}[{suspect.feature}]",
            suspect.value,
            suspect.count,
            suspect.share,
            suspect.others_low,
            suspect.others_high,
        ]
        for dataset in datasets
        for column in dataset.columns
        for suspect in column.suspects
    ]
    heads = [
        Text("列", "column"),
        Text("值", "value"),
        Text("次数", "count"),
        Text("占比", "share"),
        Text("其余最小", "others from"),
        Text("其余最大", "to"),
    ]
    title = Text("重复出现的极端值(判为正常取值)", "Repeated extreme values, judged to be ordinary ones")
    return table(title, heads, rows, most=20) if rows else None


def _all_finite(subject: Subject) -> bool:
    losses = subject.steps().observed("loss")
    finals = [parameter.final.nonfinite for parameter in subject.parameters if parameter.final]
    return len(losses) > 0 and all(map(math.isfinite, losses)) and not any(finals)


@item("ds.02", zh="数据的标签错误", en="Wrong labels in the data")
def wrong_labels(subject: Subject) -> Finding:
    """Not decided yet beyond its plain absence: without labels there is nothing to check."""
    sets = train_sets(subject) or subject.datasets
    if not sets:
        return missing("训练数据集", "training data set")
    if all("label" in dataset and not dataset.label for dataset in sets):
        return not_applicable(Text("训练数据没有标签列。", "The training data have no label column."))
    label = next((dataset.label for dataset in sets if dataset.label), None)
    if label is None:
        return missing("标签列", "label column")
    return undecided(
        Text(
            "标签列 {column}({kind})尚未抽样核对。",
            "Column {column} ({kind}) holds the labels; no sample of them has been checked yet.",
            column=label.column,
            kind=label.kind,
        ),
        Text(
            "分层抽取约 50 个样本(每类至少一个),人工核对标签是否正确。",
            "Look at about 50 samples, drawn class by class with one of each at the least, and compare each with its "
            "label.",
        ),
        [_counts_figure(label)],
        [first_place(dataset) for dataset in sets[:1]],
    )


@item(
    "ds.03",
    zh="数据集每个类别的样本数目不均衡或部分类别训练样本不足",
    en="Unbalanced numbers of samples per class, or too few training samples in some classes",
)
def class_balance(subject: Subject) -> Finding:
    """Class counts of the training labels over one pass, as delivered (so a resampling sampler already counts).

    Problem: largest over smallest class at ds.03.ratio or more, a class below ds.03.few samples, or a class without any
    (a gap in the ids, or fewer labels than a cross-entropy head has outputs). Class weights in the loss are shown but do
    not excuse: the item is about the data. A part of a pass is judged only when it is large and mixed.
    Labels that are maps or sequences have no samples a class: not applicable for tokens, left open for segmentation.
    """
    if subject.trains_nothing:
        return no_training()
    sets = [dataset for dataset in train_sets(subject) if "label" in dataset]
    if not sets:
        return missing("训练集的标签", "label of a training set")
    return worst([_balance(subject, dataset) for dataset in sets])


def _balance(subject: Subject, dataset: Fact) -> Finding:
    label = dataset.label
    if not label or label.kind is None:
        return not_applicable(Text("训练集没有标签列。", "The training set has no label column."))
    if label.kind == "regression":
        return not_applicable(
            Text(
                "标签 {column} 是连续值(回归),没有类别。",
                "Label {column} is a continuous target (regression): there are no classes.",
                column=label.column,
            )
        )
    if label.kind == "sequence":
        return _sequence_labels(dataset)
    counts = {key: count for key, count in label.counts.items() if count}
    if not counts:
        return missing("各类样本数", "count of samples per class")
    return _Balance(subject, dataset, counts).finding()


def _sequence_labels(dataset: Fact) -> Finding:
    label = dataset.label
    column = next((column for column in dataset.columns if column.name == label.column), None)
    if column is not None and column.kind == "int" and column.distinct is not None and column.distinct <= 256:
        return undecided(
            Text(
                "标签 {column} 是每个样本一组(分割或序列标注),未按像素/位置计数。",
                "Each sample carries many labels in {column} (segmentation or tagging); they were not counted by "
                "pixel or position.",
                column=label.column,
            ),
            Text("统计每个类别的像素数或位置数。", "Count the pixels or positions of each class."),
        )
    return not_applicable(
        Text(
            "标签 {column} 是序列,每个样本不属于某一个类别。",
            "Label {column} is a sequence: a sample does not belong to one class.",
            column=label.column,
        )
    )


class _Balance:
    """The counts of one training set and what follows from them."""

    def __init__(self, subject: Subject, dataset: Fact, counts: dict):
        self.subject, self.dataset, self.label, self.counts = subject, dataset, dataset.label, counts
        self.least, self.most = min(counts, key=counts.get), max(counts, key=counts.get)
        self.ratio = counts[self.most] / counts[self.least]
        self.whole = self.label.complete_pass is not False
        self.absent = _absent(subject, counts) if self.whole and self.label.kind in ("class", "one_hot") else []

    def finding(self) -> Finding:
        if not self.whole and not self._enough():
            return undecided(
                Text(
                    "只看到一轮的一部分({n} 个样本,{k} 类),不足以判断。",
                    "Only a part of a pass was seen ({n} samples, {k} classes): too little to judge.",
                    n=sum(self.counts.values()),
                    k=len(self.counts),
                ),
                Text("完整运行至少一轮训练。", "Run one whole epoch of the training."),
                self._evidence(),
                [first_place(self.dataset)],
            )
        unbalanced = self.ratio >= self.subject.limit("ds.03.ratio")
        few = self.counts[self.least] < self.subject.limit("ds.03.few")
        if not (unbalanced or few or self.absent):
            return ok(self._counted(), self._evidence())
        return problem(
            Joined([self._counted(), self._absence() if self.absent else None], zh="", en=" "),
            Text(
                "为少数类补充或过采样数据,或对多数类降采样,并用加权 loss;评估时按类别分别看精度。",
                "Collect or oversample the rare classes, thin out the frequent ones or weight the loss, and look at "
                "the accuracy of each class.",
            ),
            self._evidence(),
            [first_place(self.dataset)],
        )

    def _enough(self) -> bool:
        mixed = [
            entry.label_segment_dependence
            for entry in self.dataset.order.passes
            if entry.label_segment_dependence is not None
        ]
        enough = sum(self.counts.values()) >= self.subject.limit("ds.03.per_class") * len(self.counts)
        return (
            enough and len(self.counts) > 1 and bool(mixed) and max(mixed) < self.subject.limit("dp.03.weak_dependence")
        )

    def _counted(self) -> Text:
        return Text(
            "{n} 个样本、{k} 类:最多的类 {most} 有 {high} 个,最少的类 {least} 有 {low} 个,比值 {ratio}。",
            "{n} samples in {k} classes: {high} in the largest ({most}), {low} in the smallest ({least}), ratio "
            "{ratio}.",
            n=self.label.counted_samples or sum(self.counts.values()),
            k=len(self.counts),
            most=self.most,
            least=self.least,
            high=self.counts[self.most],
            low=self.counts[self.least],
            ratio=round(self.ratio, 2),
        )

    def _absence(self) -> Text:
        return Text("类别 {names} 没有任何样本。", "Without any sample: class {names}.", names=listed(self.absent))

    def _evidence(self) -> list:
        values = list(self.counts.values())
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        rows = [[key, value] for key, value in sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        return [
            _counts_figure(self.label),
            table(
                Text("各类样本数", "Samples per class"),
                [Text("类别", "class"), Text("样本数", "samples")],
                rows,
                Text(
                    "均值 {mean},标准差 {deviation}。",
                    "Mean {mean}, standard deviation {deviation}.",
                    mean=round(mean, 1),
                    deviation=round(deviation, 1),
                ),
            ),
            note("只统计了一轮的一部分。", "Only a part of a pass was counted.") if not self.whole else None,
            self._weights(),
            self.subject.code(first_place(self.dataset), Text("训练集的创建", "Where the training set is created")),
        ]

    def _weights(self):
        weighted = [loss for loss in self.subject.losses if re.search(r"\bweight\s*=\s*(?!None)", loss.args)]
        if not weighted:
            return None
        return note(
            "loss 设置了类别权重({args});它减轻不均衡的影响,但不改变数据。",
            "The loss weights the classes ({args}): this softens the imbalance but does not change the data.",
            args=weighted[0].args,
        )


def _absent(subject: Subject, counts: dict) -> list:
    """Class ids without a sample: gaps between the ids seen, and outputs of a cross-entropy head beyond them.

    Ids that start at 1, codes such as -1/+1, and ids with more gaps than classes are other numberings, not missing classes.
    """
    if not all(re.fullmatch(r"\d{1,6}", key) for key in counts) or len(counts) < 2:
        return []
    ids = sorted(int(key) for key in counts)
    last = max(ids[-1], (_head_outputs(subject) or 0) - 1)
    absent = (
        [number for number in range(ids[0], last + 1) if str(number) not in counts] if last <= 2 * ids[-1] + 1 else []
    )
    return absent if len(absent) <= len(ids) / 2 else []


def _head_outputs(subject: Subject) -> Optional[int]:
    """The classes that the network's last Dense tells apart, when a cross-entropy compares them with the labels."""
    if not any(re.search(r"cross_?entropy|nll", loss.class_ or "", re.IGNORECASE) for loss in subject.losses):
        return None
    networks = [network for network in subject.networks if network.role == "train"]
    cells = [cell for cell in networks[0].cells if cell.parameters] if len(networks) == 1 else []
    if not cells or cells[-1].class_ != "Dense":
        return None
    found = re.search(r"out_channels\s*=\s*(\d{1,6})\b", cells[-1].args)
    return int(found.group(1)) if found else None


def _counts_figure(label: Fact):
    if not label.counts or len(label.counts) > 1000:
        return None
    return figure(Text("各类样本数", "Samples per class"), "class_counts", {"counts": label.counts})


@item(
    "ds.04",
    zh="训练环境上的数据集同标准数据集不同",
    en="The dataset in the training environment differs from the standard dataset",
)
def differs_from_standard(subject: Subject) -> Finding:
    """Not decided yet: needs the reference's file list and checksums."""
    sources = [dataset.pipeline[0] for dataset in subject.datasets if dataset.pipeline]
    if not sources:
        return missing("数据集", "data set")
    rows = [
        [
            source.op,
            ", ".join(f"{key}={value}" for key, value in source.args.items()),
            f"{source.place.file}:{source.place.line}" if source.place else "",
        ]
        for source in sources
    ]
    return undecided(
        Text("没有可供比较的标准数据集。", "There is no standard data set to compare with."),
        Text(
            "列出标准数据集与训练环境(每台机器)上的文件及其 MD5,逐一比较。",
            "List the files of the standard data set and of every training machine with their MD5, and compare them.",
        ),
        [
            table(
                Text("数据来源", "Where the data come from"),
                [Text("来源", "source"), Text("参数", "arguments"), Text("位置", "place")],
                rows,
            )
        ],
        [
            op_place(dataset, dataset.pipeline[0].op) or first_place(dataset)
            for dataset in subject.datasets
            if dataset.pipeline
        ],
    )
