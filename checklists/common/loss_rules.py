"""Can the output, as the network gives it, reach the targets, and does the loss expect what it is given? (cg.04)

A table of rules over what enters each loss: the operator that bounds the output with its range, and the targets.
"""

import math
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.class_choice import chosen_at
from msprec.checklists.common.class_numbers import squared_one_hot, taken_for_amounts
from msprec.checklists.common.class_weights import check_class_weights
from msprec.checklists.common.custom_loss import Wrong, called
from msprec.checklists.common.target_columns import Beyond, beyond_range, column_of
from msprec.checklists.common.training_segments import last_training_start
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

SOFTMAX, NLL, BCE, BCE_LOGITS = "softmax_cross_entropy", "nll", "bce", "bce_with_logits"
_REGRESSION = ("mse", "l1", "smooth_l1", "huber", "rmse", "residual")
#: What each kind of loss takes as its prediction.
_TAKES = {
    SOFTMAX: "scores of classes",
    "focal": "scores of classes",
    BCE_LOGITS: "scores",
    "multi_label": "scores",
    BCE: "probabilities",
    NLL: "log-probabilities",
    "kl_div": "log-probabilities",
    **dict.fromkeys(_REGRESSION, "values"),
}
_SIGMOIDS = ("sigmoid", "hardsigmoid", "hsigmoid")
_CLAMPS = ("clamp", "clip", "clipbyvalue")
#: Ranges by the operator's name, of records that hold no more than that.
_UNIT = ("softmax", *_SIGMOIDS)


class LossWithInputs(NamedTuple):
    """One loss with what it is given; ``takes``: what it wants, None where its values do not tell."""

    fact: Fact
    name: Text
    kind: str
    takes: Optional[str]
    output: Fact
    made_by: str
    shape: list
    own: bool
    reach: Fact
    column: Optional[tuple]


class _Sentence(Text):
    """A text that begins with a capital letter, though the name of a loss stands first in it."""

    __slots__ = ()

    def __init__(self, whole: Text) -> None:
        super().__init__("{whole}", "{whole}", whole=whole)

    def render(self, lang: str) -> str:
        whole = super().render(lang)
        return "T" + whole[1:] if whole.startswith("the ") else whole


def built_in(one: Fact, run_data: RunData) -> LossWithInputs:
    """Of an entry of ``losses`` or ``other_losses``."""
    name = Text("{name}", "{name}", name=one.name)
    if one.kind == "residual":
        name = Text("loss（预测与标签之差）", "the loss, a difference of prediction and target,")
    return LossWithInputs(
        one,
        name,
        one.kind,
        _TAKES.get(one.kind),
        one.output,
        _made_by(one.output, one.predicted.source),
        one.predicted.shape,
        False,
        one.reach if "reach" in one else Fact({}, {}),
        column_of(run_data, one.targets),
    )


def of_script(one: Fact, run_data: RunData) -> LossWithInputs:
    """Of an entry of ``own_losses``, by what it does with values."""
    did, name = one.behaviour, Text("自定义的 {name}", "the script's own {name}", name=called(one))
    judged = did.repeatable and one.final and not one.weighed
    # where weights such as advantages decide which way the outputs are driven, a softmax over them still shows
    softmax = did.repeatable and one.final and did.kind == "classes" and did.sample_shift and did.domain == "scores"
    return LossWithInputs(
        one,
        name,
        did.kind or "",
        _own_takes(did) if judged else "scores of classes" if softmax else None,
        one.output,
        _made_by(one.output, one.features.source),
        one.predicted,
        True,
        did.reach if judged else Fact({}, {}),
        column_of(run_data, one.targets),
    )


def _own_takes(did: Fact) -> Optional[str]:
    if did.kind == "regression":
        return "values" if did.way == "falls" else None
    if did.family.domain == "probabilities":
        return "probabilities"
    if did.kind == "classes":
        return "scores of classes" if did.sample_shift else None
    return "scores" if did.kind == "binary" and did.family.domain == "scores" else None


def _made_by(output: Fact, source: Fact) -> str:
    name = output.name or (source.operator if source else None) or ""
    return name.lower().rstrip("_").replace("_", "")


