"""Whether the loss is given what it expects and gives what it should (cg.04)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.cg.loss_function.averaged_errors import check_averaged_errors
from msprec.checklists.cg.loss_function.class_medians import check_class_medians
from msprec.checklists.cg.loss_function.generator_range import check_generator_range
from msprec.checklists.cg.loss_function.generator_target import check_generator_target
from msprec.checklists.cg.loss_function.likelihood_sign import check_likelihood
from msprec.checklists.cg.loss_function.masked_targets import check_masked_targets
from msprec.checklists.cg.loss_function.pinball_sign import check_pinball
from msprec.checklists.cg.loss_function.poisson_inputs import rates_taken_for_logs
from msprec.checklists.cg.loss_function.shared_labels import check_shared_labels
from msprec.checklists.cg.loss_function.signed_targets import unsigned_targets
from msprec.checklists.cg.loss_function.strong_smoothing import check_smoothing
from msprec.checklists.common.findings import at, first_place
from msprec.checklists.common.loss.custom_loss import (
    check_direction,
    check_own,
    confirmed,
    open_points,
    tried,
)
from msprec.checklists.common.loss.loss_rules import check_beside, check_inputs, loss_lines, sign_turned
from msprec.checklists.common.loss.loss_shapes import spread
from msprec.checklists.common.loss.loss_with_inputs import built_in, of_script, range_of
from msprec.checklists.common.loss.pair_distance import is_distance
from msprec.checklists.common.loss.without_floor import falls_without_floor, terms_of_loss
from msprec.checklists.common.loss.wrong_loss import Wrong, called
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.given_gradients import rate_sized
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import construct_of, own_nodes

#: So many faults at different places are told.
_MOST = 3


def judge_loss(run_data: RunData) -> Optional[Finding]:
    """The finding on the losses of the watched step; None where none was seen."""
    probes = run_data.probes
    evidence = [*_evidence(run_data)]
    own = _judged_own(run_data)
    wrongs = _wrongs(run_data, own)
    if wrongs:
        return _finding(run_data, wrongs, evidence)
    for one in own:
        broken = one.promise in one.candidates and one.variant is False and not one.behaviour.family.name
        if len(one.equals) < 2 and (broken or confirmed(one, run_data) is None):
            return _own(run_data, one, evidence)
    sure = [one for one in own if len(one.equals) < 2 or one.behaviour.family.name]
    told = [text for one in sure if (text := confirmed(one, run_data)) is not None]
    if told and not any(one.kind for one in probes.losses):
        return ok(told[0], evidence, [one.place for one in own])
    judged = [one for one in probes.losses if one.kind]
    if not judged and not own:
        return _not_tried(run_data, evidence)
    names = [one.name for one in judged] + [one.name for one in own if not one.written or not judged]
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
                "，自定义的 loss 与 NumPy 算得的值相同", ", and the loss of the script's own gives what NumPy computes"
            )
            if own
            else Text("", ""),
        )
    return ok(text, evidence, [one.place for one in [*judged, *own]])


def _not_tried(run_data: RunData, evidence: list) -> Optional[Finding]:
    """Of a loss that is written out and was not tried; None where nothing is known of it."""
    one = run_data.probes.written_loss
    if one.why == "unused" and not one.purpose:
        return _finding(run_data, [Wrong(_UNUSED, _USE, one.place)], evidence)
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


def _of_outputs(one: Fact) -> Wrong:
    """The gradients are not those of the loss, but of the sum of all outputs or of what is returned before the loss."""
    if one.of == "first":
        return _of_first_output(one)
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


def _of_first_output(one: Fact) -> Wrong:
    return Wrong(
        Text(
            "{name} 先返回形状为 {shape} 的输出，后返回 loss：has_aux=True 只对第一个输出求导，优化器得到的不是 loss 的梯度。",
            "{name} returns an output of shape {shape} before the loss: with has_aux=True the first output is what is "
            "differentiated, and the optimizer is not given the gradients of the loss.",
            name=one.name,
            shape=str(tuple(one.outputs[0])),
        ),
        Text("让函数先返回 loss，再返回其他输出。", "Return the loss first, then the other outputs."),
        one.place,
    )


def _judged_own(run_data: RunData) -> list:
    """The losses of the script's own that are judged."""
    probes = run_data.probes
    own = [one for one in probes.own_losses if not _inside_builtin(one, probes.losses)]
    # beside a built-in loss: metrics, penalties, the terms that a sum of losses has besides
    own = [one for one in own if (one.promise and one.variant is False) or not probes.losses]
    # what is not the loss as a whole is a part of it, or only reported
    return [one for one in own if one.final] or own


