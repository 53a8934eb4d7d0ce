"""Are the labels of the kind, in the range, and of a piece with their inputs? (ds.02)"""

import ast
import re
from typing import Optional

import numpy as np

from msprec.bilingual import Text, listed
from msprec.checklists.common.array_origin import array_origins
from msprec.checklists.common.findings import first_place, missing, op_place, role_of
from msprec.checklists.common.input_scale import values_in
from msprec.checklists.common.loss_with_inputs import BCE, BCE_LOGITS
from msprec.checklists.common.missing_value_codes import passes_of
from msprec.checklists.common.reordered_alone import reordered_alone
from msprec.checklists.common.scores_at_odds import scores_at_odds
from msprec.checklists.common.target_columns import column_of
from msprec.checklists.common.training_curves import validation_scores
from msprec.checklists.common.training_segments import last_training_start
from msprec.checklists.ds.class_counts import head_outputs, last_layer, last_outputs
from msprec.checklists.ds.label_validity.box_corners import corners_exchanged
from msprec.checklists.ds.label_validity.compared_predictions import classless_argmax, compared_out_of_order
from msprec.checklists.ds.pixel_class_balance import counts_figure, ignored_labels
from msprec.engine.finding import Finding, figure, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import DATASETS, LABEL_SHEET

_CLASS_LOSS = re.compile(r"cross_?entropy|nll", re.IGNORECASE)
_BINARY_LOSS = re.compile(r"bce|binary_cross_entropy", re.IGNORECASE)
_LEAST = 32
#: What the kernel says that takes the score of each label, given one that it has none for.
_PICKED = re.compile(r"GatherD.*?must be in \[-\d+, ?(\d+)\), but got: ?(-?\d+)", re.DOTALL)


def judge_labels(run_data: RunData, dataset: Fact) -> Finding:
    """The finding on the labels of one data set."""
    label = dataset.label
    column = next((one for one in dataset.columns if one.name == label.column), None)
    if column is None:
        return missing("标签列的统计", "statistics of the label column")
    place = op_place(dataset, "map") if _label_is_mapped(dataset) else None
    places = [place or first_place(dataset)]
    shown = [_contradictions(dataset), _sheet(run_data, dataset), _suspects(run_data)]
    checks = (
        _refused,
        _out_of_range,
        _counted_from_one,
        _not_binary,
        _wrong_kind,
        _no_distribution,
        _constant,
        _numbered_otherwise,
        _scored_otherwise,
        classless_argmax,
        compared_out_of_order,
        corners_exchanged,
    )
    for check in (
        *checks,
        _contradicting,
        _relabelled,
        _reordered,
        _contradicted_by_network,
        _worse_than_on_validation,
    ):
        wrong = check(run_data, dataset, column)
        if wrong is not None:
            says, advice, *where = wrong
            # labels that begin at 0 are counted as they should: the outputs may be too few
            head = last_layer(run_data) if check in (_refused, _out_of_range) and column.min == 0 else None
            origins = array_origins(run_data, dataset, column)
            places = [*where, *places, *([head] if head is not None else []), *origins]
            code = run_data.code_at(places, Text("标签的来处", "Where the labels come from"))
            return problem(
                Text("{says}。", "{says}.", says=says),
                advice,
                [counts_figure(label.counts), *shown, code],
                places,
            )
    share = _well_learned(run_data)
    if share is not None and label.kind in ("class", "one_hot"):
        return ok(
            Text(
                "标签的取值、种类都正确，没有相同输入而标签不同的样本；验证精度 {share}、训练 loss 也低，"
                "错误的标签至多占很小一部分。",
                "The labels are in range and of the right kind, and no identical inputs contradict each "
                "other; with a validation accuracy "
                "of {share} and a low training loss at most a few can be wrong.",
                share=f"{100 * share:.1f} %",
            ),
            shown,
        )
    return undecided(
        Text(
            "标签列 {column}（{kind}）的取值与种类正确，没有自相矛盾；每个标签是否正确需要人工抽查。",
            "Column {column} ({kind}) is in range, of the right kind and free of contradictions; whether "
            "each label is right takes a "
            "person to see.",
            column=label.column,
            kind=label.kind,
        ),
        Text(
            "对照下面按类别抽取的样本（图片在运行目录的 samples/ 中），逐个核对标签。",
            "Compare the samples below, drawn class by class (pictures are in samples/ of the run folder), with their labels.",
        ),
        shown,
        places,
    )


