"""Rules of cg.04 on what the network's last operator can give: activations too many, too few or of another kind."""

import math
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.loss_with_inputs import (
    NLL,
    SIGMOIDS,
    LossWithInputs,
    are_probabilities,
    operator_of,
    range_of,
    source_of,
    wrong_output,
)
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData

_CLAMPS = ("clamp", "clip", "clipbyvalue")

#: Ranges by the operator's name, of records that hold no more than that.
_UNIT = ("softmax", *SIGMOIDS)

#: What leaves out values at random.
_DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "dropoutext", "alphadropout", "featurealphadropout")

#: Products of vectors of length 1; the share of the gain that cosines as they are, at a temperature of 1, may leave.
_PRODUCTS, _OF_COSINES = ("matmul", "bmm", "mm"), 0.7

_DIVIDE = Text(
    "余弦相似度应除以温度（如 0.05 至 0.5），使得分的范围足够大。",
    "Divide cosines by a temperature (0.05 to 0.5, say), which makes the range of the scores wide enough.",
)
_TAKE_OFF = Text("去掉最后一层之后的激活函数。", "Take the activation off the last layer.")


def without_gradient(one: LossWithInputs, _) -> Optional[Wrong]:
    """An operator without a gradient, such as argmax or round, between network and loss."""
    if one.output.gradient is not False or (one.own and not one.fact.final):
        return None
    summary = Text(
        "{name} 的输入来自 {operator}：它的结果是阶梯状的，没有梯度传回网络。",
        "{name} is given what {operator} made: its results are steps, and no gradient goes back to the network.",
        name=one.name,
        operator=operator_of(one),
    )
    advice = Text(
        "训练时对 {operator} 之前的值计算 loss。",
        "Compute the loss of what goes into {operator}.",
        operator=operator_of(one),
    )
    return wrong_output(one, summary, advice)


def dropped_out(one: LossWithInputs, _) -> Optional[Wrong]:
    """Outputs themselves that are left out at random; what a loss of the script's own compares may be features."""
    if one.own or one.takes is None or one.fact.targets.input is None or one.made_by not in _DROPOUTS:
        return None
    summary = Text(
        "{name} 得到的输出经过了 Dropout：训练时输出值被随机置零、其余被放大，网络的预测在每一步都被改动。",
        "{name} is given outputs that went through Dropout: in training, predictions themselves are set to zero at random, and "
        "the others are made larger.",
        name=one.name,
    )
    advice = Text(
        "去掉输出层之后的 Dropout；它只用在隐藏层之间。",
        "Take away the Dropout behind the output layer; its place is between hidden layers.",
    )
    return wrong_output(one, summary, advice)


def activated_twice(one: LossWithInputs, _) -> Optional[Wrong]:
    """Probabilities for a loss that computes its own softmax or sigmoid."""
    made_by, whole = one.made_by, are_probabilities(one)
    unmoved = one.output.high is None or one.output.high <= 1
    of_classes = one.takes == "scores of classes" and (
        (made_by == "softmax" and unmoved) or (whole and not one.own and made_by not in ("logsoftmax",))
    )
    of_sides = one.takes == "scores" and made_by in _UNIT and unmoved
    if not of_classes and not of_sides:
        return None
    if of_classes:
        rows = (
            Text("每行之和为 1，", "each row adds up to 1, ")
            if whole
            else Text("沿另一维相加为 1，", "adding up to 1 over another axis than that of the classes, ")
        )
        what = "softmax"
    else:
        rows, what = Text("", ""), "sigmoid"
    summary = Text(
        "{name} 自己计算 {what}，而它的输入已经是概率（{rows}来自 {operator}）：激活被计算了两次，梯度很小，loss 降不到 0。",
        "{name} computes a {what}, and what it is given are probabilities already ({rows}made by {operator}): the activation is "
        "applied twice, gradients are small, and the loss cannot come near 0.",
        name=one.name,
        what=what,
        rows=rows,
        operator=operator_of(one) or Text("网络", "the network"),
    )
    advice = Text(
        "去掉网络末尾的 {operator}：{name} 自己会计算；推理时再另外计算概率。",
        "Take {operator} off the end of the network: {name} computes it; compute probabilities apart for inference.",
        operator=operator_of(one) or what,
        name=one.name,
    )
    return wrong_output(one, summary, advice)