def _wrongs(run_data: RunData, own: list) -> list:
    """What is wrong with the losses: with how they are computed and with what they are given; or else with what they do, which
    either of these changes."""
    probes = run_data.probes
    found = [_of_outputs(probes.differentiated)] if probes.differentiated.of in ("sum", "first") else []
    for one in probes.broadcasts:
        if len(one.shapes) > 1 and all(shape and None not in shape for shape in one.shapes[:2]):
            found.append(_broadcast(one, run_data))
    found += [_other_axis(one) for one in probes.softmax_axes if one.shape and one.axes] or _along_samples(run_data)
    written = (
        check_generator_range(run_data),
        check_generator_target(run_data),
        check_likelihood(run_data),
        check_pinball(run_data),
        check_averaged_errors(run_data),
        check_masked_targets(run_data),
        check_class_medians(run_data),
        check_shared_labels(run_data),
        check_smoothing(run_data),
    )
    found += [one for one in written if one is not None]
    found += [*unsigned_targets(run_data), *rates_taken_for_logs(run_data)]
    given, others = ([built_in(one, run_data) for one in losses] for losses in (probes.losses, probes.other_losses))
    checks: list = [(check, one) for one in given for check in (check_inputs, check_beside)]
    inputs = list(_raised([*checks, *((check_inputs, one) for one in others)], run_data))
    inputs = inputs or list(_raised([(check_inputs, of_script(one, run_data)) for one in own], run_data))
    if found or inputs:
        return _apart([*found, *inputs])
    checks = [(check, one) for one in probes.losses for check in (_check_reduced, _check_sign)]
    checks += [(check_direction, one) for one in probes.own_losses if probes.losses and not is_distance(one)]
    found = list(_raised([*checks, *((check_own, one) for one in own)], run_data))[:1]
    return found or [one for one in [_without_floor(run_data)] if one is not None]


def _without_floor(run_data: RunData) -> Optional[Wrong]:
    fall = run_data.once(falls_without_floor)
    if fall is None:
        return None
    return Wrong(
        Text(
            "loss 没有下界：从 {start} 一路降到 {least}（第 {step} 步）。误差、交叉熵、KL 散度都不小于 0，这样的 loss "
            "中有一项的符号反了，或者要增大的量被当作 loss 来减小。",
            "The loss has no lower bound: it falls from {start} to {least} (step {step}). Errors, cross entropies and "
            "divergences are not below 0: in such a loss a term has the wrong sign, or what is to grow is made smaller.",
            start=fall.start,
            least=fall.least,
            step=fall.step,
        ),
        Text(
            "逐项打印 loss，看是哪一项一直变小，改正它的符号。",
            "Print the terms of the loss one by one, see which of them falls without end, and turn its sign.",
        ),
        *terms_of_loss(run_data),
    )


def _raised(checks: list, run_data: RunData) -> Iterator[Wrong]:
    """What ``check(one, run_data)`` raises of each ``(check, one)``."""
    for check, one in checks:
        try:
            check(one, run_data)
        except Wrong as wrong:
            yield wrong


def _apart(wrongs: list) -> list:
    """The first of them, and those that begin at other places: a fault has several consequences at its own."""
    found: list = []
    for wrong in wrongs:
        taken = [(at.file, at.line) for one in found for at in one.places[:1] if at]
        places = [(at.file, at.line) for at in wrong.places if at]
        if not found or (places and places[0] not in taken):
            found.append(wrong)
    return found[:_MOST]


def _finding(run_data: RunData, wrongs: list, evidence: list) -> Finding:
    places = [place for wrong in wrongs for place in wrong.places if place]
    code = run_data.code_at(places, Text("loss 与它的输入", "The loss and what it is given"))
    says = Joined([_counted(wrongs), *(wrong.summary for wrong in wrongs)], zh="", en=" ")
    return problem(says, Joined([wrong.advice for wrong in wrongs], zh="", en=" "), [*evidence, *code], places)


def _counted(wrongs: list) -> Optional[Text]:
    """Before several faults, as a list of problems shows the first sentence alone."""
    lines = [next((str(at.line) for at in wrong.places if at and at.line), None) for wrong in wrongs]
    if len(wrongs) < 2 or None in lines:
        return None
    return Text("{n} 处错误（第 {lines} 行）：", "{n} faults (lines {lines}):", n=len(wrongs), lines=listed(lines))


def _check_reduced(one: Fact, run_data: RunData) -> None:
    """Raises `Wrong`; not beside optimizers whose steps a gradient of any multiple leaves as they are."""
    summed = one.unreduced and len(one.shape) and one.shape[0] and one.shape[0] > 1
    if summed and not rate_sized([used for used in run_data.optimizers if used.used]):
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
            *loss_lines(run_data, one.name),
        )


