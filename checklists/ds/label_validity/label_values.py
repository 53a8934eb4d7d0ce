"""Labels out of their range, or of another kind than the loss takes (ds.02).

Each check gives ``(sentence, advice, places …)``, or None where it finds nothing.
"""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.data.input_scale import values_in
from msprec.checklists.common.data.missing_value_codes import passes_of
from msprec.checklists.common.loss.loss_targets import are_amounts
from msprec.checklists.common.loss.loss_with_inputs import BCE, BCE_LOGITS
from msprec.checklists.common.loss.target_columns import column_of
from msprec.checklists.common.script.setting_origin import UNITS, argument_origin
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.checklists.ds.class_counts import head_outputs, last_layer, last_outputs
from msprec.checklists.ds.pixel_class_balance import ignored_labels
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import DATASETS
from msprec.source.user_code import plain_number

#: The likelihood of amounts under a distribution takes no classes.
CLASS_LOSS = re.compile(r"cross_?entropy|(?<!gaussian)(?<!gaussian_)(?<!poisson)(?<!poisson_)nll", re.IGNORECASE)

BINARY_LOSS = re.compile(r"bce|binary_cross_entropy", re.IGNORECASE)

_LEAST = 32
#: A cast to a type of whole numbers.
_CAST = r"\.astype\(\s*[\"']?(np\.|numpy\.|ms\.|mnp\.)?int|dtype\s*=\s*[\"']?(np\.|numpy\.)?int|\bnp\.int(32|64)\("
#: Of standardised targets that were cut: fewest whole numbers, least and most deviation, mean over deviation at the most.
_STEPS, _DEVIATIONS, _NEAR = 4, (0.4, 1.6), 0.25

#: What the kernel says that takes the score of each label, given one that it has none for.
_PICKED = re.compile(r"GatherD.*?must be in \[-\d+, ?(\d+)\), but got: ?(-?\d+)", re.DOTALL)


def losses_like(run_data: RunData, pattern) -> list:
    return [loss for loss in run_data.losses if pattern.search(loss.class_ or "")]


