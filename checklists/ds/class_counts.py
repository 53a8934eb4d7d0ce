"""How many samples each class has in the delivered data, and what follows (ds.03)."""

import ast
import math
import re
from typing import Optional

import numpy as np

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.data.truth_table import has_two_values
from msprec.checklists.common.findings import (
    at,
    first_place,
    missing,
    note,
)
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.ranks.sharding import overlap
from msprec.checklists.common.script.array_origin import array_origins, row_origins
from msprec.checklists.common.training.constant_prediction import compares_values, takes_amounts
from msprec.checklists.ds.imbalance_mitigation import (
    BY_CLASS,
    class_counters,
    goes_by_class,
    sampler_weights,
    seen_weights,
    weight_origins,
)
from msprec.checklists.ds.pixel_class_balance import counts_figure, ignored_labels, judge_places
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import COLUMN, DATASETS

#: Weights of two classes that differ by less are alike.
_ALIKE = 1.05


def balance(run_data: RunData, dataset: Fact) -> Finding:
    label = dataset.label
    if not label or label.kind is None:
        return not_applicable(Text("训练集没有标签列。", "The training set has no label column."))
    if label.kind == "regression":
        return not_applicable(
            Text(
                "标签 {column} 是连续值（回归），没有类别。",
                "Label {column} is a continuous target (regression): there are no classes.",
                column=label.column,
            )
        )
    if label.kind == "sequence":
        return _sequence_labels(run_data, dataset)
    counts = {key: count for key, count in label.counts.items() if count}
    if _compared_by_value(run_data, label, counts):
        return not_applicable(
            Text(
                "列 {column} 的值由回归 loss 直接比较，不是类别编号。",
                "A regression loss compares with the values of column {column}: they are no classes.",
                column=label.column,
            )
        )
    if not counts:
        return missing("各类样本数", "count of samples per class")
    sequence = _continued_sequence(dataset, counts)
    if sequence is not None:
        return not_applicable(
            Text(
                "标签 {column} 与输入 {sequence} 各位置上的符号相同，出现的频率也相同：它是序列的下一个符号，"
                "频率由语言或用户决定，不是类别不均衡。",
                "The labels {column} are the symbols of the inputs {sequence}, as frequent as in each place of them: the next of "
                "a sequence, whose frequencies are those of the language or the users and no imbalance.",
                column=label.column,
                sequence=sequence,
            )
        )
    counted = next((loss.counted for loss in run_data.probes.losses if loss.counted), None)
    if counted is not None and counted.of != dataset.samples_per_pass:
        return _masked(counted, dataset)
    counts = {key: count for key, count in counted.classes.items() if count} if counted is not None else counts
    unlabelled = _unlabelled(counts)
    if unlabelled is not None and int(unlabelled) not in ignored_labels(run_data):
        return _few_labelled(counts, unlabelled, dataset)
    return _Balance(run_data, dataset, counts, _other_shards(run_data, dataset)).finding()


def _masked(counted: Fact, dataset: Fact) -> Finding:
    """Undecided: the loss leaves samples out, and which of all the samples count is not known."""
    return undecided(
        Text(
            "loss 给部分样本的权重为 0（所看 batch 的 {of} 个样本中只有 {samples} 个计入）：各类计入的样本数没有统计。",
            "The loss multiplies samples by zero ({samples} of {of} in the batch looked at count): how many of each class count "
            "was not counted.",
            samples=counted.samples,
            of=counted.of,
        ),
        Text("统计计入 loss 的样本中各类的数目。", "Count the classes of the samples that the loss takes in."),
        [],
        [first_place(dataset)],
    )


def _unlabelled(counts: dict) -> Optional[str]:
    """The negative number that most samples carry in the place of a class, where the others count from 0 (as -1 for samples
    without a label in scikit-learn, -100 in PyTorch); None where there is none. Of two classes alone -1 may be one."""
    if len(counts) < 3 or not all(key.lstrip("-").isdigit() for key in counts) or "0" not in counts:
        return None
    most = max(counts, key=lambda one: counts[one])
    negative = [key for key in counts if int(key) < 0]
    return most if negative == [most] and 2 * counts[most] >= sum(counts.values()) else None