def check_inputs(one: LossWithInputs, run_data: RunData) -> None:
    """Raises `Wrong`, of the first rule that finds something."""
    for rule in RULES:
        wrong = rule(one, run_data)
        if wrong is not None:
            chosen = chosen_at(run_data, one.output.created, one.output.operator or "")
            raise Wrong(_Sentence(wrong.summary), wrong.advice, *wrong.places, *chosen)


def range_of(output: Fact) -> Text:
    """The values that an operator can give, as an interval."""
    low = "(-∞" if output.low is None else f"[{output.low:.4g}"
    high = "∞)" if output.high is None else f"{output.high:.4g}]"
    return Text("{low}, {high}", "{low}, {high}", low=low, high=high)


def _wrong(one: LossWithInputs, summary: Text, advice: Text) -> Wrong:
    """Of the output: at its operator, where a cell that does it was made, and at the loss."""
    place = one.output.place or _source(one).place
    places = [place, one.output.created, one.fact.place] if place else [one.fact.place]
    return Wrong(summary, advice, *places)


def _source(one: LossWithInputs) -> Fact:
    return one.fact.features.source if one.own else one.fact.predicted.source


def _operator(one: LossWithInputs) -> str:
    return one.output.operator or _source(one).operator or ""


def _probabilities(one: LossWithInputs) -> Optional[bool]:
    return one.fact.features.probabilities if one.own else one.fact.predicted.probabilities


# --- the rules -------------------------------------------------------------------------------------------------------
def _one_value(one: LossWithInputs, _) -> Optional[Wrong]:
    if one.output.constant is None or not one.output.plain:
        return None
    summary = Text(
        "{operator} 只作用于一个输出值（形状 {shape}）：输出恒为 {value}，与输入和权重无关，{name} 不能使网络学到任何东西。",
        "{operator} goes over a single unit (shape {shape}): the output is {value} whatever goes in and whatever is learnt, and "
        "{name} teaches the network nothing.",
        operator=_operator(one),
        shape=str(tuple(one.output.shape)),
        value=one.output.constant,
        name=one.name,
    )
    advice = Text(
        "二分类用 sigmoid（或不加激活并用 BCEWithLogitsLoss）；回归去掉激活；多分类让网络为每个类别各给一个输出。",
        "For two classes use a sigmoid, or no activation and BCEWithLogitsLoss; for regression no activation; for more "
        "classes an output for each.",
    )
    return _wrong(one, summary, advice)


def _over_samples(one: LossWithInputs, _) -> Optional[Wrong]:
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
        operator=_operator(one),
        shape=str(tuple(shape)),
        name=one.name,
    )
    advice = Text(
        "多分类沿最后一轴（axis=-1）；只有一个输出时用 sigmoid 或不加激活。",
        "For classes take the last axis (axis=-1); with a single output a sigmoid, or no activation.",
    )
    return _wrong(one, summary, advice)


def _for_each_sample(one: LossWithInputs) -> bool:
    """Whether a loss of the script's own compares each sample's outputs with its own classes, as many as there are outputs; one
    that tells samples of a batch apart has as many of these."""
    shape, targets = list(one.shape), one.fact.targets
    one_hot = bool(targets.one_hot) and list(one.fact.labels) == shape
    return bool(one.fact.final and one_hot and targets.input is not None and shape[0] != shape[-1])


def _no_gradient(one: LossWithInputs, _) -> Optional[Wrong]:
    if one.output.gradient is not False or (one.own and not one.fact.final):
        return None
    summary = Text(
        "{name} 的输入来自 {operator}：它的结果是阶梯状的，没有梯度传回网络。",
        "{name} is given what {operator} made: its results are steps, and no gradient goes back to the network.",
        name=one.name,
        operator=_operator(one),
    )
    advice = Text(
        "训练时对 {operator} 之前的值计算 loss。",
        "Compute the loss of what goes into {operator}.",
        operator=_operator(one),
    )
    return _wrong(one, summary, advice)


#: What leaves out values at random.
_DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "dropoutext", "alphadropout", "featurealphadropout")


def _dropped_out(one: LossWithInputs, _) -> Optional[Wrong]:
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
    return _wrong(one, summary, advice)


def _exchanged(one: LossWithInputs, _) -> Optional[Wrong]:
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


def _channels_not_moved(one: LossWithInputs, _) -> Optional[Wrong]:
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


def _single_class(one: LossWithInputs, _) -> Optional[Wrong]:
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


