"""Whether the loss is given what it expects and gives what it should (cg.04)."""

from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.custom_loss import (
    SIGMOIDS,
    SOFTMAXES,
    Wrong,
    called,
    check_own,
    confirmed,
    open_points,
    tried,
)
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

SOFTMAX, NLL, BCE, BCE_LOGITS = "softmax_cross_entropy", "nll", "bce", "bce_with_logits"
_REGRESSION = ("mse", "l1", "smooth_l1", "huber", "rmse")
_CLAMPS = ("clamp", "clip", "clip_by_value", "clamp_")


def judge_loss(run_data: RunData) -> Optional[Finding]:
    """The finding on the losses of the watched step; None where none was seen."""
    probes = run_data.probes
    evidence = [*_evidence(run_data)]
    if probes.differentiated.of == "sum":
        return _finding(run_data, _of_all_outputs(probes.differentiated), evidence)
    for one in probes.broadcasts:
        if len(one.shapes) > 1 and all(map(_known, one.shapes[:2])):
            return _finding(run_data, _broadcast(one), evidence)
    for one in probes.softmax_axes:
        if one.shape and one.axes:
            return _finding(run_data, _other_axis(one), evidence)
    for one in probes.losses:
        try:
            _check(one)
        except Wrong as wrong:
            return _finding(run_data, wrong, evidence)
    own = [one for one in probes.own_losses if not _inside_builtin(one, probes.losses)]
    # beside a built-in loss: metrics, penalties, the terms that a sum of losses has besides
    own = [one for one in own if (one.promise and one.variant is False) or not probes.losses]
    # what is not the loss as a whole is a part of it, or only reported
    own = [one for one in own if one.final] or own
    for one in own:
        try:
            check_own(one)
        except Wrong as wrong:
            return _finding(run_data, wrong, evidence)
    for one in own:
        broken = one.promise in one.candidates and one.variant is False and not one.behaviour.family.name
        if len(one.equals) < 2 and (broken or confirmed(one) is None):
            return _own(run_data, one, evidence)
    sure = [one for one in own if len(one.equals) < 2 or one.behaviour.family.name]
    told = [text for one in sure if (text := confirmed(one)) is not None]
    if told and not any(one.kind for one in probes.losses):
        return ok(told[0], evidence, [one.place for one in own])
    judged = [one for one in probes.losses if one.kind]
    if not judged and not own:
        return _not_tried(run_data, evidence)
    names = [one.name for one in judged] + [called(one) for one in own]
    again = next((one for one in judged if one.equals), None)
    if again is not None:
        text = Text(
            "{names} 收到的输入符合要求；在捕获的 batch 上用 NumPy 重新计算得到相同的值（{value}）。",
            "{names} is given what it expects; NumPy gives the same value ({value}) on the captured batch.",
            names=listed(dict.fromkeys(names)),
            value=again.value,
        )
    else:
        text = Text(
            "{names} 收到的输入符合要求{same}。",
            "{names} is given what it expects{same}.",
            names=listed(dict.fromkeys(names)),
            same=Text(
                "，自定义的 loss 与内置版本的值相同", ", and the loss of the script's own equals the built-in one"
            )
            if own
            else Text("", ""),
        )
    return ok(text, evidence, [one.place for one in [*judged, *own]])


def _not_tried(run_data: RunData, evidence: list) -> Optional[Finding]:
    """Of a loss that is written out and was not tried; None where nothing is known of it."""
    one = run_data.probes.written_loss
    if one.why == "unused" and not one.purpose:
        return _finding(run_data, Wrong(_UNUSED, _USE, one.place), evidence)
    if one.why not in _WHY:
        return None
    places = [one.place] if one.place else []
    return undecided(
        Text(
            "loss 由脚本自行计算，没有可对照的内置版本：{why}",
            "The script computes its loss by itself: {why}",
            why=_WHY[one.why],
        ),
        Text(
            "用 NumPy 按设计的公式在同一 batch 上计算并比较；"
            "或把 loss 写成 loss_fn(预测, 标签) 这样的函数，再运行一次 msprec run。",
            "Compute the designed formula in NumPy on the same batch and compare; or write it as a function "
            "loss_fn(prediction, labels) and run msprec run once more.",
        ),
        [*evidence, *run_data.code_at(places, Text("loss 的计算", "Where the loss is computed"))],
        places,
    )