def _few_labelled(counts: dict, unlabelled: str, dataset: Fact) -> Finding:
    """Undecided: most samples have no label, and how many of each class a training wants beside them is not known."""
    labelled = {key: count for key, count in counts.items() if key != unlabelled}
    return undecided(
        Text(
            "{n} 个样本没有标签（{number}）；有标签的 {labelled} 个样本分属 {k} 类，最多 {most} 个，最少 {least} 个。",
            "{n} samples carry no label ({number}); the {labelled} that do are of {k} classes, {most} in the largest and {least} "
            "in the smallest.",
            n=counts[unlabelled],
            number=unlabelled,
            labelled=sum(labelled.values()),
            k=len(labelled),
            most=max(labelled.values()),
            least=min(labelled.values()),
        ),
        Text(
            "若是半监督训练，且每一类都有代表性的有标签样本，没有问题；否则查明标签为何缺失。",
            "In semi-supervised training all is well where the labelled samples of each class stand for it; otherwise find "
            "out why the labels are missing.",
        ),
        [],
        [first_place(dataset)],
    )


def _compared_by_value(run_data: RunData, label: Fact, counts: dict) -> bool:
    """Whether whole numbers that were only taken for classes are targets of a regression (0 and 1 may be both)."""
    if label.kind != "class" or len(counts) <= 2:
        return False
    return takes_amounts(run_data) or (bool(label.guess) and compares_values(run_data))


def _other_shards(run_data: RunData, dataset: Fact) -> list:
    """(rank, data set) of the other ranks of a distributed run that were given other samples of this set."""
    found: list[tuple[int, Fact]] = []
    for rank in run_data.ranks[1:] if len(run_data.ranks) > 1 else []:
        sets = run_data.file("datasets", DATASETS, rank).datasets
        same = [one for one in sets if one.role == "train" and one.label.column == dataset.label.column]
        known = [dataset, *(one for _, one in found)]
        if same and same[0].label.kind == dataset.label.kind and all(_apart(same[0], one) for one in known):
            found.append((rank, same[0]))
    return found


def _apart(one: Fact, other: Fact) -> bool:
    share = overlap(one.order.sketch, other.order.sketch)
    if share is not None:
        return share < 0.5
    ids = {(part.sharding.num_shards, part.sharding.shard_id) for part in (one, other)}
    return len(ids) == 2 and all(number and number > 1 for number, _ in ids)


def _sequence_labels(run_data: RunData, dataset: Fact) -> Finding:
    label = dataset.label
    column = next((column for column in dataset.columns if column.name == label.column), Fact({}, COLUMN))
    few = column.kind == "int" and column.max is not None and column.max <= 255
    tokens = few and any(_same_vocabulary(column, other) for other in dataset.columns if other is not column)
    if (few and not tokens) or len(column.shape) >= 2:
        counted = judge_places(run_data, dataset, column)
        return counted or undecided(
            Text(
                "标签 {column} 是每个样本一组（分割或序列标注），未按像素/位置计数。",
                "Each sample carries many labels in {column} (segmentation or tagging); they were not counted by "
                "pixel or position.",
                column=label.column,
            ),
            Text("统计每个类别的像素数或位置数。", "Count the pixels or positions of each class."),
        )
    return not_applicable(
        Text(
            "标签 {column} 是序列，每个样本不属于某一个类别。",
            "Label {column} is a sequence: a sample does not belong to one class.",
            column=label.column,
        )
    )


def _same_vocabulary(column: Fact, other: Fact) -> bool:
    """Tokens that are predicted from tokens of the same kind, as in a language model; the tags of a tagger are fewer."""
    if other.kind != "int" or len(other.shape) != 1 or len(column.shape) != 1 or not other.max or not column.max:
        return False
    return column.max >= 8 and abs(column.max - other.max) <= 0.1 * other.max


def _continued_sequence(dataset: Fact, counts: dict) -> Optional[str]:
    """The column of sequences of which the label is the next symbol: the same vocabulary as the labels, and in the place next to
    them (the first or the last) a mean and spread as theirs, which features that only happen to be whole numbers do not have."""
    if dataset.label.kind not in ("class", "one_hot") or not all(key.lstrip("-").isdigit() for key in counts):
        return None
    labels, number = np.array([int(key) for key in counts], float), np.array(list(counts.values()), float)
    mean = float(np.average(labels, weights=number))
    std = math.sqrt(float(np.average((labels - mean) ** 2, weights=number)))
    if labels.max() < 8 or not std:
        return None
    for column in dataset.columns:
        places = column.channels
        if column.kind != "int" or len(column.shape) != 1 or column.shape[0] < 2 or not (places.mean and places.std):
            continue
        near = [
            abs(one - mean) <= 0.05 * std and abs(spread - std) <= 0.05 * std
            for one, spread in zip(places.mean, places.std)
        ]
        # places before the first symbol are filled up, and the more of them the further they lie from the label
        if (near[0] or near[-1]) and column.min == labels.min() and abs(column.max - labels.max()) <= 0.1 * column.max:
            return column.name
    return None