def computed_twice(run_data: RunData) -> bool:
    """Whether a loss of MindSpore's computes an activation that the network has computed already."""
    return any(_twice(built_in(one, run_data), run_data) is not None for one in run_data.probes.losses)


#: Losses that are never below 0.
_NOT_NEGATIVE = (SOFTMAX, BCE, BCE_LOGITS, "mse", "l1", "smooth_l1", "huber")
#: Dropout gives another value when the step is run again; the sign is the same.
_SAME_VALUE = 0.2


def sign_turned(run_data: RunData) -> bool:
    """Whether the loss that was trained with is the only known loss with its sign turned."""
    losses, known = run_data.steps().observed("loss"), run_data.probes.losses
    alone = len(known) == 1 and sum(one.used is not False for one in run_data.optimizers) == 1
    if not alone or known[0].kind not in _NOT_NEGATIVE or not (known[0].value or 0) > 0 or len(losses) < 2:
        return False
    return bool(abs(losses[0] + known[0].value) <= _SAME_VALUE * known[0].value and (losses[:8] < 0).all())


def times_smaller(run_data: RunData) -> float:
    """How many times smaller an activation that is computed twice makes the gradients at the most, near equal probabilities: the
    number of classes for a softmax, whose Jacobian is (I - 1/n)/n there, and 4 for a sigmoid, whose slope is 1/4; else 1."""
    twice = [one for one in (built_in(fact, run_data) for fact in run_data.probes.losses) if _twice(one, run_data)]
    widths = [max(one.shape[1] if len(one.shape) > 1 and one.shape[1] else 1, 4) for one in twice]
    return float(max(widths, default=1))


def _twice(one: LossWithInputs, _) -> Optional[Wrong]:
    made_by, whole = one.made_by, _probabilities(one)
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
        operator=_operator(one) or Text("网络", "the network"),
    )
    advice = Text(
        "去掉网络末尾的 {operator}：{name} 自己会计算；推理时再另外计算概率。",
        "Take {operator} off the end of the network: {name} computes it; compute probabilities apart for inference.",
        operator=_operator(one) or what,
        name=one.name,
    )
    return _wrong(one, summary, advice)


def _cut_off(one: LossWithInputs, _) -> Optional[Wrong]:
    if one.takes not in ("scores of classes", "scores") or not one.output.flat or not one.output.plain:
        return None
    if one.made_by in _SIGMOIDS:  # told by what the loss can come to
        return None
    summary = Text(
        "{name} 需要可正可负的 logits，而它的输入经过了 {operator}，只能在 {range} 内：被截断的得分没有梯度，学不回来。",
        "{name} expects logits of either sign, and what it is given went through {operator} and lies in {range}: a score that is "
        "clipped gets no gradient and cannot come back.",
        name=one.name,
        operator=_operator(one),
        range=range_of(one.output),
    )
    return _wrong(one, summary, _TAKE_OFF)


_TAKE_OFF = Text("去掉最后一层之后的激活函数。", "Take the activation off the last layer.")


