"""Rules of cg.04 on the targets of a loss: amounts, marks and classes that the output cannot reach or the loss does not take."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.class_numbers import squared_marks, squared_one_hot, taken_for_amounts
from msprec.checklists.common.loss.class_weights import check_class_weights
from msprec.checklists.common.loss.loss_with_inputs import (
    BCE,
    BCE_LOGITS,
    LossWithInputs,
    are_probabilities,
    operator_of,
    range_of,
    wrong_output,
)
from msprec.checklists.common.loss.target_columns import Beyond, beyond_range
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.array_origin import array_origins, label_origins
from msprec.checklists.common.script.call_sites import made_for_calls
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A loss that ignores what is named as padding, or the number that an embedding is told stands for it; a class has that part of
#: an even share at least.
_PAD_IGNORED, _SHARE_OF_A_CLASS = r"(?i)ignore_index\s*=\s*\w*pad", 0.25
_ONE_HOT = r"\bone_hot\(|\bOneHot\(|\bnp\.eye\("
#: The share of rows from which a few odd ones do not explain what their sums are.
_MOST_ROWS = 0.5
#: Values that marks of two sides may have, smoothed and weighed ones included.
_FEW_MARKS = 4


def several_classes(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Several classes at once for a sample, where the probabilities of all add up to one."""
    targets = one.fact.targets
    summing = (one.made_by == "softmax" and are_probabilities(one)) or one.takes == "scores of classes"
    if not summing or not targets.rows or targets.shape != one.shape:
        return None
    if targets.several is None or targets.several < run_data.limit("cg.04.unreachable") * targets.rows:
        return None
    operator = operator_of(one) if one.made_by == "softmax" else Text("softmax", "softmax")
    summary = Text(
        "{rows} 行标签中有 {several} 行含多个 1（多标签），而 {operator} 使各类别的概率之和为 1：这些标签不可能同时达到。",
        "{several} of {rows} rows of targets hold several ones (multi-label), and {operator} makes the probabilities of "
        "all classes add up to 1: they cannot all be reached. The loss is {name}.",
        rows=targets.rows,
        several=targets.several,
        operator=operator,
        name=one.name,
    )
    advice = Text(
        "多标签用 sigmoid 与二元交叉熵：去掉 softmax，用 BCEWithLogitsLoss。",
        "For several labels a sample use a sigmoid and the binary cross entropy: BCEWithLogitsLoss, without softmax.",
    )
    if one.made_by != "softmax":
        return Wrong(summary, advice, one.fact.place, *made_for_calls(run_data, one.fact.place))
    return wrong_output(one, summary, advice)


def sums_apart(one: LossWithInputs, _) -> Optional[Wrong]:
    """Outputs that add up to 1 by a softmax, beside targets most rows of which do not."""
    targets = one.fact.targets
    judged = one.takes in ("values", "probabilities") and one.made_by == "softmax" and are_probabilities(one)
    along = len(one.shape) == 2 or list(one.output.axes or []) == [1]  # what the rows of the targets go along
    if not judged or not along or _share_of_rows_apart(one) < _MOST_ROWS:
        return None
    summary = Text(
        "{operator} 使每个样本的 {n} 个输出之和为 1，而 {name} 的 {rows} 行标签中有 {apart} 行的和不是 1："
        "网络的输出无法达到它们。",
        "{operator} makes the {n} outputs of a sample add up to 1, and {apart} of {rows} rows of the targets of {name} do not: "
        "the network cannot reach them.",
        operator=operator_of(one),
        n=one.shape[1],
        name=one.name,
        rows=targets.rows,
        apart=targets.not_one,
    )
    advice = Text(
        "每个输出各自在 0 到 1 之间时用 Sigmoid，其余情况不要激活函数；Softmax 只用于一个类别的概率分布。",
        "Use a sigmoid where each output lies between 0 and 1 by itself, and no activation otherwise; a softmax is for the "
        "probabilities of classes of which one holds.",
    )
    return wrong_output(one, summary, advice)