class _Balance:
    """The counts of one training set, with the shards of the other ranks, and what follows from them."""

    def __init__(self, run_data: RunData, dataset: Fact, counts: dict, shards: list):
        self.run_data, self.dataset, self.label, self.counts = run_data, dataset, dataset.label, dict(counts)
        self.ranks = [rank for rank, _ in shards]
        labels = [dataset.label, *(one.label for _, one in shards)]
        for label in labels[1:]:
            for key, count in label.counts.items():
                self.counts[key] = self.counts.get(key, 0) + count
        left_out = {str(number) for number in ignored_labels(run_data)}
        present = {key: count for key, count in self.counts.items() if count}
        counts = self.counts = {key: count for key, count in present.items() if key not in left_out} or present
        self.least, self.most = min(counts, key=lambda one: counts[one]), max(counts, key=lambda one: counts[one])
        self.ratio = counts[self.most] / counts[self.least]
        self.whole = all(label.complete_pass is not False for label in labels)
        said, kept = [label.counted_samples for label in labels], sum(counts.values())
        # of multi-hot labels each sample counts once
        self.samples = sum(said) if all(said) and self.label.kind != "class" else kept
        self.absent = _absent(run_data, counts) if self.whole and self.label.kind in ("class", "one_hot") else []

    def finding(self) -> Finding:
        if not self.whole and not self._enough():
            return undecided(
                Text(
                    "只看到一遍数据的一部分（{n} 个样本，{k} 类），不足以判断。",
                    "Only a part of a pass was seen ({n} samples, {k} classes): too little to judge.",
                    n=sum(self.counts.values()),
                    k=len(self.counts),
                ),
                Text("完整运行至少一个 epoch 的训练。", "Run one whole epoch of the training."),
                self._evidence(),
                [first_place(self.dataset)],
            )
        unbalanced = self.ratio >= self.run_data.limit("ds.03.ratio")
        few = self.counts[self.least] < self.run_data.limit("ds.03.few")
        if len(self.counts) == 1 and not self.absent:
            return undecided(
                Text("{counted}没有均衡可言。", "{counted} There is no balance to speak of.", counted=self._counted()),
                Text(
                    "核对标签是如何读取的（见 ds.02）；若本来就只学一类（如单类异常检测），没有问题。",
                    "See how the labels are read (ds.02); where a single class is learnt on purpose, as in the detection of "
                    "anomalies, all is well.",
                ),
                self._evidence(),
                [first_place(self.dataset)],
            )
        cut = self._cut_off()
        if cut is not None:
            return self._cut_through(cut)
        if not (unbalanced or few or self.absent):
            return ok(self._counted(), self._evidence())
        # of a set so small, as a truth table is, no class is rare beside the others
        small = self.samples < self.run_data.limit("ds.03.few") * len(self.counts)
        held = self._held_out() if small and not has_two_values(self.dataset) else 0
        if held and held >= self.run_data.limit("ds.03.held_out") * self.samples:
            return self._too_small(held)
        if small and not (unbalanced or self.absent):
            return undecided(
                Text(
                    "{counted}整个训练集样本太少，谈不上类别均衡。",
                    "{counted} The whole training set is too small to speak of a balance of classes.",
                    counted=self._counted(),
                ),
                Text(
                    "若这就是全部可能的输入（如真值表），没有问题；否则补充数据。",
                    "If these are all inputs there can be, as in a truth table, all is well; otherwise collect more data.",
                ),
                self._evidence(),
                [first_place(self.dataset)],
            )
        ratios = [] if few or self.absent else [self._outweighs(one) for one in seen_weights(self.run_data)]
        weights = [ratio for ratio in ratios if ratio is not None]
        if weights and min(weights) < 1 / _ALIKE:
            return self._lighter(min(weights))
        counter = [] if few or self.absent else class_counters(self.run_data)
        even = bool(weights) and max(weights) <= _ALIKE  # weights of one number are none
        counter = [one for one in counter if goes_by_class(self.run_data, one)] if even else counter
        if counter or (weights and min(weights) > _ALIKE):
            return self._weighted(counter, weights)
        return problem(
            Joined([self._counted(), self._absence() if self.absent else None], zh="", en=" "),
            Text(
                "为少数类补充或过采样数据，或对多数类降采样，并用加权 loss；评估时按类别分别看精度。",
                "Collect or oversample the rare classes, thin out the frequent ones or weight the loss, and look at "
                "the accuracy of each class.",
            ),
            self._evidence(),
            [
                *(weight_origins(self.run_data) if even else []),
                *sampler_weights(self.run_data),
                first_place(self.dataset),
                *self._label_origins(),
                *(row_origins(self.run_data, self._label_origins(4)) if self.absent else []),
                *self._losses(),
            ],
        )

    def _held_out(self) -> int:
        """The most different samples, none of them trained on, that the network was called with outside training."""
        return max([one.distinct or 0 for one in self.run_data.trained_samples if one.trained_on == 0], default=0)

    def _too_small(self, held: int) -> Finding:
        labels = self._label_origins(4)
        return problem(
            Text(
                "{counted}训练集只有这么多样本，而训练之外评估的样本有 {held} 个。",
                "{counted} That is all that is trained with, and the network is judged by {held} other samples.",
                counted=self._counted(),
                held=held,
            ),
            Text(
                "核对划分：把大部分样本用于训练，留出一小部分评估。",
                "Look at how the data are split: train with most of the samples, and keep a smaller part back.",
            ),
            self._evidence(),
            [*row_origins(self.run_data, labels), *labels, first_place(self.dataset)],
        )

    def _cut_off(self) -> Optional[str]:
        """The class of which a cut through a table sorted by class has left a part: each class comes as one run, or the code cuts
        unbalanced labels by position, and all but the first or last have nearly as many samples; None where there is none."""
        if not self.whole or len(self.counts) < 3 or not all(map(str.isdigit, self.counts)):
            return None
        entry = next(iter(self.dataset.order.passes), None)
        runs = entry.label_changes + 1 if entry is not None and entry.label_changes is not None else 0
        # a class that is only rare is no cut: where the order does not tell, the classes have to be unbalanced besides
        unbalanced = self.ratio >= self.run_data.limit("ds.03.ratio")
        if runs != len(self.counts) and not (unbalanced and self._cuts()):
            return None
        rest = [count for key, count in self.counts.items() if key != self.least]
        even = min(rest) >= self.run_data.limit("ds.03.even") * max(rest)
        part = self.counts[self.least] <= self.run_data.limit("ds.03.part") * min(rest)
        ends = min(self.counts, key=int), max(self.counts, key=int)
        return self.least if even and part and self.least in ends else None

    def _cuts(self) -> list:
        """Where the labels are cut by position, ``labels[:n]``."""
        source = self.run_data.source
        return [
            place
            for place in self._label_origins(4)
            for node in source.nodes(place.file or "", ast.Subscript)
            if node.lineno == place.line and _is_end(node.slice)
        ]

    def _cut_through(self, label: str) -> Finding:
        places = [*(self._cuts()[:1] or self._label_origins(4)), first_place(self.dataset)]
        return problem(
            Text(
                "{counted}其余各类数目相近，而类 {label} 只有 {n} 个：数据按类别排序后直接切分，"
                "切走的部分几乎都是这一类，训练集与验证/测试集的类别不同。",
                "{counted} All the other classes have nearly as many, and only {n} are of class {label}: a table that is sorted "
                "by class was cut by position, so that what was cut off is mostly of that class, and training and test do not "
                "have the same classes.",
                counted=self._counted(),
                label=label,
                n=self.counts[label],
            ),
            Text(
                "切分前先打乱样本，或按类别分层切分（train_test_split(..., stratify=y)）。",
                "Shuffle the samples before they are split, or split class by class (train_test_split(..., stratify=y)).",
            ),
            [*self._evidence(), self.run_data.code_at(places, Text("切分", "The split"))],
            places,
        )

    def _lighter(self, ratio: float) -> Finding:
        """Unbalanced, with a loss that makes it worse."""
        places = weight_origins(self.run_data)
        return problem(
            Text(
                "{counted}loss 给最少的类 {least} 的权重只有给最多的类 {most} 的 {ratio} 倍：它使不均衡更加严重。",
                "{counted} The loss weights a sample of the smallest class, {least}, only {ratio} times as much as one of the "
                "largest, {most}: it makes the imbalance worse.",
                counted=self._counted(),
                least=self.least,
                most=self.most,
                ratio=float(f"{ratio:.3g}"),
            ),
            Text(
                "把权重倒过来：样本越少的类权重越大（如 pos_weight = 负样本数 / 正样本数）。",
                "Turn the weights round: the fewer samples a class has, the larger its weight is (pos_weight = negatives / "
                "positives).",
            ),
            self._evidence(),
            [*(places or self._losses()), first_place(self.dataset)],
        )

    def _weighted(self, counter: list, weights: list) -> Finding:
        """Unbalanced, with a loss that goes by class or weights them: ok, unless weights were not seen."""
        by_class = any(BY_CLASS.search(one.class_ or "") for one in self.run_data.losses)
        says = Text(
            "{counted}类别不均衡，但 loss 按类别计算或带权重（{where}）。",
            "{counted} The classes are unbalanced, but the loss goes by class or by weight ({where}).",
            counted=self._counted(),
            where=at(counter[0]) if counter else Text("实测的权重", "as its weights were measured"),
        )
        if by_class or (weights and min(weights) > _ALIKE):
            return ok(says, self._evidence(), counter)
        return undecided(
            says,
            Text("确认样本越少的类权重越大。", "See that the fewer samples a class has, the larger its weight is."),
            self._evidence(),
            [*counter, first_place(self.dataset)],
        )

    def _outweighs(self, weights: list) -> Optional[float]:
        """How many times a sample of the rarest class counts one of the most frequent; None: they are not numbered so."""
        numbers = [int(key) for key in (self.least, self.most) if str(key).isdigit()]
        if len(numbers) != 2 or max(numbers) >= len(weights):
            return None
        least, most = (weights[number] for number in numbers)
        return least / most if least is not None and most is not None and least >= 0 and most > 0 else None

    def _label_origins(self, most: int = 2) -> list:
        """Where the labels got their values: a class that is missing may have been lost there."""
        columns = [one for one in self.dataset.columns if one.name == self.label.column]
        return array_origins(self.run_data, self.dataset, columns[0])[:most] if columns else []

    def _losses(self) -> list:
        """Where the loss is called and made that counts all samples alike."""
        seen = self.run_data.probes.losses
        used = [one.place for one in (*seen, *self.run_data.losses) if one.place][:2]
        return [*used, *(line for one in seen[:1] for line in loss_lines(self.run_data, one.name))]

    def _enough(self) -> bool:
        mixed = [
            entry.label_segment_dependence
            for entry in self.dataset.order.passes
            if entry.label_segment_dependence is not None
        ]
        enough = sum(self.counts.values()) >= self.run_data.limit("ds.03.per_class") * len(self.counts)
        return (
            enough
            and len(self.counts) > 1
            and bool(mixed)
            and max(mixed) < self.run_data.limit("dp.03.weak_dependence")
        )

    def _counted(self) -> Text:
        most = self.counts[self.most]
        if len(self.counts) == 1:
            return Text(
                "{n} 个样本都属于同一类（{most}）。",
                "{n} samples, all of one class ({most}).",
                n=self.samples,
                most=self.most,
            )
        if most == self.counts[self.least]:
            return Text(
                "{n} 个样本、{k} 类：每类 {each} 个。",
                "{n} samples in {k} classes, {each} in each.",
                n=self.samples,
                k=len(self.counts),
                each=most,
            )
        return Text(
            "{n} 个样本、{k} 类：最多的类 {most} 有 {high} 个，最少的类 {least} 有 {low} 个，比值 {ratio}。",
            "{n} samples in {k} classes: {high} in the largest ({most}), {low} in the smallest ({least}), ratio "
            "{ratio}.",
            n=self.samples,
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
            counts_figure(self.counts),
            note(
                "各 rank 读取不同的样本；这里是 rank {ranks} 的样本数之和。",
                "Each rank reads samples of its own: these are the counts of ranks {ranks} together.",
                ranks=listed([0, *self.ranks]),
            )
            if self.ranks
            else None,
            table(
                Text("各类样本数", "Samples per class"),
                [Text("类别", "class"), Text("样本数", "samples")],
                rows,
                Text(
                    "均值 {mean}，标准差 {deviation}。",
                    "Mean {mean}, standard deviation {deviation}.",
                    mean=round(mean, 1),
                    deviation=round(deviation, 1),
                ),
            ),
            note("只统计了一遍数据的一部分。", "Only a part of a pass was counted.") if not self.whole else None,
            self._weights(),
            self.run_data.code(first_place(self.dataset), Text("训练集的创建", "Where the training set is created")),
        ]

    def _weights(self):
        weighted = [loss for loss in self.run_data.losses if re.search(r"\bweight\s*=\s*(?!None)", loss.args)]
        if not weighted:
            return None
        return note(
            "loss 设置了类别权重（{args}）；它减轻不均衡的影响，但不改变数据。",
            "The loss weights the classes ({args}): this softens the imbalance but does not change the data.",
            args=weighted[0].args,
        )