def _narrow(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """What the loss could gain lies beyond the range of the output."""
    got = one.reach
    scores = one.own or one.takes in ("scores of classes", "scores")
    if not got or not scores or not got.settles or not _finite(got.even, got.inside, got.outside):
        return _sigmoid_by_name(one)
    gain = got.even - got.outside
    if gain <= 0 or (got.inside - got.outside) < run_data.limit("cg.04.lost_gain") * gain:
        return None
    summary = Text(
        "{name} 的输入经过了 {operator}，只能在 {range} 内：即使预测全对，loss 也只能从 {even} 降到 {inside}；"
        "没有这一限制可降到 {outside}。",
        "What {name} is given went through {operator} and lies in {range}: with every prediction right the loss comes from "
        "{even} down to {inside} only, and to {outside} without that range.",
        name=one.name,
        operator=_operator(one),
        range=range_of(one.output),
        even=round(got.even, 6),
        inside=round(got.inside, 6),
        outside=round(got.outside, 6),
    )
    return _wrong(one, summary, _TAKE_OFF)


def _finite(*values: Optional[float]) -> bool:
    return all(value is not None and math.isfinite(value) for value in values)


def _sigmoid_by_name(one: LossWithInputs) -> Optional[Wrong]:
    """Of older records, which hold no more than the operator's name."""
    if one.output or one.takes != "scores of classes" or one.made_by not in _SIGMOIDS:
        return None
    summary = Text(
        "{name} 的输入经过了 {operator}，只能落在 0 到 1 之间：softmax 无法给出接近 1 的概率。",
        "What {name} is given went through {operator} and lies between 0 and 1: softmax cannot make a probability near 1 "
        "of that.",
        name=one.name,
        operator=_operator(one),
    )
    return _wrong(one, summary, _TAKE_OFF)


def _clipped(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    given = _source(one).given
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
        operator=_operator(one),
    )
    advice = Text(
        "先用 sigmoid 得到概率再截断，或改用 BCEWithLogitsLoss（数值更稳定）。",
        "Put a sigmoid before the clipping, or use BCEWithLogitsLoss, which is more stable.",
    )
    return _wrong(one, summary, advice)


def _no_probabilities(one: LossWithInputs, _) -> Optional[Wrong]:
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
    operator = _operator(one)
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
    return Wrong(summary, advice, fact.place, out.place or _source(one).place)


def _no_log(one: LossWithInputs, _) -> Optional[Wrong]:
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
        return _wrong(one, summary, advice)
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


def _several_classes(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Several classes at once for a sample, where the probabilities of all add up to one."""
    targets = one.fact.targets
    summing = (one.made_by == "softmax" and _probabilities(one)) or one.takes == "scores of classes"
    if not summing or not targets.rows or targets.shape != one.shape:
        return None
    if targets.several is None or targets.several < run_data.limit("cg.04.unreachable") * targets.rows:
        return None
    operator = _operator(one) if one.made_by == "softmax" else Text("softmax", "softmax")
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
        return Wrong(summary, advice, one.fact.place)
    return _wrong(one, summary, advice)


def _within(one: LossWithInputs) -> bool:
    """Whether the labels of the captured batches are all classes of the output: the column is that of other trainings too."""
    top = one.fact.targets.max
    return top is not None and top < one.shape[1]


def _too_few_outputs(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
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


def _out_of_reach(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    """Targets beyond what the last operator can give."""
    targets = one.fact.targets
    bounded = one.output.low is not None or one.output.high is not None
    if one.takes != "values" or not bounded or targets.learnt or not targets.elements or targets.max is None:
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
        operator=_operator(one),
        range=range_of(one.output),
        name=one.name,
        column=Text("（列 {c}）", " (column {c})", c=found.column) if found.column else Text("", ""),
        low=found.low,
        high=found.high,
        elements=found.elements,
        count=found.number,
        side=_side(one.output, found),
    )
    advice = Text(
        "去掉最后的 {operator}（回归一般不加激活），或把标签缩放到 {range} 内，推理时再换算回来。",
        "Take {operator} off the end (regression usually has no activation there), or scale the targets into {range} and "
        "back again for inference.",
        operator=_operator(one),
        range=range_of(one.output),
    )
    return _wrong(one, summary, advice)


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


def _labels_of_sides(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
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
            "把标签转换为 0/1；多分类请用 CrossEntropyLoss。",
            "Make the labels 0 or 1; for classes use CrossEntropyLoss.",
        ),
        one.fact.place,
    )


def _shapes(one: LossWithInputs, _) -> Optional[Wrong]:
    """Prediction and targets whose shapes broadcast."""
    if one.own or one.kind not in _REGRESSION:
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


def _class_numbers(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    if one.takes != "values":
        return None
    squared = squared_one_hot(one.fact, one.name, run_data) if not one.own else None
    return taken_for_amounts(one.fact, one.name, run_data) or squared


def _weights_of_classes(one: LossWithInputs, run_data: RunData) -> Optional[Wrong]:
    return check_class_weights(one.fact, one.name, run_data) if not one.own else None


#: In the order in which they are asked: what makes all the rest moot comes first.
RULES = (
    _one_value,
    _over_samples,
    _no_gradient,
    _dropped_out,
    _exchanged,
    _channels_not_moved,
    _single_class,
    _several_classes,
    _twice,
    _cut_off,
    _narrow,
    _clipped,
    _no_probabilities,
    _no_log,
    _too_few_outputs,
    _out_of_reach,
    _class_numbers,
    _labels_of_sides,
    _shapes,
    _weights_of_classes,
)


def loss_lines(run_data: RunData, name: Optional[str]) -> list:
    """Where the code makes a loss cell of that name, or calls the function."""
    return run_data.find_lines(rf"\b{re.escape(name)}\(", 2) if name else []