def cut_off(one: LossWithInputs, _) -> Optional[Wrong]:
    """Scores from which one side is cut, as ReLU does."""
    if one.takes not in ("scores of classes", "scores") or not one.output.flat or not one.output.plain:
        return None
    if one.made_by in SIGMOIDS:  # told by what the loss can come to
        return None
    summary = Text(
        "{name} 需要可正可负的 logits，而它的输入经过了 {operator}，只能在 {range} 内：被截断的得分没有梯度，学不回来。",
        "{name} expects logits of either sign, and what it is given went through {operator} and lies in {range}: a score that is "
        "clipped gets no gradient and cannot come back.",
        name=one.name,
        operator=operator_of(one),
        range=range_of(one.output),
    )
    return wrong_output(one, summary, _TAKE_OFF)


def narrow_range(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """What the loss could gain lies beyond the range of the output."""
    got = one.reach
    scores = one.own or one.takes in ("scores of classes", "scores")
    if not got or not scores or not got.settles or not _finite(got.even, got.inside, got.outside):
        return _sigmoid_by_name(one)
    gain = got.even - got.outside
    cosines = one.made_by in _PRODUCTS
    lost = _OF_COSINES if cosines else run_data.limit("cg.04.lost_gain")
    if gain <= 0 or (got.inside - got.outside) < lost * gain:
        return None
    advice = _DIVIDE if cosines else _TAKE_OFF
    summary = Text(
        "{name} 的输入经过了 {operator}，只能在 {range} 内：即使预测全对，loss 也只能从 {even} 降到 {inside}；"
        "没有这一限制可降到 {outside}。",
        "What {name} is given went through {operator} and lies in {range}: with every prediction right the loss comes from "
        "{even} down to {inside} only, and to {outside} without that range.",
        name=one.name,
        operator=operator_of(one),
        range=range_of(one.output),
        even=round(got.even, 6),
        inside=round(got.inside, 6),
        outside=round(got.outside, 6),
    )
    return wrong_output(one, summary, advice)


def _finite(*values: Optional[float]) -> bool:
    return all(value is not None and math.isfinite(value) for value in values)


def _sigmoid_by_name(one: LossWithInputs) -> Optional[Wrong]:
    """Of older records, which hold no more than the operator's name."""
    if one.output or one.takes != "scores of classes" or one.made_by not in SIGMOIDS:
        return None
    summary = Text(
        "{name} 的输入经过了 {operator}，只能落在 0 到 1 之间：softmax 无法给出接近 1 的概率。",
        "What {name} is given went through {operator} and lies between 0 and 1: softmax cannot make a probability near 1 "
        "of that.",
        name=one.name,
        operator=operator_of(one),
    )
    return wrong_output(one, summary, _TAKE_OFF)


def clipped_probabilities(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """A clamp in the place of a sigmoid, which clips what lies beyond 0 and 1."""
    given = source_of(one).given
    low, high = given if len(given) == 2 else (0, 1)
    if one.takes != "probabilities" or one.made_by not in _CLAMPS:
        return None
    margin = run_data.limit("cg.04.clip_margin")
    if low >= -margin and high <= 1 + margin:
        return None
    summary = Text(
        "{name} 需要 0 到 1 之间的概率，而它的输入是从 {low} 到 {high} 截断（{operator}）得到的：缺少 sigmoid，"
        "被截断的部分没有梯度。",
        "{name} wants probabilities between 0 and 1, and is given values from {low} to {high} that are clipped by {operator}: "
        "the sigmoid is missing, and what is clipped gets no gradient.",
        name=one.name,
        low=low,
        high=high,
        operator=operator_of(one),
    )
    advice = Text(
        "先用 sigmoid 得到概率再截断，或改用 BCEWithLogitsLoss（数值更稳定）。",
        "Put a sigmoid before the clipping, or use BCEWithLogitsLoss, which is more stable.",
    )
    return wrong_output(one, summary, advice)


def no_probabilities(one: LossWithInputs, _) -> Optional[Wrong]:
    """Values that need not lie between 0 and 1 for a loss of probabilities."""
    if one.takes != "probabilities":
        return None
    out, fact = one.output, one.fact
    if one.own:
        outside = fact.features.unit is False and (fact.features.probabilities is False or one.kind != "classes")
    else:
        known = fact.predicted.min is not None and fact.predicted.max is not None
        outside = known and (fact.predicted.min < -1e-6 or fact.predicted.max > 1 + 1e-6)
    bounded = out.low is not None or out.high is not None
    beyond = bounded and ((out.low is None or out.low < -0.01) or (out.high is None or out.high > 1.01))
    # a formula of the script's own may well give probabilities, though no operator in it has a range
    may = out.linear or (beyond and out.plain)
    if not outside and not may:
        return None
    operator = operator_of(one)
    seen = (
        Text(
            "（本 batch 中从 {low} 到 {high}）",
            " ({low} to {high} in this batch)",
            low=fact.predicted.min,
            high=fact.predicted.max,
        )
        if not one.own
        else Text("", "")
    )
    summary = Text(
        "{name} 需要 0 到 1 之间的概率，而它的输入来自 {operator}，可取 {range}{seen}：缺少 {what}。",
        "{name} wants probabilities between 0 and 1, and is given what {operator} made, which can lie in {range}{seen}: "
        "the {what} is missing.",
        name=one.name,
        operator=operator or Text("网络", "the network"),
        range=range_of(out),
        seen=seen,
        what="softmax" if one.kind == "classes" else "sigmoid",
    )
    advice = Text(
        "用 sigmoid（多分类用 softmax）作为最后的激活，或改用带 logits 的写法（BCEWithLogitsLoss、log_softmax，数值更稳定）。",
        "End with a sigmoid (softmax for classes), or use the form for logits (BCEWithLogitsLoss, log_softmax), which is "
        "more stable.",
    )
    return Wrong(summary, advice, fact.place, out.place or source_of(one).place)


def no_log_probabilities(one: LossWithInputs, _) -> Optional[Wrong]:
    """Probabilities or scores for a loss of log-probabilities, or such targets of a divergence."""
    if one.takes != "log-probabilities":
        return None
    given = one.fact.predicted
    positive = given.max is not None and given.max > 1e-3
    if (one.kind == NLL and given.log_probabilities is False) or (one.kind == "kl_div" and positive):
        summary = Text(
            "{name} 需要对数概率，而输入不是（{why}）：缺少 log_softmax。",
            "{name} wants log-probabilities, and is given something else ({why}): log_softmax is missing.",
            name=one.name,
            why=Text("每行的 exp 之和不为 1", "the exponentials of a row do not add up to 1")
            if one.kind == NLL
            else Text("有大于 0 的值，最大 {high}", "values above 0, up to {high}", high=given.max),
        )
        advice = Text(
            "在网络末尾加 log_softmax，或改用 CrossEntropyLoss。",
            "End the network with log_softmax, or use CrossEntropyLoss.",
        )
        return wrong_output(one, summary, advice)
    targets = one.fact.targets
    if one.kind != "kl_div" or one.fact.settings.get("log_target") or targets.min is None or targets.min > -1e-3:
        return None
    return Wrong(
        Text(
            "{name} 的第二个输入须是概率，而给出的值小至 {low}：是对数概率，或两个输入颠倒了。",
            "The second input of {name} has to be probabilities, and is given values down to {low}: they are "
            "log-probabilities, or the two have changed places.",
            name=one.name,
            low=targets.min,
        ),
        Text(
            "写成 kl_div(log_softmax(学生), softmax(教师))。", "Write kl_div(log_softmax(student), softmax(teacher))."
        ),
        one.fact.place,
    )