def _absent(run_data: RunData, counts: dict) -> list:
    """Class ids without a sample: gaps between the ids seen, and outputs of a cross-entropy head beyond them.

    Ids that start at 1, codes such as -1/+1, and ids with more gaps than classes are other numberings.
    """
    if not all(re.fullmatch(r"\d{1,6}", key) for key in counts) or len(counts) < 2:
        return []
    ids = sorted(int(key) for key in counts)
    last = max(ids[-1], (head_outputs(run_data) or 0) - 1)
    absent = (
        [number for number in range(ids[0], last + 1) if str(number) not in counts] if last <= 2 * ids[-1] + 1 else []
    )
    return absent if len(absent) <= len(ids) / 2 else []


def head_outputs(run_data: RunData) -> Optional[int]:
    """The classes that a cross-entropy compares with the labels: as captured, else those of the network's last Dense."""
    if not any(re.search(r"cross_?entropy|nll", loss.class_ or "", re.IGNORECASE) for loss in run_data.losses):
        return last_outputs(run_data) if not run_data.losses and _writes_cross_entropy(run_data) else None
    given = [one.predicted.shape for one in run_data.probes.losses if one.kind in ("softmax_cross_entropy", "nll")]
    seen = {shape[1] for shape in given if len(shape) > 1}
    if seen:
        return seen.pop() if len(seen) == 1 else None
    return last_outputs(run_data)