_UNUSED = Text(
    "标签没有参与 loss 的计算：训练步收到类别标签，但没有任何运算用到它，loss 只由网络的输出算出。",
    "The labels take no part in the loss: the training step is given class numbers, nothing is computed from them, and the loss "
    "is made of the network's outputs alone.",
)
_USE = Text(
    "把标签用于 loss，例如 ops.cross_entropy(logits, label)。",
    "Use the labels in the loss: ops.cross_entropy(logits, label).",
)
_WHY = {
    "outputs": Text(
        "它由网络的几个输出共同得到（如 GAN、对比学习、变分自编码器），不能只换其中一个来试算。",
        "several outputs of networks make it (as in a GAN, contrastive learning or a variational autoencoder), and it "
        "cannot be tried by changing a single one.",
    ),
    "labels": Text(
        "训练步中没有与网络输出形状相符、可与之比较的标签。",
        "nothing in the training step fits the network's outputs as their labels.",
    ),
    "several": Text(
        "训练步的输入中有几个都可能是标签。",
        "more than one input of the training step may be the labels.",
    ),
    "unused": Text(
        "类别标签没有参与计算（从代码看可能是有意的）。",
        "the class numbers that the training step is given take no part, which by its words may be meant so.",
    ),
}


def _of_all_outputs(one: Fact) -> Wrong:
    shapes = ", ".join(str(tuple(shape)) for shape in one.outputs)
    return Wrong(
        Text(
            "{name} 返回 {n} 个输出（形状 {shapes}），优化器得到的是它们之和的梯度，而不只是 loss 的梯度。",
            "{name} returns {n} outputs (shapes {shapes}), and the optimizer is given the gradients of their sum, not of the "
            "loss alone.",
            name=one.name,
            n=len(one.outputs),
            shapes=shapes,
        ),
        Text(
            "value_and_grad/grad 设 has_aux=True；用 GradOperation 时让函数只返回 loss，或对其余输出用 stop_gradient。",
            "Give value_and_grad or grad has_aux=True; with GradOperation return the loss alone, or put the other outputs "
            "through stop_gradient.",
        ),
        one.place,
    )


def _finding(run_data: RunData, wrong: Wrong, evidence: list) -> Finding:
    places = [place for place in wrong.places if place]
    code = run_data.code_at(places, Text("loss 与它的输入", "The loss and what it is given"))
    return problem(wrong.summary, wrong.advice, [*evidence, *code], places)


def _check(one: Fact) -> None:
    """Raises `Wrong`."""
    if one.kind in (SOFTMAX, NLL):
        _classes(one)
    elif one.kind in (BCE, BCE_LOGITS):
        _binary(one)
    elif one.kind in _REGRESSION:
        _regression(one)
    if one.unreduced and len(one.shape) and one.shape[0] and one.shape[0] > 1:
        raise Wrong(
            Text(
                "{name} 没有做归约（reduction='none'），返回形状 {shape} 的 loss：梯度是各样本之和，随 batch 增大 {n} 倍。",
                "{name} is not reduced (reduction='none') and gives a loss of shape {shape}: the gradient is the sum over "
                "the samples, {n} times that of the mean.",
                name=one.name,
                shape=str(tuple(one.shape)),
                n=one.shape[0],
            ),
            Text("设置 reduction='mean'，或对结果取平均。", "Set reduction='mean', or take the mean of the result."),
            one.place,
        )


