"""Rules of cg.04 on shapes: units, axes, classes and samples that a loss compares."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.loss_with_inputs import (
    BCE,
    BCE_LOGITS,
    NLL,
    REGRESSION,
    SOFTMAX,
    LossWithInputs,
    operator_of,
    wrong_output,
)
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.engine.run_data import RunData


def single_unit(one: LossWithInputs, _) -> Optional[Wrong]:
    """A softmax or the like over one unit, which gives the same whatever goes in."""
    if one.output.constant is None or not one.output.plain:
        return None
    summary = Text(
        "{operator} 只作用于一个输出值（形状 {shape}）：输出恒为 {value}，与输入和权重无关，{name} 不能使网络学到任何东西。",
        "{operator} goes over a single unit (shape {shape}): the output is {value} whatever goes in and whatever is learnt, and "
        "{name} teaches the network nothing.",
        operator=operator_of(one),
        shape=str(tuple(one.output.shape)),
        value=one.output.constant,
        name=one.name,
    )
    advice = Text(
        "二分类用 sigmoid（或不加激活并用 BCEWithLogitsLoss）；回归去掉激活；多分类让网络为每个类别各给一个输出。",
        "For two classes use a sigmoid, or no activation and BCEWithLogitsLoss; for regression no activation; for more "
        "classes an output for each.",
    )
    return wrong_output(one, summary, advice)


def normalized_over_samples(one: LossWithInputs, _) -> Optional[Wrong]:
    """A softmax along the axis of the samples."""
    axes, shape = list(one.output.axes or []), list(one.output.shape or [])
    if (
        (one.own and not _for_each_sample(one))
        or one.made_by not in ("softmax", "logsoftmax")
        or not one.output.plain
        or axes != [0]
    ):
        return None
    if len(shape) != 2 or shape != list(one.shape) or shape[0] < 2 or one.takes is None:
        return None
    summary = Text(
        "{operator} 沿第 0 轴计算（形状 {shape}）：归一化的是 batch 中的各个样本，而不是一个样本的各个输出。",
        "{operator} goes along axis 0 of the shape {shape}: it normalises over the samples of the batch, so that the output of a "
        "sample depends on the others, and not over the outputs of a sample. The loss is {name}.",
        operator=operator_of(one),
        shape=str(tuple(shape)),
        name=one.name,
    )
    advice = Text(
        "多分类沿最后一轴（axis=-1）；只有一个输出时用 sigmoid 或不加激活。",
        "For classes take the last axis (axis=-1); with a single output a sigmoid, or no activation.",
    )
    return wrong_output(one, summary, advice)


def _for_each_sample(one: LossWithInputs) -> bool:
    """Whether a loss of the script's own compares each sample's outputs with its own classes, as many as there are outputs; one
    that tells samples of a batch apart has as many of these."""
    shape, targets = list(one.shape), one.fact.targets
    one_hot = bool(targets.one_hot) and list(one.fact.labels) == shape
    return bool(one.fact.final and one_hot and targets.input is not None and shape[0] != shape[-1])


def exchanged_arguments(one: LossWithInputs, _) -> Optional[Wrong]:
    """Labels in the place of the predictions."""
    if one.own or one.kind not in (SOFTMAX, NLL, BCE, BCE_LOGITS) or not one.fact.exchanged:
        return None
    return Wrong(
        Text(
            "{name} 的第一个参数是标签，第二个才是网络的输出：次序颠倒了。",
            "{name} is given the labels first and the network's output second: they have changed places.",
            name=one.name,
        ),
        Text("写成 loss(预测, 标签)。", "Write loss(prediction, labels)."),
        one.fact.place,
    )


def channels_not_moved(one: LossWithInputs, _) -> Optional[Wrong]:
    """(N, C, H, W) reshaped to rows of C without moving the axis of the channels."""
    reshaped = one.fact.rows_of_channels if "rows_of_channels" in one.fact else None
    if not reshaped or not reshaped.shape:
        return None
    shape = reshaped.shape
    summary = Text(
        "{name} 的输入由形状 {shape} 直接 {operator} 为 ({rows}, {n}) 得到：每一行是同一通道上相邻的 {n} 个位置，"
        "而不是一个位置的 {n} 个类别。",
        "{name} is given a result of shape {shape} that {operator} made ({rows}, {n}): a row holds {n} neighbouring places of "
        "one channel, not the {n} classes of one place.",
        name=one.name,
        shape=str(tuple(shape)),
        operator=reshaped.operator,
        rows=one.shape[0],
        n=shape[1],
    )
    advice = Text(
        "先把通道轴移到最后再展平：x.transpose(0, 2, 3, 1).reshape(-1, {n})；或不展平，直接给 CrossEntropyLoss (N, C, H, W)。",
        "Move the axis of channels to the end first: x.transpose(0, 2, 3, 1).reshape(-1, {n}); or give CrossEntropyLoss the "
        "(N, C, H, W) as it is.",
        n=shape[1],
    )
    return Wrong(summary, advice, reshaped.place, one.fact.place)


def other_column(one: LossWithInputs, _) -> Optional[Wrong]:
    """Scores of many negatives and of one positive side by side, and all targets name a column of the negatives (contrastive
    losses: van den Oord, Li and Vinyals 2018; He et al. 2020)."""
    joined = one.fact.joined_columns if "joined_columns" in one.fact else None
    if not joined:
        return None
    widths = joined.widths
    targets = one.fact.targets
    positive = sum(widths[: widths.index(1)]) if widths.count(1) == 1 else None
    constant = targets.min if targets.min == targets.max and targets.input is None else None
    if positive is None or constant is None or constant == positive or not 0 <= constant < sum(widths):
        return None
    return Wrong(
        Text(
            "{name} 的输入由 {parts} 列拼接而成，单独的一列（正样本的得分）是第 {positive} 列，而所有目标都是 {constant}："
            "被当作正样本的是一个负样本。",
            "{name} is given columns put together from {parts}; the one that stands alone, the score of the positive, is column "
            "{positive}, and all targets are {constant}: a negative is taken for the positive.",
            name=one.name,
            parts=" + ".join(map(str, widths)),
            positive=positive,
            constant=int(constant),
        ),
        Text(
            "把正样本的得分放在目标所指的那一列，例如 cat((positive, negative), axis=1) 与目标 0。",
            "Put the score of the positive into the column that the targets name, as in cat((positive, negative), axis=1) with "
            "targets of 0.",
        ),
        joined.place,
        one.fact.place,
    )


def single_class(one: LossWithInputs, _) -> Optional[Wrong]:
    """A loss of classes over a single class."""
    shape = one.shape
    if one.takes != "scores of classes" or len(shape) < 2 or shape[1] != 1:
        return None
    return Wrong(
        Text(
            "{name} 的输入只有一个类别（形状 {shape}）：softmax 恒为 1，loss 恒为 0。",
            "{name} is given a single class (shape {shape}): the softmax is 1 whatever the network gives, and the loss "
            "0.",
            name=one.name,
            shape=str(tuple(shape)),
        ),
        Text(
            "二分类用 BCEWithLogitsLoss，或让网络输出两个类别。",
            "For two classes use BCEWithLogitsLoss, or let the network give two outputs.",
        ),
        one.fact.place,
        one.output.place,
    )


def too_few_outputs(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """More classes in the whole column than outputs."""
    classes_wanted = one.takes in ("scores of classes", "log-probabilities") and one.kind != "kl_div"
    if not classes_wanted or one.own or len(one.shape) < 2 or one.column is None or not one.fact.targets.whole:
        return None
    if one.fact.targets.shape == one.shape or (last_training_start(run_data) and _within(one)):
        return None
    top, _, name = one.column[1].max, one.column[0], one.column[1].name
    if top is None or top < one.shape[1] or top == one.fact.settings.get("ignore_index"):
        return None
    return Wrong(
        Text(
            "{loss} 的输入有 {n} 个类别，而标签（列 {name}）的最大编号为 {top}：网络的输出不够。",
            "{loss} is given {n} classes, and the largest class number of the labels (column {name}) is {top}: the network "
            "has too few outputs.",
            loss=one.name,
            n=one.shape[1],
            name=name,
            top=int(top),
        ),
        Text(
            "让最后一层的输出数等于类别数，编号从 0 起。",
            "Give the last layer an output for each class, counted from 0.",
        ),
        one.output.place or one.fact.place,
        one.fact.place,
    )


def _within(one: LossWithInputs) -> bool:
    """Whether the labels of the captured batches are all classes of the output: the column is that of other trainings too."""
    top = one.fact.targets.max
    return top is not None and top < one.shape[1]


def broadcast_shapes(one: LossWithInputs, _) -> Optional[Wrong]:
    """Prediction and targets whose shapes broadcast."""
    if one.own or one.kind not in REGRESSION:
        return None
    given, labels = one.shape, one.fact.labels.shape if "labels" in one.fact else one.fact.targets.shape
    if given == labels or not _known(given) or not _known(labels):
        return None
    if _elements(given) == _elements(labels) and _elements(given) > 1:
        return Wrong(*spread(one.name, given, labels), one.fact.place)
    if _is_square(given, labels):
        return Wrong(*spread(one.name, given, labels), one.fact.predicted.source.place, one.fact.place)
    across = _across(given, labels)
    if across is None or one.fact.targets.distinct in (None, 1) or one.fact.targets.learnt:
        return None
    few, many = across
    return Wrong(
        Text(
            "{name} 的预测与标签形状为 {given} 和 {labels}：{few} 个值被广播，与 {many} 个值逐一比较。",
            "{name} is given predictions of shape {given} and targets of shape {labels}: {few} value a sample is broadcast and "
            "compared with {many}.",
            name=one.name,
            given=str(tuple(given)),
            labels=str(tuple(labels)),
            few=few,
            many=many,
        ),
        Text(
            "让输出的个数等于每个样本的标签个数；类别编号请用 CrossEntropyLoss，或先转换为 one-hot。",
            "Give the network as many outputs as a sample has targets; with class numbers use CrossEntropyLoss, or make "
            "them one-hot.",
        ),
        one.fact.place,
        one.output.place,
    )


def _is_square(given: list, labels: list) -> bool:
    """Whether one is (N, N) beside the other's (N,): each sample has taken a value for every sample of its batch, as ``Gather``
    along the second axis with one index a sample does."""
    square, flat = (given, labels) if len(given) == 2 else (labels, given)
    return len(square) == 2 and len(flat) == 1 and square[0] == square[1] == flat[0] > 1


def _across(given: list, labels: list) -> Optional[tuple]:
    """``(1, n)`` where, of (N, C) and (N, 1), the single value is set against all the others."""
    if len(given) != len(labels) or len(given) != 2 or given[0] != labels[0]:
        return None
    few, many = sorted((given[1], labels[1]))
    return (few, many) if few == 1 and many > 1 else None


def _known(shape: list) -> bool:
    return bool(shape) and None not in shape


def _elements(shape: list) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def spread(name, given: list, labels: list) -> tuple:
    """The summary and the advice on two shapes that broadcast to N×N."""
    return (
        Text(
            "{name} 的两个输入形状为 {given} 和 {labels}，相减时广播成 {n}×{n}：每个预测与所有标签比较。",
            "{name} is given the shapes {given} and {labels}, which broadcast to {n}×{n}: every prediction is compared with "
            "every label.",
            name=name,
            given=str(tuple(given)),
            labels=str(tuple(labels)),
            n=max(given[0], labels[0]),
        ),
        Text(
            "让两者形状一致，例如 pred.squeeze(-1) 或 label.expand_dims(-1)。",
            "Give both the same shape: pred.squeeze(-1), or label.expand_dims(-1).",
        ),
    )