def _label_is_mapped(dataset: Fact) -> bool:
    names = [step.args.get("input_columns") for step in dataset.pipeline if step.op == "map"]
    return any(dataset.label.column in _several(one) for one in names)


def _losses(run_data: RunData, pattern) -> list:
    return [loss for loss in run_data.losses if pattern.search(loss.class_ or "")]


# --- what can be wrong: each gives (sentence, advice) or None; one that knows the place gives it too ------------------


def _refused(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """The kernel that picks the score of the label refused one: the script ended there."""
    exception = run_data.run.exit.exception
    said = _PICKED.search(exception.message or "")
    if said is None or dataset.label.kind not in ("class", "sequence") or column.min is None or column.max is None:
        return None
    outputs, label = int(said.group(1)), int(said.group(2))
    if label not in (column.min, column.max) and str(label) not in {**column.values, **column.element_values}:
        return None  # another index than the label
    if not run_data.losses or label in ignored_labels(run_data):
        return None
    return (
        Text(
            "脚本中断：标签 {label} 超出网络的 {n} 个类别（0 到 {last}），标签列 {column} 的取值为 {low} 到 {high}",
            "The script ended at label {label}, which lies beyond the {n} classes of the network (0 to {last}); column {column} "
            "runs from {low} to {high}",
            label=label,
            n=outputs,
            last=outputs - 1,
            column=column.name,
            low=column.min,
            high=column.max,
        ),
        Text(
            "把标签映射到 0 到类别数减 1，或改正网络的输出数；要忽略的标签用损失函数的 ignore_index 声明。",
            "Map the labels to 0 up to the number of classes less one, or correct the number of outputs; declare labels to be "
            "left out as ignore_index of the loss.",
        ),
    )


def _out_of_range(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Class ids that the head has no output for."""
    outputs = head_outputs(run_data)
    if dataset.label.kind != "class" or outputs is None or outputs < 2 or column.min is None or column.max is None:
        return None
    several = [one for one in dataset.columns if one.kind == "int" and all(size == 1 for size in one.shape)]
    if _losses(run_data, _BINARY_LOSS) or len(several) > 1:
        return None  # of several heads it is not known which one the label belongs to
    if _renumbered_later(run_data, outputs) or _of_other_heads(run_data, dataset):
        return None
    ignored = ignored_labels(run_data)
    if column.values:
        bad = {int(v): n for v, n in column.values.items() if re.fullmatch(r"-?\d{1,15}", v)}
        bad = {v: n for v, n in bad.items() if (v < 0 or v >= outputs) and v not in ignored}
        if not bad:
            return None
        values, count = sorted(bad), round(sum(bad.values()) / passes_of(dataset))
    elif column.max >= outputs or (column.min < 0 and column.min not in ignored):
        values, count = [v for v in (column.min, column.max) if v < 0 or v >= outputs], None
    else:
        return None
    many = Text("（{n} 个）", " ({n} of them)", n=count) if count is not None else Text("", "")
    first = (
        Text("标签似乎从 1 开始编号；", "The labels seem to start at 1; ")
        if column.min == 1 and column.max == outputs
        else Text("", "")
    )
    return (
        Text(
            "标签 {values}{many} 超出网络的 {n} 个类别（0 到 {last}）",
            "Labels {values}{many} lie beyond the {n} classes of the network (0 to {last})",
            values=listed(values),
            many=many,
            n=outputs,
            last=outputs - 1,
        ),
        Text(
            "{first}把标签映射到 0 到类别数减 1，或改正网络的输出数；要忽略的标签用损失函数的 ignore_index 声明。",
            "{first}map the labels to 0 up to the number of classes less one, or correct the number of "
            "outputs; declare labels to be "
            "left out as ignore_index of the loss.",
            first=first,
        ),
    )


def _of_other_heads(run_data: RunData, dataset: Fact) -> bool:
    """Whether the set fed an earlier training as well, whose network may have had a head of another size."""
    start = last_training_start(run_data)
    return bool(start) and (dataset.fed or 0) > run_data.training_steps - start


def _renumbered_later(run_data: RunData, outputs: int) -> bool:
    """Whether the code counts the labels anew after delivery: the loss was seen to be given others, or 1 is taken off them."""
    given = [
        one.labels
        for one in run_data.probes.losses
        if one.kind in ("softmax_cross_entropy", "nll") and one.labels.shape
    ]
    if given:
        known = [one for one in given if one.min is not None and one.max is not None]
        return bool(known) and all(one.min >= 0 and one.max < outputs for one in known)
    return any(_takes_one_off(node) for scope in run_data.source.delivered_scopes() for node in ast.walk(scope.node))


def _takes_one_off(node: ast.AST) -> bool:
    """``y - 1`` or ``y -= 1``."""
    what: ast.expr
    if isinstance(node, ast.AugAssign):
        what, number = node.target, node.value
    elif isinstance(node, ast.BinOp):
        what, number = node.left, node.right
    else:
        return False
    one = isinstance(number, ast.Constant) and number.value == 1
    return isinstance(node.op, ast.Sub) and one and isinstance(what, (ast.Name, ast.Subscript))


def _counted_from_one(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Labels 1 to N for a head of N outputs, whatever the loss is written with; one_hot makes nothing of the last of them."""
    outputs = head_outputs(run_data) or last_outputs(run_data)
    # rows of zeros in what a loss is given are what one_hot made of the last class
    emptied = any(one.targets.not_one and not one.targets.several for one in run_data.probes.losses)
    if dataset.label.kind != "class" or not outputs or outputs < 3 or not column.values:
        return None
    if run_data.losses and not emptied:
        return None
    if {f"{n}" for n in range(1, outputs + 1)} != set(column.values):
        return None
    hot = run_data.find_lines(r"(?i)one_?hot\(", 3)
    if not hot or run_data.find_lines(r"\b\w+\s*-=?\s*1\b", 1):
        return None  # something may count from zero again before the loss
    return (
        Text(
            "标签为 1 到 {n}，而网络有 {n} 个输出（0 到 {last}）：one_hot 把标签 {n} 变成全零",
            "Labels run from 1 to {n} for the {n} outputs of the network (0 to {last}): one_hot turns label {n} into zeros",
            n=outputs,
            last=outputs - 1,
        ),
        Text("把标签减 1，使其从 0 开始。", "Subtract 1 from the labels, so that they start at 0."),
        *hot[:1],
    )


def _no_distribution(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Soft labels of a cross-entropy that do not add up to one; rows of zeros may be left out on purpose."""
    sums, only = column.row_sums, _losses(run_data, _CLASS_LOSS)
    if dataset.label.kind != "regression" or not only or len(only) < len(run_data.losses) or len(column.shape) != 1:
        return None
    if _losses(run_data, _BINARY_LOSS) or not sums.rows or (column.min or 0) < -1e-6 or (column.max or 0) > 2 + 1e-6:
        return None
    bad = sums.rows - (sums.one or 0) - (sums.zero or 0)
    if bad < max(1, 0.01 * sums.rows):
        return None
    return (
        Text(
            "交叉熵 {loss} 的软标签 {column} 应逐个样本加和为 1，而 {rows} 个样本中有 {n} 个不是（和为 {low} 到 {high}）",
            "The soft labels in {column} should add up to 1 for {loss}, and do not in {n} of {rows} samples (sums from {low} to "
            "{high})",
            loss=only[0].class_,
            column=column.name,
            n=round(bad / passes_of(dataset)),
            rows=round(sums.rows / passes_of(dataset)),
            low=sums.min,
            high=sums.max,
        ),
        Text(
            "检查软标签的计算，例如 mixup 应为 λ·a + (1−λ)·b。",
            "See how the soft labels are computed; those of a mixup are λ·a + (1−λ)·b.",
        ),
    )


def _numbered_otherwise(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Folders of classes that training and evaluation number differently."""
    mine = _class_numbers(dataset)
    for other in run_data.datasets_of("eval", "predict"):
        theirs = _class_numbers(other)
        moved = [name for name in mine if name in theirs and theirs[name] != mine[name]]
        if not moved or len(mine.keys() & theirs.keys()) <= 0.5 * len(theirs):
            continue
        return (
            Text(
                "{n} 个类别在训练集与{role}中的编号不同（如 {name}：{a} 与 {b}）：ImageFolderDataset 按文件夹排序编号，"
                "两边的文件夹不一致",
                "{n} classes have another number in the {role} than in training (such as {name}: {a} in training, {b} there): "
                "ImageFolderDataset numbers the sorted folders, and the two sets do not have the same ones",
                n=len(moved),
                role=role_of(other),
                name=moved[0],
                a=mine[moved[0]],
                b=theirs[moved[0]],
            ),
            Text(
                "给两个数据集传入同一个 class_indexing，或补齐空缺的类别文件夹。",
                "Pass the same class_indexing to both data sets, or make the folders the same.",
            ),
        )
    return None


def _scored_otherwise(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """What was learnt is held against other labels than those that were learnt."""
    odds = scores_at_odds(run_data)
    if odds is None:
        return None
    return (
        Text(
            "训练与评估的标签对不上：{what}。网络学到的答案与评估所用的答案编号不同（例如类别相差 1），或比较本身写错了",
            "The labels of training and evaluation do not agree: {what}. What the network learnt is held against answers that "
            "are numbered otherwise (classes that are one off, for example), or the comparison itself is wrong",
            what=odds.words(),
        ),
        Text(
            "取一个样本，打印训练所用的标签、预测的 argmax 与评估时比较的标签，三者应当一致。",
            "Take one sample and print the label that is trained with, the argmax of the prediction, and the label that the "
            "evaluation compares it with: they have to be the same.",
        ),
        *([odds.place] if odds.place else []),
    )


def _class_numbers(dataset: Fact) -> dict:
    """Class name → label of a data set that reads folders of pictures; {} where it is another kind, or labels are mapped."""
    sources = [step.args.get("classes") for step in dataset.pipeline if step.op == "ImageFolderDataset"]
    known = isinstance(sources[0], dict) if len(sources) == 1 else False
    return sources[0] if known and not _renumbered(dataset) else {}


def _renumbered(dataset: Fact) -> bool:
    """Whether a map on the labels may do more than change their type."""
    maps = [step.args for step in dataset.pipeline if step.op == "map"]
    mine = [one for one in maps if dataset.label.column in _several(one.get("input_columns"))]
    return any(not str(text).startswith("TypeCast") for one in mine for text in _several(one.get("operations")))


def _several(value) -> list:
    return value if isinstance(value, list) else [value]


def _not_binary(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Targets of a binary cross-entropy beyond 0 and 1."""
    only = _losses(run_data, _BINARY_LOSS)
    if not only or len(only) < len(run_data.losses) or column.min is None or column.max is None:
        return None
    if _within_unit(column) or not _given_to_loss(run_data, column):
        return None
    # rows of boxes, padded with -1: the targets of the loss are made of them
    if not run_data.probes.losses and len(column.shape) == 2 and column.min < 0:
        return None
    return (
        Text(
            "二元交叉熵 {loss} 的标签应在 0 到 1 之间，实际为 {low} 到 {high}",
            "The labels of {loss} have to lie between 0 and 1, and range from {low} to {high}",
            loss=only[0].class_,
            low=column.min,
            high=column.max,
        ),
        Text("把标签映射到 0 和 1。", "Map the labels to 0 and 1."),
    )


def _within_unit(values: Fact) -> bool:
    return values.min >= -1e-6 and values.max <= 1 + 1e-6


def _given_to_loss(run_data: RunData, column: Fact) -> bool:
    """Whether the binary loss may take this column; the targets of an autoencoder or of a discriminator are others.

    It does not where the targets of a captured batch are in range, or where nothing of its size enters the training step.
    """
    seen = [loss.labels for loss in run_data.probes.losses if loss.kind in (BCE, BCE_LOGITS)]
    if any(given.min is not None and given.max is not None and _within_unit(given) for given in seen):
        return False
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "step" and one.arguments]
    sizes = [values_in(argument.shape) for one in calls for argument in one.arguments]
    own = values_in(column.shape)
    return not sizes or own is None or None in sizes or own in sizes


def _wrong_kind(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Real numbers where a cross-entropy takes the number of a class."""
    scalar = all(size == 1 for size in column.shape)
    only = _losses(run_data, _CLASS_LOSS)
    if dataset.label.kind != "regression" or not scalar or not only or len(only) < len(run_data.losses):
        return None
    if any(one.kind == "int" and all(size == 1 for size in one.shape) for one in dataset.columns):
        return None  # the classes may be in another column, and this one in a loss of the user's own
    if _losses(run_data, _BINARY_LOSS) or column.kind != "float" or _whole(column):
        return None
    return (
        Text(
            "交叉熵 {loss} 需要类别编号，而标签列 {column} 是实数（{low} 到 {high}）",
            "{loss} takes the numbers of classes, but column {column} holds real numbers ({low} to {high})",
            loss=only[0].class_,
            column=column.name,
            low=column.min,
            high=column.max,
        ),
        Text(
            "检查列的顺序与含义；类别标签用 int32，回归目标用 MSELoss 之类的损失。",
            "See whether the columns are in order and what they mean; classes are int32, and targets of a "
            "regression go with MSELoss or its "
            "kin.",
        ),
    )


def _whole(column: Fact) -> bool:
    return bool(column.values) and all(re.fullmatch(r"-?\d+", value) for value in column.values)


def _constant(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """One and the same label throughout."""
    seen = dataset.label.counted_samples or dataset.scanned.samples or 0
    one_class = dataset.label.kind in ("class", "one_hot") and len([n for n in dataset.label.counts.values() if n]) == 1
    one_value = dataset.label.kind == "regression" and column.min is not None and column.min == column.max
    if seen < _LEAST or not (one_class or one_value):
        return None
    compared = _losses(run_data, _CLASS_LOSS) or _losses(run_data, _BINARY_LOSS) or _is_target(run_data, column)
    if one_class and not compared:
        return None  # a column that no loss compares with, as of an autoencoder
    if one_class and _other_ranks_differ(run_data, dataset):
        return None  # divided among the ranks by class
    value = next((v for v, n in dataset.label.counts.items() if n), column.min)
    return (
        Text("全部 {n} 个样本的标签都是 {value}", "All {n} samples bear the label {value}", n=seen, value=value),
        Text("检查标签是如何读取和映射的。", "See how the labels are read and mapped."),
    )


def _other_ranks_differ(run_data: RunData, dataset: Fact) -> bool:
    """Whether another rank was given labels of this column and not this one, as where the set is divided by class."""
    own = _labels_of(dataset)
    seen = (
        _labels_of(one)
        for rank in run_data.folder.ranks()
        for one in run_data.file("datasets", DATASETS, rank).datasets
        if one.role == dataset.role and one.label.column == dataset.label.column
    )
    return any(labels and not labels & own for labels in seen)


def _labels_of(dataset: Fact) -> set:
    return {value for value, count in dataset.label.counts.items() if count}


def _is_target(run_data: RunData, column: Fact) -> bool:
    """Whether a loss of the step that was run again is given just this column."""
    losses = [*run_data.probes.losses, *run_data.probes.own_losses]
    found = [column_of(run_data, one.targets) for one in losses if one.targets]
    return any(one is not None and one[1].name == column.name for one in found)


def _contradicting(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Identical samples with different labels; short or coarse ones coincide by chance and prove nothing."""
    found = dataset.contradictions
    if not found.samples or not found.contradicting or (found.elements or 0) < run_data.limit("ds.02.elements"):
        return None
    share = found.contradicting / found.samples
    if share < run_data.limit("ds.02.contradictions") or (found.groups or 0) < run_data.limit("ds.02.groups"):
        return None
    if (found.distinct or 0) < run_data.limit("ds.02.distinct") * found.samples:
        return None  # few different inputs: their labels are random by nature
    return (
        Text(
            "{n} 个样本（{share}）的输入与别的样本完全相同而标签不同，共 {groups} 组（例如位置 {places}，标签 {labels}）",
            "{n} samples ({share}) have the very inputs of another sample under another label, in {groups} "
            "groups (such as positions {places} "
            "with labels {labels})",
            n=found.contradicting,
            share=f"{100 * share:.3g} %",
            groups=found.groups,
            places=listed(found.examples[0].positions) if found.examples else "?",
            labels=listed(found.examples[0].labels) if found.examples else "?",
        ),
        Text(
            "核对这些样本，更正或删除标签错误的副本。",
            "Look at these samples; correct the wrong copies or take them out.",
        ),
    )


def _relabelled(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Samples that come under another label in each pass, as inputs and labels do that are shuffled by themselves."""
    found, counts = dataset.contradictions, list(dataset.label.counts.values())
    again = found.again
    if not again or not sum(counts) or (again.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    if last_training_start(run_data):
        return None  # another training may learn other labels of the same inputs
    if (found.distinct or 0) < run_data.limit("ds.02.distinct") * (found.samples or 0):
        return None  # few different inputs: their labels are random by nature
    chance = 1 - sum((count / sum(counts)) ** 2 for count in counts)
    if not chance or again.relabelled < run_data.limit("ds.02.relabelled") * chance * again.samples:
        return None
    reordered = reordered_alone(run_data)
    return (
        Text(
            "后面各遍中有 {samples} 个样本在第一遍出现过，其中 {n} 个（{share}）的标签与第一遍不同：标签不属于各自的输入",
            "Of {samples} samples of later passes that came in the first, {n} ({share}) bear another label there: labels do not "
            "belong to their inputs",
            samples=again.samples,
            n=again.relabelled,
            share=f"{100 * again.relabelled / again.samples:.3g} %",
        ),
        Text(
            "输入与标签须以同一顺序打乱：只抽取一次下标（order = rng.permutation(n)），两者都用它取值。",
            "Put inputs and labels into one order: draw the indices once (order = rng.permutation(n)) and take both by them.",
        ),
        *([reordered.place] if reordered is not None else []),
    )


def _reordered(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Arrays of one sample each row, of which one was put into a new order by itself."""
    found = reordered_alone(run_data)
    if found is None or _well_learned(run_data) is not None:
        return None
    return (
        Text(
            "{array} 的样本顺序被重新打乱，而 {partner} 保持原来的顺序：标签不再属于各自的输入",
            "{array} is put into a new order and {partner} is not put into the same: labels no longer belong to their inputs",
            array=found.array,
            partner=found.partner,
        ),
        Text(
            "用同一组下标打乱两者：{array} = {array}[order]，{partner} = {partner}[order]。",
            "Put both into one order: {array} = {array}[order] and {partner} = {partner}[order].",
            array=found.array,
            partner=found.partner,
        ),
        found.place,
    )


def _contradicted_by_network(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Labels that the trained network itself is sure are others (confident learning)."""
    found = run_data.probes.labels
    if dataset.label.kind not in ("class", "one_hot") or (found.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    share = (found.suspects or 0) / found.samples
    if share < run_data.limit("ds.02.suspects") or _network_is_to_blame(run_data) is not False:
        return None
    one = found.examples[0] if found.examples else None
    return (
        Text(
            "训练后的网络认为 {samples} 个样本中 {n} 个（{share}）的标签是错的，并且很有把握{example}",
            "The trained network is sure that {n} of {samples} samples ({share}) bear a wrong label{example}",
            n=found.suspects,
            samples=found.samples,
            share=f"{100 * share:.3g} %",
            example=Text("", "")
            if one is None
            else Text(
                "（例如第 {at} 个：标签 {label}，网络以 {p} 的概率认为是 {other}）",
                " (such as number {at}: labelled {label}, by the network {other} with a probability of {p})",
                at=one.position,
                label=one.label,
                other=one.predicted,
                p=one.probability,
            ),
        ),
        Text(
            "核对列出的样本（按训练中最初的顺序编号）；检查标签的读取、排序与映射。",
            "Look at the samples listed (numbered as they first came to training); see how labels are read, ordered and mapped.",
        ),
    )


def _worse_than_on_validation(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Training labels that the network contradicts where it is surest, by more than it errs on all of the validation data."""
    found = run_data.probes.labels
    if dataset.label.kind not in ("class", "one_hot") or (found.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    score = max(validation_scores(run_data, r"acc|top_?1"), default=None)
    if score is None or not found.surest or found.surest_wrong is None or found.accuracy is None:
        return None
    wrong = found.surest_wrong / found.surest
    # of classes that come one after the other a network knows the last alone
    learned = found.accuracy - (found.majority or 0) >= run_data.limit("ds.02.learned") / 2 * (
        1 - (found.majority or 0)
    )
    if wrong - (1 - score) < run_data.limit("ds.02.more_wrong") or score <= found.accuracy or not learned:
        return None
    return (
        Text(
            "网络在验证数据上的精度为 {score}，而它最有把握的一半训练样本中有 {wrong} 的标签与它的预测不符：训练标签很可能有误",
            "The network is right for {score} of the validation data, and of the training samples that it is surest of {wrong} "
            "bear another label than it predicts: labels of the training set are likely wrong",
            score=f"{100 * score:.3g} %",
            wrong=f"{100 * wrong:.3g} %",
        ),
        Text(
            "抽查训练样本的标签，检查标签的读取、排序与映射是否与验证数据一致。",
            "Look at labels of the training set; see whether they are read, ordered and mapped as those of the validation data.",
        ),
    )


def _network_is_to_blame(run_data: RunData) -> Optional[bool]:
    """Whether the network may be wrong where it contradicts the labels; None where that is not known.

    It is trusted where it has learned most of what the most frequent label alone leaves open, where not all of its
    probabilities are 1 (outputs of a large scale), and where its surest predictions contradict the labels as well: errors of
    a network and of classes that overlap lie among the unsure ones.
    """
    found = run_data.probes.labels
    if None in (found.accuracy, found.majority, found.surest, found.surest_wrong, found.saturated) or not found.surest:
        return None
    limit = run_data.limit
    learned = found.accuracy - found.majority >= limit("ds.02.learned") * (1 - found.majority)
    share = found.surest_wrong / found.surest
    sure = share >= limit("ds.02.suspects") and share >= limit("ds.02.surest") * (1 - found.accuracy)
    return not (learned and sure and found.saturated < limit("ds.02.saturated"))


# --- what speaks for the labels -------------------------------------------------------------------------------------


def _well_learned(run_data: RunData) -> Optional[float]:
    """The validation accuracy, where it and the training loss are so good that few labels can be wrong; else None.

    Wrong labels that are not memorised cost training loss; memorised ones cost validation accuracy.
    """
    if not _losses(run_data, _CLASS_LOSS) or len(run_data.losses) != 1:
        return None
    best = max(validation_scores(run_data, r"acc|top_?1"), default=None)
    losses = run_data.steps().observed("loss")
    if best is None or len(losses) < run_data.limit("ds.02.steps") or not np.isfinite(losses).all():
        return None
    last = float(losses[-max(5, len(losses) // 10) :].mean())
    good = best >= run_data.limit("ds.02.accuracy") and 0 <= last <= run_data.limit("ds.02.loss")
    return best if good else None


# --- evidence -------------------------------------------------------------------------------------------------------


def _contradictions(dataset: Fact):
    found = dataset.contradictions
    if not found.examples:
        return None
    rows = [[", ".join(map(str, one.positions)), ", ".join(map(str, one.labels))] for one in found.examples]
    heads = [Text("样本在第一遍中的位置", "positions in the first pass"), Text("标签", "labels")]
    title = Text(
        "{role}中输入相同而标签不同的样本",
        "Identical inputs with different labels in the {role}",
        role=role_of(dataset),
    )
    return table(title, heads, rows)


def _suspects(run_data: RunData):
    """What the trained network says of the labels it was trained with."""
    found = run_data.probes.labels
    if not found.examples:
        return None
    rows = [[one.position, one.label, one.predicted, one.probability, one.own] for one in found.examples]
    heads = [
        Text("训练中的序号", "number in training"),
        Text("标签", "label"),
        Text("网络的判断", "by the network"),
        Text("其概率", "its probability"),
        Text("标签的概率", "probability of the label"),
    ]
    says = None
    if found.accuracy is not None and found.majority is not None:
        says = Text(
            "网络对这些样本的训练精度为 {accuracy}，只猜最常见的标签为 {majority}；最有把握的 {surest} 个预测中有 {wrong} "
            "个与标签不符。类别重叠或网络没有学好时，错的可能是网络而不是标签。",
            "On these samples the network agrees with {accuracy} of the labels, and the most frequent label alone with "
            "{majority}; of its {surest} surest predictions {wrong} do not agree. Where classes overlap, or little was "
            "learned, the network may be wrong and not the label.",
            accuracy=f"{100 * found.accuracy:.1f} %",
            majority=f"{100 * found.majority:.1f} %",
            surest=found.surest,
            wrong=found.surest_wrong,
        )
    return table(Text("网络不认同的标签", "Labels that the network contradicts"), heads, rows, says)


def _sheet(run_data: RunData, dataset: Fact):
    """The sample for a person to look at."""
    sheet = run_data.file("label_sheet", LABEL_SHEET)
    if not sheet.samples or sheet.dataset not in (None, dataset.id):
        return None
    title = Text("按类别抽取的样本", "Samples drawn class by class")
    if any(one.file for one in sheet.samples):
        return figure(title, "label_sheet", {"samples": [_shown(one, run_data.rank) for one in sheet.samples]})
    rows = [[one.position, one.label, one.text or _values(one)] for one in sheet.samples]
    return table(
        title,
        [Text("第一遍中的位置", "position in the first pass"), Text("标签", "label"), Text("样本", "sample")],
        rows,
    )


def _shown(one: Fact, rank: int) -> dict:
    """A sample as the report's sheet takes it; files of rank 0 lie in the run folder itself, others in their rank's."""
    what = {"file": f"rank_{rank}/{one.file}" if rank else one.file} if one.file else {"text": one.text or _values(one)}
    return {"label": "" if one.label is None else f"{one.label:g}", "note": f"#{one.position}", **what}


def _values(one: Fact) -> str:
    return ", ".join(f"{v:.4g}" for v in one.values if v is not None)