def _check_sign(one: Fact, run_data: RunData) -> None:
    """The loss that was trained with is a known one with the sign turned: the training drives it up.

    Raises `Wrong`."""
    if not sign_turned(run_data):
        return
    raise Wrong(
        Text(
            "训练所用的 loss 是 {name} 的相反数（第 1 步为 {loss}，而 {name} 为 {value}）：优化器使误差增大而不是减小。",
            "The loss that is trained with is {name} with its sign turned ({loss} at the first step, where {name} is {value}): "
            "the optimizer makes the error larger, not smaller.",
            name=one.name,
            loss=float(run_data.steps().observed("loss")[0]),
            value=one.value,
        ),
        Text(
            "去掉负号：MindSpore 的优化器使 loss 减小。",
            "Take the minus away: MindSpore's optimizers make the loss smaller.",
        ),
        one.place,
    )


def _broadcast(one: Fact, run_data: RunData) -> Wrong:
    shape = one.shapes[one.label or 0][1:]
    columns = [
        (dataset, column)
        for dataset in run_data.datasets_of("train")
        for column in dataset.columns
        if one.label is not None and list(column.shape) == list(shape)
    ]
    made = array_origins(run_data, *columns[0])[:3] if len(columns) == 1 else []
    # either side may have the axis too many: where the targets are batched, and where the network gives its result
    sides = [first_place(columns[0][0])] if len(columns) == 1 else []
    sides += _given_back(run_data) or [loss.output.place for loss in run_data.probes.losses[:1]]
    around = [one.called, *made, *sides]
    return Wrong(*spread(one.operator, *one.shapes[:2]), one.place, *(where for where in around if where))


def _given_back(run_data: RunData) -> list:
    """Where the network's own class gives its result."""
    for network in run_data.networks[:1]:
        for file, node in run_data.source.classes(network.class_ or ""):
            body = construct_of(node)
            returns = [one for one in own_nodes(body) if isinstance(one, ast.Return)] if body is not None else []
            if returns:
                return [place(file, returns[-1].lineno)]
    return []


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
        one.created,
    )


def _along_samples(run_data: RunData) -> list:
    """Of class numbers with a row of scores each, of which the loss may have taken some only: a softmax over the rows."""
    probes = run_data.probes
    losses = [one for one in probes.losses if one.kind in ("nll", "softmax_cross_entropy")]
    losses += [one for one in probes.own_losses if one.final and one.behaviour.kind == "classes"]
    made = [one.output for one in losses if (one.output.name or "").replace("_", "") in ("softmax", "logsoftmax")]
    return [
        _other_axis(one)
        for one in made
        if one.plain and one.axes == [0] and len(one.shape) == 2 and one.shape[0] != one.shape[1]
    ]


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
                open_points(one, run_data),
            ]
        ),
        Text(
            "用 NumPy 按设计的公式在同一 batch 上计算并比较。",
            "Compute the designed formula in NumPy on the same batch and compare.",
        ),
        [*evidence, *run_data.code_at([one.place], Text("自定义 loss", "The script's own loss"))],
        [one.place],
    )


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
    yield from _reachable(probes)
    own = [[one.name, one.value, kind, value] for one in probes.own_losses for kind, value in one.candidates.items()]
    if own:
        heads = [
            Text("自定义 loss", "own loss"),
            Text("值", "value"),
            Text("内置版本", "built-in"),
            Text("其平均值", "its mean"),
        ]
        yield table(Text("自定义 loss 与内置版本", "The script's own loss and the built-in ones"), heads, own)
    yield from tried(probes.own_losses)


def _reachable(probes: Fact):
    """What can come out of each output, beside what it is compared with."""
    rows = [
        [
            one.name,
            one.output.operator,
            at(one.output.place),
            range_of(one.output),
            str(tuple(one.targets.shape)),
            one.targets.min,
            one.targets.max,
        ]
        for one in [*probes.losses, *probes.other_losses, *probes.own_losses]
        if one.output.operator and one.targets
    ]
    if rows:
        heads = [
            "loss",
            Text("输出的算子", "operator of the output"),
            Text("位置", "place"),
            Text("可取的范围", "range it can give"),
            Text("标签的形状", "shape of the targets"),
            Text("标签最小", "least target"),
            Text("标签最大", "largest target"),
        ]
        yield table(Text("输出能否达到标签", "Whether the outputs can reach the targets"), heads, rows)


def _again(one: Fact):
    return one.recomputed.get(one.equals or "mean")