def _writes_cross_entropy(run_data: RunData) -> bool:
    """Whether a function computes a cross-entropy by itself, of one-hot rows and the logarithm of a softmax."""
    return all(run_data.find_lines(one, 1) for one in (r"\b(log_)?softmax\(", r"\b(ops|mint|F)\.one_hot\("))


def last_layer(run_data: RunData) -> Optional[Fact]:
    """The place where the training network's last layer is made, where `last_outputs` knows it."""
    if last_outputs(run_data) is None:
        return None
    network = next(network for network in run_data.networks if network.role == "train")
    return [cell for cell in network.cells if cell.parameters][-1].created or None


def last_outputs(run_data: RunData) -> Optional[int]:
    """The outputs of the training network's last layer, where that is a Dense, and no head beside others."""
    networks = [network for network in run_data.networks if network.role == "train"]
    cells = [cell for cell in networks[0].cells if cell.parameters] if len(networks) == 1 else []
    if not cells or cells[-1].class_ != "Dense":
        return None
    before = cells[-2] if len(cells) > 1 and cells[-2].class_ == "Dense" else None
    inputs, outputs = _width("in", cells[-1]), _width("out", cells[-1])
    parallel = before is not None and inputs is not None and _width("in", before) == inputs != _width("out", before)
    return None if parallel else outputs


def _width(side: str, cell: Fact) -> Optional[int]:
    found = re.search(rf"\b{side}(?:put)?_channels\s*=\s*(\d{{1,6}})\b", cell.args or "")
    return int(found.group(1)) if found else None


def _is_end(index: ast.expr) -> bool:
    """``[:n]`` or ``[n:]``: what comes before or behind a position."""
    return isinstance(index, ast.Slice) and index.step is None and (index.lower is None) != (index.upper is None)