def refused_by_kernel(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
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


def out_of_range(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Class ids that the head has no output for."""
    outputs = head_outputs(run_data)
    if dataset.label.kind != "class" or outputs is None or outputs < 2 or column.min is None or column.max is None:
        return None
    several = [one for one in dataset.columns if one.kind == "int" and all(size == 1 for size in one.shape)]
    if losses_like(run_data, BINARY_LOSS) or len(several) > 1:
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
        *argument_origin(run_data, last_layer(run_data), UNITS, "Dense", outputs),
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


def counted_from_one(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
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


def no_distribution(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Soft labels of a cross-entropy that do not add up to one; rows of zeros may be left out on purpose."""
    sums, only = column.row_sums, losses_like(run_data, CLASS_LOSS)
    if dataset.label.kind != "regression" or not only or len(only) < len(run_data.losses) or len(column.shape) != 1:
        return None
    if losses_like(run_data, BINARY_LOSS) or not sums.rows or (column.min or 0) < -1e-6 or (column.max or 0) > 2 + 1e-6:
        return None
    given = [one.labels for one in run_data.probes.losses if one.kind == "softmax_cross_entropy" and one.labels.shape]
    if given and not any(list(one.shape[1:]) == list(column.shape) for one in given):
        return None  # the loss was seen to be given other labels: the column is another training's target
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


def rows_without_class(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Rows of a softmax's targets that name no class, while a column of theirs is never a one: numbered one off."""
    sums, counts = column.row_sums, dataset.label.counts or {}
    only = losses_like(run_data, CLASS_LOSS)
    if not only or len(only) < len(run_data.losses) or losses_like(run_data, BINARY_LOSS) or len(column.shape) != 1:
        return None
    unused = [name for name, count in counts.items() if count == 0]
    if dataset.label.kind != "multi_hot" or not sums.rows or sums.max != 1 or not unused or len(counts) < 3:
        return None
    zero = sums.zero or 0
    if zero < 0.5 * sums.rows / len(counts):
        return None
    return (
        Text(
            "{loss} 的目标 {column} 中，{n}/{rows} 个样本的行全为 0，而第 {unused} 列从不为 1：类别编号与列对不上（相差 1？）；"
            "全 0 的行既没有 loss 也没有梯度，这些样本没有被学习",
            "In {column}, the targets of {loss}, the rows of {n} of {rows} samples are all zero, and column {unused} is never "
            "one: the numbers of the classes and the columns do not agree (one off?), and rows of zeros give neither loss nor "
            "gradient, so that these samples teach nothing",
            loss=only[0].class_,
            column=column.name,
            n=round(zero / passes_of(dataset)),
            rows=round(sums.rows / passes_of(dataset)),
            unused=listed(unused[:3]),
        ),
        Text(
            "类别从 1 开始编号时先减 1 再转成 one-hot，并核对评估时 argmax 与标签的编号是否一致。",
            "Where the classes count from 1, take 1 off before they become one-hot, and see that the evaluation compares the "
            "argmax with labels of the same numbering.",
        ),
        *_one_hot_places(run_data),
    )


def _one_hot_places(run_data: RunData) -> list:
    """Where rows of zeros get their ones by hand: ``row[label] = 1``."""
    code = run_data.source
    found = [(file, node) for file in code.trees for node in code.nodes(file, ast.Assign)]
    ones = [one for one in found if isinstance(one[1].targets[0], ast.Subscript) and plain_number(one[1].value) == 1]
    return [place(file, node.lineno) for file, node in ones[:3]]


def not_binary(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Targets of a binary cross-entropy beyond 0 and 1."""
    only = losses_like(run_data, BINARY_LOSS)
    if not only or len(only) < len(run_data.losses) or column.min is None or column.max is None:
        return None
    if _within_unit(column) or not _given_to_loss(run_data, column):
        return None
    if any(loss.kind in (BCE, BCE_LOGITS) and are_amounts(loss.labels) for loss in run_data.probes.losses):
        return None  # the loss is wrong for them (cg.04), and not they
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


def wrong_kind(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Real numbers where a cross-entropy takes the number of a class."""
    scalar = all(size == 1 for size in column.shape)
    only = [
        one for one in losses_like(run_data, CLASS_LOSS) if one.builtin
    ]  # a name alone does not tell what one takes
    if dataset.label.kind != "regression" or not scalar or not only or len(only) < len(run_data.losses):
        return None
    if any(one.kind == "int" and all(size == 1 for size in one.shape) for one in dataset.columns):
        return None  # the classes may be in another column, and this one in a loss of the user's own
    if losses_like(run_data, BINARY_LOSS) or column.kind != "float" or _whole(column):
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


def constant_labels(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """One and the same label throughout."""
    seen = dataset.label.counted_samples or dataset.scanned.samples or 0
    one_class = dataset.label.kind in ("class", "one_hot") and len([n for n in dataset.label.counts.values() if n]) == 1
    one_value = dataset.label.kind == "regression" and column.min is not None and column.min == column.max
    if seen < _LEAST or not (one_class or one_value):
        return None
    compared = losses_like(run_data, CLASS_LOSS) or losses_like(run_data, BINARY_LOSS) or _is_target(run_data, column)
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


def cut_to_whole(run_data: RunData, _dataset: Fact, column: Fact) -> Optional[tuple]:
    """Standardised targets of a regression that a cast to a type of whole numbers cut: a few whole numbers on both sides of 0,
    with a mean near 0 and a deviation near 1, beside such a cast in the code."""
    kinds = {one.kind for one in run_data.probes.losses}
    if not kinds or not kinds <= set(REGRESSION) or not _whole(column) or not _is_target(run_data, column):
        return None
    if None in (column.min, column.max, column.mean, column.std) or len(column.values) < _STEPS:
        return None
    low, high = _DEVIATIONS
    near = column.min < 0 < column.max and low <= column.std <= high and abs(column.mean) <= _NEAR * column.std
    casts = run_data.find_lines(_CAST, 4) if near else []
    if not casts:
        return None
    return (
        Text(
            "回归目标只有 {low} 到 {high} 的整数（均值 {mean}，标准差 {std}），而代码转换为整数类型：标准化后的小数部分被截掉",
            "The targets of a regression are whole numbers from {low} to {high} alone (mean {mean}, standard deviation {std}), "
            "and the code casts to a type of whole numbers: what a standardised target has behind the point is cut off",
            low=int(column.min),
            high=int(column.max),
            mean=float(f"{column.mean:.3g}"),
            std=float(f"{column.std:.3g}"),
        ),
        Text(
            "回归目标保持 float32；整数类型只用于类别编号。",
            "Keep the targets of a regression in float32; class numbers alone are whole.",
        ),
        *casts,
    )