def _classes(one: Fact) -> None:
    predicted, source = one.predicted, one.predicted.source
    made_by = (source.operator or "").lower()
    classes = predicted.shape[1] if len(predicted.shape) > 1 else None
    if one.kind == SOFTMAX and (predicted.probabilities or made_by in SOFTMAXES):
        raise Wrong(
            Text(
                "{name} 的输入已经是概率（{rows}{source}）：softmax 被计算了两次，梯度很小，loss 降不到 0。",
                "What {name} is given are probabilities already ({rows}{source}): softmax is applied twice, "
                "gradients are small, and the loss cannot come near 0.",
                name=one.name,
                rows=Text("每行之和为 1", "each row adds up to 1")
                if predicted.probabilities
                else Text("沿另一维相加为 1", "adding up to 1 over another axis than that of the classes"),
                source=_made_by(source),
            ),
            Text(
                "去掉网络末尾的 softmax：{name} 自己会计算它；推理时再另外计算概率。",
                "Take the softmax off the end of the network: {name} computes it; compute probabilities apart for "
                "inference.",
                name=one.name,
            ),
            source.place,
            one.place,
        )
    if one.kind == SOFTMAX and made_by in SIGMOIDS:
        raise Wrong(
            Text(
                "{name} 的输入经过了 {operator}，只能落在 0 到 1 之间：softmax 无法给出接近 1 的概率。",
                "What {name} is given went through {operator} and lies between 0 and 1: softmax cannot make a probability "
                "near 1 of that.",
                name=one.name,
                operator=source.operator,
            ),
            Text("把最后一层的激活函数去掉。", "Take the activation off the last layer."),
            source.place,
            one.place,
        )
    if one.kind == NLL and predicted.log_probabilities is False:
        raise Wrong(
            Text(
                "{name} 需要对数概率，而输入不是（每行的 exp 之和不为 1）：缺少 log_softmax。",
                "{name} wants log-probabilities, and is given something else (the exponentials of a row do not add up to "
                "1): log_softmax is missing.",
                name=one.name,
            ),
            Text(
                "在网络末尾加 log_softmax，或改用 CrossEntropyLoss。",
                "End the network with log_softmax, or use CrossEntropyLoss.",
            ),
            source.place,
            one.place,
        )
    if classes == 1 and one.kind == SOFTMAX:
        raise Wrong(
            Text(
                "{name} 的输入只有一个类别（形状 {shape}）：softmax 恒为 1，loss 恒为 0。",
                "{name} is given a single class (shape {shape}): the softmax is 1 whatever the network gives, and the loss "
                "0.",
                name=one.name,
                shape=str(tuple(predicted.shape)),
            ),
            Text(
                "二分类用 BCEWithLogitsLoss，或让网络输出两个类别。",
                "For two classes use BCEWithLogitsLoss, or let the network give two outputs.",
            ),
            one.place,
            source.place,
        )


def _binary(one: Fact) -> None:
    predicted, source = one.predicted, one.predicted.source
    made_by = (source.operator or "").lower()
    low, high = source.given if len(source.given) == 2 else (0, 1)
    if one.kind == BCE and made_by in _CLAMPS and (low < -0.1 or high > 1.1):
        raise Wrong(
            Text(
                "{name} 需要 0 到 1 之间的概率，而它的输入是从 {low} 到 {high} 截断（{operator}）得到的：缺少 sigmoid，"
                "被截断的部分没有梯度。",
                "{name} wants probabilities between 0 and 1, and is given values from {low} to {high} that {operator} cut off: "
                "the sigmoid is missing, and what is cut off gets no gradient.",
                name=one.name,
                low=low,
                high=high,
                operator=source.operator,
            ),
            Text(
                "先用 sigmoid 得到概率再截断，或改用 BCEWithLogitsLoss（数值更稳定）。",
                "Put a sigmoid before the clipping, or use BCEWithLogitsLoss, which is more stable.",
            ),
            source.place,
            one.place,
        )
    if one.kind == BCE and predicted.min is not None and (predicted.min < 0 or predicted.max > 1):
        raise Wrong(
            Text(
                "{name} 需要 0 到 1 之间的概率，而输入从 {low} 到 {high}：缺少 sigmoid。",
                "{name} wants probabilities between 0 and 1, and is given {low} to {high}: the sigmoid is missing.",
                name=one.name,
                low=predicted.min,
                high=predicted.max,
            ),
            Text(
                "在网络末尾加 sigmoid，或改用 BCEWithLogitsLoss（数值更稳定）。",
                "End the network with a sigmoid, or use BCEWithLogitsLoss, which is more stable.",
            ),
            one.place,
            source.place,
        )
    if one.kind == BCE_LOGITS and (made_by in SIGMOIDS or made_by in SOFTMAXES):
        raise Wrong(
            Text(
                "{name} 的输入已经过 {operator}：激活被计算了两次。",
                "What {name} is given went through {operator} already: the activation is applied twice.",
                name=one.name,
                operator=source.operator,
            ),
            Text("去掉网络末尾的激活，或改用 BCELoss。", "Take the activation off the network, or use BCELoss."),
            source.place,
            one.place,
        )
    labels = one.labels
    if labels.min is not None and (labels.min < 0 or labels.max > 1):
        raise Wrong(
            Text(
                "{name} 的标签从 {low} 到 {high}，应在 0 到 1 之间。",
                "The labels of {name} run from {low} to {high}; they have to lie between 0 and 1.",
                name=one.name,
                low=labels.min,
                high=labels.max,
            ),
            Text(
                "把标签转换为 0/1；多分类请用 CrossEntropyLoss。",
                "Make the labels 0 or 1; for classes use CrossEntropyLoss.",
            ),
            one.place,
        )