def _share_of_rows_apart(one: LossWithInputs) -> float:
    """The share of rows of targets that do not add up to 1; 0 where that is unknown, or a row is not of the outputs."""
    targets = one.fact.targets
    if targets.learnt or not targets.rows or targets.shape != one.shape:
        return 0.0
    return (targets.not_one or 0) / targets.rows


def no_shares(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Amounts in each output of a sigmoid, as pixels are, given to a cross entropy that shares a one among classes."""
    targets = one.fact.targets
    judged = one.takes == "scores of classes" and one.made_by == "sigmoid" and len(one.shape) == 2
    if not judged or targets.several or (targets.distinct or 0) <= _FEW_MARKS or _share_of_rows_apart(one) < 1:
        return None
    summary = Text(
        "{name} 按 softmax 把 1 分给 {n} 个输出，而 {rows} 行标签的和都不是 1，有 {distinct} 个不同的值：它们是各个输出自己的量，"
        "由 {operator} 给出，不是类别的概率。",
        "{name} shares a 1 among the {n} outputs by a softmax, and none of {rows} rows of targets, of {distinct} values, adds up "
        "to 1: they are amounts of each output by itself, as {operator} gives them, and no probabilities of classes.",
        name=one.name,
        n=one.shape[1],
        rows=targets.rows,
        distinct=targets.distinct,
        operator=operator_of(one),
    )
    advice = Text(
        "逐个比较输出：用 BCELoss（目标在 0 到 1 之间）或 MSELoss。",
        "Compare each output by itself: BCELoss for targets between 0 and 1, or MSELoss.",
    )
    return Wrong(summary, advice, one.fact.place, *made_for_calls(run_data, one.fact.place))


def empty_rows(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Rows of one-hot targets that are 0 throughout, where the labels hold numbers beyond the last class."""
    targets, shape = one.fact.targets, one.shape
    one_hot = targets.distinct == 2 and (targets.min, targets.max) == (0, 1) and targets.several == 0
    if one.takes != "scores of classes" or not one_hot or len(shape) != 2 or not targets.not_one or one.own:
        return None
    for dataset in run_data.datasets_of("train"):
        numbers = [int(name) for name in dataset.label.counts if re.fullmatch(r"\d+", name)]
        if dataset.label.kind == "class" and numbers and max(numbers) >= shape[1] >= len(numbers):
            places = [*run_data.find_lines(_ONE_HOT, 2), *label_origins(run_data)[:3], one.fact.place]
            return Wrong(*_without_place(one, min(numbers), max(numbers)), *places)
    return None


def _without_place(one: LossWithInputs, low: int, high: int) -> tuple:
    """What is wrong with one-hot targets of classes ``low`` to ``high``, and what to do."""
    return Text(
        "{rows} 行 one-hot 目标中有 {empty} 行全为 0：类别编号从 {low} 到 {high}，而 one_hot 只有 0 到 {last} 的位置，"
        "编号 {high} 的样本没有目标，从不被学习。",
        "{empty} of {rows} rows of one-hot targets are 0 throughout: the classes are numbered {low} to {high}, and there are "
        "places for 0 to {last} alone, so that samples of class {high} have no target and are never learnt.",
        rows=one.fact.targets.rows,
        empty=one.fact.targets.not_one,
        low=low,
        high=high,
        last=one.shape[1] - 1,
    ), Text("把标签减去 {low}，使编号从 0 开始。", "Take {low} off the labels: they begin at 0.", low=low)


def out_of_reach(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Targets beyond what the last operator can give; of probabilities, where what comes before leaves it a part of its range."""
    targets = one.fact.targets
    bounded = one.output.low is not None or one.output.high is not None
    judged = one.takes == "values" or (
        one.takes == "probabilities" and bool(one.output.before) and one.kind != "classes"
    )
    if not judged or not bounded or targets.learnt or not targets.elements or targets.max is None:
        return None
    found: Beyond = beyond_range(targets, one.column, one.output.low, one.output.high)
    if found.number < max(1, run_data.limit("cg.04.unreachable") * found.elements):
        return None
    if _may_mark(one, found):
        return None
    summary = Text(
        "输出经过 {operator}，只能在 {range} 内，而 {name} 的标签{column}从 {low} 到 {high}："
        "{elements} 个标签中有 {count} 个{side}，网络达不到。",
        "The output goes through {operator} and lies in {range}, and the targets of {name}{column} run from {low} to {high}: "
        "{count} of {elements} targets lie {side}, which the network cannot reach.",
        operator=operator_of(one),
        range=range_of(one.output),
        name=one.name,
        column=Text("（列 {c}）", " (column {c})", c=found.column) if found.column else Text("", ""),
        low=found.low,
        high=found.high,
        elements=found.elements,
        count=found.number,
        side=_side(one.output, found),
    )
    if one.output.before:
        return Wrong(_narrowed(one, summary), _BEFORE, one.output.before.place, one.output.place, one.fact.place)
    advice = Text(
        "去掉最后的 {operator}（回归一般不加激活），或把标签缩放到 {range} 内，推理时再换算回来。",
        "Take {operator} off the end (regression usually has no activation there), or scale the targets into {range} and "
        "back again for inference.",
        operator=operator_of(one),
        range=range_of(one.output),
    )
    wrong = wrong_output(one, summary, advice)
    wrong.places = (*wrong.places, *_targets_made(run_data, one.column))
    return wrong


def _targets_made(run_data: RunData, column: Optional[tuple]) -> list:
    """Where the array of the targets got its values: they may be what is to be scaled."""
    return array_origins(run_data, *column)[:3] if column is not None else []


_BEFORE = Text(
    "去掉它前面的激活函数，只留最后一个。", "Take the activation in front of it away, and keep the last one alone."
)


def _narrowed(one: LossWithInputs, summary: Text) -> Text:
    return Text(
        "{before} 之后又经过 {operator}：{says}",
        "{operator} is given what {before} made: {says}",
        before=one.output.before.operator,
        operator=operator_of(one),
        says=summary,
    )


def _may_mark(one: LossWithInputs, found: Beyond) -> bool:
    """Whether what lies beyond is one value that may stand for padding, in a loss that may leave such elements out."""
    reduced_at_once = not one.own and one.kind != "residual" and not one.fact.shape
    return found.values == 1 and (one.fact.targets.distinct or 0) > 2 and not reduced_at_once


def _side(output: Fact, found: Beyond) -> Text:
    if found.below and found.above:
        return Text("小于 {low} 或大于 {high}", "below {low} or above {high}", low=output.low, high=output.high)
    if found.below:
        return Text("小于 {low}", "below {low}", low=output.low)
    return Text("大于 {high}", "above {high}", high=output.high)


def ignored_class(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """The number of padding that a loss is told to ignore, where labels are one class a sample and that is one of them."""
    ignored = one.fact.settings.get("ignore_index") if not one.own else None
    if ignored is None or ignored < 0 or one.column is None:
        return None
    dataset, column = one.column
    if dataset.label.column != column.name or column.shape or dataset.label.kind != "class":
        return None
    counts = {int(name): count for name, count in dataset.label.counts.items() if re.fullmatch(r"-?\d+", name)}
    left_out = counts.get(int(ignored), 0)
    lines = run_data.find_lines(_PAD_IGNORED, 2) or _as_of_tokens(run_data, int(ignored))
    if not lines and _one_of_all(one, counts, left_out):
        return _no_padding(run_data, one, int(ignored), left_out)
    if not lines or len(counts) < 2 or left_out * len(counts) < _SHARE_OF_A_CLASS * sum(counts.values()):
        return None
    return Wrong(
        Text(
            "{name} 的 ignore_index 是补齐的编号 {ignored}，而标签是每个样本一个类别："
            "类别 {ignored} 的 {n} 个样本都不计入 loss，从未学习。",
            "{name} is told to ignore {ignored}, the number of the padding, and the labels are one class a sample: the {n} "
            "samples of class {ignored} are left out of the loss, and that class is never learnt.",
            name=one.name,
            ignored=int(ignored),
            n=left_out,
        ),
        Text("去掉 ignore_index：它只用于逐 token 的标签。", "Leave ignore_index out: it is for labels of tokens."),
        *lines,
        one.fact.place,
    )


def _one_of_all(one: LossWithInputs, counts: dict, left_out: int) -> bool:
    """Whether the network has an output for each class that the labels hold, and the one left out has a share as any other."""
    outputs = list(one.fact.predicted.shape or [])[1:2]
    usual = sum(counts.values()) / max(1, len(counts))
    return len(counts) > 2 and outputs == [len(counts)] and 0.5 * usual <= left_out <= 1.5 * usual


def _no_padding(run_data: RunData, one: LossWithInputs, ignored: int, left_out: int) -> Wrong:
    return Wrong(
        Text(
            "{name} 的 ignore_index={ignored} 是一个真实的类别，网络有它的输出，样本数也与其他类别相当："
            "它的 {n} 个样本都不计入 loss，从未学习。",
            "{name} ignores {ignored}, which is a class like the others, with an output of its own: its {n} samples are left out "
            "of the loss, and it is never learnt.",
            name=one.name,
            ignored=ignored,
            n=left_out,
        ),
        Text("去掉 ignore_index，或设为 -100。", "Leave ignore_index out, or set it to -100."),
        *run_data.find_lines(rf"\bignore_index\s*=\s*{ignored}\b", 2),
        one.fact.place,
    )


def _as_of_tokens(run_data: RunData, number: int) -> list:
    """Where a loss is told to ignore the number that an embedding of the script is told stands for padding."""
    padded = run_data.find_lines(rf"\bpadding_idx\s*=\s*{number}\b", 1)
    return run_data.find_lines(rf"\bignore_index\s*=\s*{number}\b", 2) if padded else []


def labels_of_sides(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Labels of a binary loss that are no probabilities."""
    if one.own or one.kind not in (BCE, BCE_LOGITS):
        return None
    labels, targets = one.fact.labels, one.fact.targets
    low, high = labels.min, labels.max
    if targets.elements and targets.min is not None and targets.max is not None:
        low, high = targets.min, targets.max
    if low is None or high is None or (low >= 0 and high <= 1):
        return None
    found = beyond_range(targets, one.column, 0.0, 1.0) if targets.elements else None
    amounts = are_amounts(labels)
    squashed = [one.output.place] if amounts and one.made_by == "sigmoid" and one.output.place else []
    return Wrong(
        Text(
            "{name} 的标签从 {low} 到 {high}，应在 0 到 1 之间{share}。",
            "The labels of {name} run from {low} to {high}; they have to lie between 0 and 1{share}.",
            name=one.name,
            low=low,
            high=high,
            share=Text("（{n} 个中有 {c} 个超出）", " ({c} of {n} lie beyond)", n=found.elements, c=found.number)
            if found is not None and found.number
            else Text("", ""),
        ),
        Text(
            "目标是实数：用 MSELoss 或 L1Loss，网络的输出不加激活。",
            "These are amounts: take MSELoss or L1Loss, and give the output no activation.",
        )
        if amounts
        else Text(
            "把标签转换为 0/1；多分类请用 CrossEntropyLoss。",
            "Make the labels 0 or 1; for classes use CrossEntropyLoss.",
        ),
        one.fact.place,
        *squashed,
        *(array_origins(run_data, *one.column)[:2] if one.column is not None else []),
    )


def are_amounts(labels: Fact) -> bool:
    """Whether what a loss is given for labels are real numbers of many values, and no marks of two sides."""
    return labels.whole is False and (labels.distinct or 0) > _FEW_MARKS


def class_numbers(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Numbers of classes, one-hot rows of them, or marks of two, that a loss of values takes for amounts."""
    if one.takes != "values":
        return None
    checks = (taken_for_amounts,) if one.own else (taken_for_amounts, squared_one_hot, squared_marks)
    return next(filter(None, (check(one.fact, one.name, run_data) for check in checks)), None)


def weights_of_classes(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Weights by class of a built-in loss that do not fit the classes."""
    return check_class_weights(one.fact, one.name, run_data) if not one.own else None