def _regression(one: Fact) -> None:
    given, labels = one.predicted.shape, one.labels.shape
    if given == labels or not _known(given) or not _known(labels):
        return
    if _elements(given) == _elements(labels) and _elements(given) > 1:
        raise Wrong(*_spread(one.name, given, labels), one.place)


def _known(shape: list) -> bool:
    return bool(shape) and None not in shape


def _elements(shape: list) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def _spread(name: str, given: list, labels: list) -> tuple:
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


def _broadcast(one: Fact) -> Wrong:
    return Wrong(*_spread(one.operator, *one.shapes[:2]), one.place)


def _other_axis(one: Fact) -> Wrong:
    axis = one.axes[0]
    return Wrong(
        Text(
            "loss 中的 {operator} 沿第 {axis} 轴计算（形状 {shape}），而类别在第 1 轴：得到的不是各类别的概率。",
            "{operator} in the loss goes along axis {axis} of the shape {shape}, and the classes lie on axis 1: it gives "
            "not the probabilities of the classes.",
            operator=one.operator,
            axis=axis,
            shape=str(tuple(one.shape)),
        ),
        Text(
            "写 axis=1；默认的 axis=-1 对 (N, C, H, W) 是图像的宽。",
            "Write axis=1; the default of -1 is the width of a picture in (N, C, H, W).",
        ),
        one.place,
    )


def _inside_builtin(one: Fact, losses: list) -> bool:
    """Whether a function of the user's only hands on what a built-in loss gave."""
    return any(other.value is not None and other.value == one.value for other in losses)


def _own(run_data: RunData, one: Fact, evidence: list) -> Finding:
    expected = one.candidates.get(one.promise) if one.promise else None
    if expected is not None and one.variant is False:
        return problem(
            Text(
                "自定义的 {name} 在捕获的 batch 上得到 {value}，而按其名称应为 {expected}（{kind}）。",
                "The script's own {name} gives {value} on the captured batch; what its name promises ({kind}) is {expected}.",
                name=one.name,
                value=one.value,
                expected=expected,
                kind=one.promise,
            ),
            Text(
                "逐项核对公式（log、归约的轴、one-hot、符号），或直接使用内置的 loss。",
                "Check the formula term by term (logarithm, the axis that is reduced, one-hot, sign), or use the built-in "
                "loss.",
            ),
            [*evidence, *run_data.code_at([one.place], Text("自定义 loss", "The script's own loss"))],
            [one.place],
        )
    return undecided(
        Joined(
            [
                Text(
                    "自定义的 {name} 在捕获的 batch 上得到 {value}，与各内置 loss 的值都不同。",
                    "The script's own {name} gives {value} on the captured batch, which none of the built-in losses gives.",
                    name=called(one),
                    value=one.value,
                ),
                open_points(one),
            ]
        ),
        Text(
            "用 NumPy 按设计的公式在同一 batch 上计算并比较。",
            "Compute the designed formula in NumPy on the same batch and compare.",
        ),
        [*evidence, *run_data.code_at([one.place], Text("自定义 loss", "The script's own loss"))],
        [one.place],
    )


def _made_by(source: Fact) -> Text:
    return Text("，来自 {op}", ", made by {op}", op=source.operator) if source.operator else Text("", "")


def _evidence(run_data: RunData):
    probes = run_data.probes
    rows = [
        [
            one.name,
            str(tuple(one.predicted.shape)),
            one.predicted.min,
            one.predicted.max,
            str(tuple(one.labels.shape)),
            one.labels.dtype,
            one.value,
            _again(one),
            at(one.place),
        ]
        for one in probes.losses
    ]
    heads = [
        "loss",
        Text("预测的形状", "shape of the prediction"),
        Text("最小", "min"),
        Text("最大", "max"),
        Text("标签的形状", "shape of the labels"),
        Text("标签类型", "dtype of the labels"),
        Text("网络的值", "network's value"),
        Text("NumPy 的值", "NumPy's value"),
        Text("位置", "place"),
    ]
    if rows:
        yield table(Text("捕获的 batch 上的 loss", "The loss on the captured batch"), heads, rows)
    own = [[one.name, one.value, kind, value] for one in probes.own_losses for kind, value in one.candidates.items()]
    if own:
        heads = [
            Text("自定义 loss", "own loss"),
            Text("值", "value"),
            Text("内置版本", "built-in"),
            Text("其平均值", "its mean"),
        ]
        yield table(Text("自定义 loss 与内置版本", "The script's own loss beside the built-in ones"), heads, own)
    yield from tried(probes.own_losses)


def _again(one: Fact):
    return one.recomputed.get(one.equals or "mean")
