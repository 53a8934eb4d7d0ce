"""What calling a loss of the script's own with made-up predictions tells of it (cg.04)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Joined, Text
from msprec.checklists.common.loss.class_separation import check_separation, separates
from msprec.checklists.common.loss.pair_distance import (
    EXCHANGE,
    PART,
    WHICH_LABEL,
    draws_alike,
    draws_apart,
    draws_together,
    formula,
    is_distance,
    parts_nothing,
)
from msprec.checklists.common.loss.wrong_loss import Wrong, called
from msprec.checklists.common.script.array_origin import label_origins
from msprec.checklists.common.training.reinforcement import raises_rewards
from msprec.engine.finding import table
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import construct_of, own_nodes

#: Losses that drive predictions away from the labels on purpose; that compare distributions, not samples.
_AGAINST = re.compile(r"adv|confus|revers|unlearn|attack", re.IGNORECASE)
_WHOLE = re.compile(r"mmd|wasser|moment|distrib|coral|sinkhorn|emd|histogram|proportion|prior|gan", re.IGNORECASE)


#: A softmax along the first axis, that of the samples.
_OVER_SAMPLES = r"\b\w*[sS]oft_?[mM]ax\(.*(,\s*|\b(axis|dim)\s*=\s*)0\s*\)|\b\w*Softmax\(\s*0\s*\)"


def check_own(one: Fact, run_data: RunData) -> None:
    """Raises `Wrong`. Only of what is the loss as a whole: what a part of it is for, the rest of the step decides."""
    did = one.behaviour
    check_separation(one, run_data)
    if one.written and any(size > 1 for size in one.shape if size):
        raise Wrong(_unreduced(one), _REDUCE, one.place)
    if lowers_rewards(one, run_data):
        raise Wrong(_against_rewards(one), _POLICY, one.place)
    # what else weighs the samples may well turn the sign round
    if not did.repeatable or not one.final or not _has_curve(did) or one.weighed:
        return
    _check_axis(one, run_data)
    if is_distance(one):
        if did.parts is False:
            raise Wrong(parts_nothing(called(one), one), PART, *formula(one, run_data))
        if draws_alike(one, run_data) is False:
            raise Wrong(
                draws_apart(called(one), one, run_data.probes.compared_inputs), EXCHANGE, *formula(one, run_data)
            )
        return
    check_direction(one, run_data)
    # shares that add up to 1: raising those of one label lowers the others
    shares = "softmax" in (one.output.name or one.output.operator or "").lower()
    if did.idle and not (one.purpose or one.computed or shares):
        raise Wrong(_one_sided(one), _BOTH_SIDES, one.place, *label_origins(run_data)[:3])
    if did.pairs is False and not (one.purpose or one.computed) and not _WHOLE.search(one.name):
        raise Wrong(_no_pairs(one), _PAIR_UP, one.place)
    if did.kind == "distillation" and did.way is None and did.family.name is None and _far_from_smallest(did.curve):
        raise Wrong(_not_at_teacher(one), _LOG, one.place)


def check_direction(one: Fact, run_data: RunData) -> None:
    """Raises `Wrong` where a loss as a whole, with or without a built-in one among its terms, does not draw predictions to the
    labels."""
    did = one.behaviour
    if not did.repeatable or not one.final or not _has_curve(did) or one.weighed:
        return
    meant = one.purpose or (one.written and not _below_zero(did)) or _AGAINST.search(one.name)
    if did.way == "rises" and not meant and not _ascends(run_data):
        raise Wrong(_rises(one), _SIGN, one.place, *_returned(run_data, one.place))
    if _no_better_than_neutral(did) and not meant:
        terms = [term.place for term in run_data.probes.terms if term.place]
        raise Wrong(_prefers_neutral(one), _SIGN, one.place, *terms)


def _returned(run_data: RunData, where: Fact) -> list:
    """Where the function, or the ``construct`` of the class, that begins at a place gives its result."""
    if not where or not where.file or not where.line:
        return []
    made = run_data.source.nodes_at(where.file, where.line, ast.ClassDef)
    bodies = [construct_of(made[0])] if made else run_data.source.nodes_at(where.file, where.line, ast.FunctionDef)
    nodes = [one for body in bodies if body is not None for one in own_nodes(body)]
    return [place(where.file, one.lineno) for one in nodes if isinstance(one, ast.Return)][:2]


#: A step up the gradient: ``assign_add(p, rate * g)``, ``p.set_data(p + rate * g)``.
_UP = r"\bassign_add\(|\b(assign|set_data|assign_value)\(.*\+\s*\w*(lr|rate|eta|step)\w*\s*\*"


def _ascends(run_data: RunData) -> bool:
    """Whether a script without optimizers adds the gradients to its weights: what it computes is to grow."""
    return not any(one.used is not False for one in run_data.optimizers) and bool(run_data.find_lines(_UP, 1))


#: Values of the curve: predictions away from the labels, half way, neutral, half way towards them, and at the labels.
_NEUTRAL = 2
#: Share of the curve's span by which predictions at the labels have to cost less than neutral ones; 0.1 of a cross-entropy.
_LESS = 0.01


def lowers_rewards(one: Fact, run_data: RunData) -> bool:
    """Whether a policy gradient makes the actions rarer that were rewarded."""
    return bool(one.final and one.direction == "rises" and raises_rewards(run_data))


def _against_rewards(one: Fact) -> Text:
    return Text(
        "{name} 的符号反了：优势（或回报）都取 1 时，所选动作的概率越大 loss 越大，训练会使得到奖励的动作更少出现。",
        "{name} has the wrong sign: with 1 for all advantages or returns it grows with the probability of the actions that were "
        "taken, so that training makes the rewarded ones rarer.",
        name=called(one),
    )


_POLICY = Text(
    "策略梯度最小化的是 -(log_prob * advantage).mean()：补上负号。",
    "A policy gradient minimises -(log_prob * advantage).mean(): put the minus in.",
)


def _no_better_than_neutral(did: Fact) -> bool:
    """Whether predictions that agree with the labels cost no less than ones that say nothing, though the labels matter: one of
    its terms drives the outputs away from them."""
    curve = list(did.curve)
    if did.kind not in ("classes", "binary") or len(curve) != 5 or did.pairs is not True or did.way is not None:
        return False
    if did.domain == "scores" and not did.settles:
        return False  # a loss that compares with the scores themselves
    return curve[-1] > curve[_NEUTRAL] - _LESS * (max(curve) - min(curve))


def _prefers_neutral(one: Fact) -> Text:
    curve = one.behaviour.curve
    return Text(
        "自定义的 {name} 在预测与标签一致时为 {near}，在预测不表态时为 {even}，前者并不更小：其中有一项使输出远离标签。",
        "The script's own {name} is {near} where predictions agree with the labels, and {even} where they say nothing: one of "
        "its terms drives the outputs away from the labels.",
        name=called(one),
        near=curve[-1],
        even=curve[_NEUTRAL],
    )


def _below_zero(did: Fact) -> bool:
    """Whether a loss of real numbers goes below 0 far from the labels, as the negative of a distance does."""
    return did.kind != "regression" or did.curve[0] < 0


def _has_curve(did: Fact) -> bool:
    return len(did.curve) > 1 and None not in did.curve


def _check_axis(one: Fact, run_data: RunData) -> None:
    did = one.behaviour
    # distances between embeddings stay the same too; but they do not tell towards from away
    if did.kind == "classes" and did.class_shift and did.sample_shift is False and did.way == "falls":
        raise Wrong(
            Text(
                "自定义的 {name} 沿 batch 轴计算 softmax：给某一类的所有样本加同一个数，loss 不变；"
                "给某个样本的所有类别加同一个数，loss 却改变。",
                "The script's own {name} takes its softmax over the batch: raising one class's scores in all samples leaves the "
                "loss as it is, and raising all scores of one sample changes it.",
                name=called(one),
            ),
            Text(
                "softmax/log_softmax 用 axis=1（或 -1），即类别所在的轴。",
                "Take softmax or log_softmax along the classes: axis=1, or -1.",
            ),
            *run_data.find_lines(_OVER_SAMPLES, 2),
            one.place,
        )


def _unreduced(one: Fact) -> Text:
    return Text(
        "自定义的 {name} 没有做归约：返回形状 {shape} 的 loss，梯度是各元素之和，随 batch 增大。",
        "The script's own {name} is not reduced: it has the shape {shape}, and the gradient is the sum over its elements, "
        "which grows with the batch.",
        name=called(one),
        shape=str(tuple(one.shape)),
    )


_REDUCE = Text("对结果取平均（ops.mean）。", "Take the mean of the result (ops.mean).")


def _rises(one: Fact) -> Text:
    curve = one.behaviour.curve
    return Text(
        "自定义的 {name} 的方向反了：预测离标签远时为 {far}，与标签一致时反而为 {near}，训练会使预测远离标签。",
        "The script's own {name} has the wrong sign: {far} where predictions are far off the labels, and {near} where they "
        "agree with them; training drives them away.",
        name=called(one),
        far=curve[0],
        near=curve[-1],
    )


_SIGN = Text(
    "核对公式的符号（例如负对数似然前的负号，Dice 需用 1 − Dice）。",
    "Check the signs of the formula: the minus of the log-likelihood; 1 − Dice, not Dice.",
)


def _one_sided(one: Fact) -> Text:
    return Text(
        "自定义的 {name} 对标签为 {label} 的样本不起作用：无论对它们预测什么，loss 都不变，也没有梯度；网络只需对所有样本给出"
        "另一类的预测。",
        "The script's own {name} takes no notice of the samples with label {label}: whatever is predicted for them, it stays the "
        "same and gives no gradient, and the network need only predict the other label for all.",
        name=called(one),
        label=f"{one.behaviour.idle[0]:g}",
    )


_BOTH_SIDES = Text(
    "标签为 0 时与预测的乘积恒为 0：hinge 一类的 loss 需要 −1/+1 的标签；二元交叉熵还需要 (1 − y)·log(1 − p) 一项。",
    "With a label of 0 the product with the prediction is 0: a hinge loss needs labels of −1 and +1, and a binary cross entropy "
    "its second term, (1 − y)·log(1 − p), as well.",
)


def _no_pairs(one: Fact) -> Text:
    return Text(
        "自定义的 {name} 与标签和样本的对应无关：在 batch 中打乱标签的顺序，loss 不变。",
        "The script's own {name} does not depend on which label goes with which sample: with the labels of the batch in "
        "another order it stays the same.",
        name=called(one),
    )


_PAIR_UP = Text(
    "检查形状（(N,1) 与 (N,) 会广播成 N×N）、归约的先后，以及标签是否真的参与计算。",
    "Check the shapes, as (N,1) and (N,) broadcast to N×N, what is averaged before the two are compared, and whether the "
    "labels are used at all.",
)


def _not_at_teacher(one: Fact) -> Text:
    return Text(
        "自定义的 {name} 在学生与教师的输出相同时不是最小：此时为 {near}，而学生输出为 0 时为 {even}。",
        "The script's own {name} is not smallest where the student's outputs are the teacher's: {near} there, {even} where the "
        "student gives zeros.",
        name=called(one),
        near=one.behaviour.curve[-1],
        even=one.behaviour.curve[1],
    )


_LOG = Text(
    "kl_div 的第一个输入须是对数概率（log_softmax），第二个是概率（softmax）；核对两者的次序。",
    "The first input of kl_div has to be log-probabilities (log_softmax), the second probabilities (softmax); check their order.",
)


def _far_from_smallest(curve: list) -> bool:
    """Whether somewhere on the way the value is clearly below that at the end."""
    size = max(map(abs, curve))
    return size > 0 and min(curve[:-1]) < curve[-1] - 1e-2 * size


def confirmed(one: Fact, run_data: RunData) -> Optional[Text]:
    """Why a loss of the script's own is right: what it is, or what it does; None where that is open."""
    did = one.behaviour
    if one.final and one.separation:
        return separates(one)
    if not did or not did.repeatable:
        return None
    if did.family.name and not one.weighed:
        return Text(
            "自定义的 {name} 在 {n} 个构造的 batch 上与 NumPy 的 {family}{settings} 相等，在捕获的 batch 上为 {value}。",
            "The script's own {name} equals NumPy's {family}{settings} on {n} batches made up; it is {value} on the captured "
            "one.",
            name=called(one),
            n=did.family.batches,
            family=did.family.name,
            settings=_settings(did.family.settings),
            value=one.value,
        )
    if not one.final or open_points(one, run_data) is not None:
        return None
    if is_distance(one):
        return draws_together(called(one), one)
    return Text(
        "自定义的 {name} 具备这类 loss 应有的性质：预测越接近标签越小（从 {far} 到 {near}），且取决于样本与标签的对应；"
        "它不是已知公式之一。",
        "The script's own {name} does what such a loss has to do: it falls all the way as predictions approach the labels (from "
        "{far} to {near}), and depends on which label goes with which sample; it is none of the known formulas.",
        name=called(one),
        far=did.curve[0],
        near=did.curve[-1],
    )


def open_points(one: Fact, run_data: RunData) -> Optional[Text]:
    """What a loss of the script's own does that leaves it open whether it is right; None where nothing does."""
    did = one.behaviour
    if not did or (did.repeatable and not _has_curve(did)):
        return Text("没有用其他预测试算。", "It was not tried on other predictions.")
    if not did.repeatable:
        return Text("用同样的输入再算一次，值不同。", "Given the same once more, it gives another value.")
    if not one.final:
        return Text("它只是总 loss 的一部分。", "It is a part of the loss only.")
    if one.weighed:
        return Text(
            "batch 中另有实数对各样本加权（如优势函数、回报），方向取决于它们的符号。",
            "Other real numbers of the batch weigh the samples, as an advantage or a return does, and their signs decide where "
            "it drives the outputs.",
        )
    if did.kind == "contrastive":
        return _NO_FORMULA
    if is_distance(one):
        return None if draws_alike(one, run_data) else WHICH_LABEL
    falls = did.way == "falls" or did.smallest_at_labels
    if not falls or (did.kind == "distillation" and not did.smallest_at_labels):
        return Text(
            "试算中，预测接近标签时它并不一路下降。",
            "When tried, it does not fall all the way as predictions approach the labels.",
        )
    if did.kind in ("classes", "binary", "regression") and did.pairs is None:
        return Text("这个 batch 的标签都相同。", "The labels of this batch are all alike.")
    raw = did.domain == "scores" and did.kind in ("classes", "binary") and not did.smallest_at_labels
    if raw and (not did.settles or (did.kind == "classes" and did.sample_shift is False)):
        return Text(
            "网络的输出不是概率，看不出它是否先计算了概率。",
            "The network's outputs are no probabilities, and it does not show that it makes some of them first.",
        )
    return None


_NO_FORMULA = Text("它不是已知的对比损失公式之一。", "It is none of the known formulas of a contrastive loss.")


def _settings(settings: dict) -> Text:
    shown = [
        f"{name}={value:g}"
        for name, value in settings.items()
        if isinstance(value, (int, float)) and (name, value) not in (("gamma", 0.0), ("factor", 1.0))
    ]
    return Text("（{all}）" if shown else "", " ({all})" if shown else "", all=", ".join(shown))


def tried(own: list):
    """A table of the losses that were called with made-up predictions."""
    rows = []
    for one in own:
        did = one.behaviour
        if did and did.curve:
            curve = ", ".join("?" if value is None else f"{value:.4g}" for value in did.curve)
            rows.append([one.name, did.kind, curve, did.pairs, Joined([did.family.name or Text("", "")])])
    if rows:
        heads = [
            Text("自定义 loss", "own loss"),
            Text("种类", "kind"),
            Text("从远离标签到与标签一致", "from far off the labels to them"),
            Text("取决于对应", "depends on the pairing"),
            Text("公式", "formula"),
        ]
        yield table(Text("用构造的预测试算", "Tried on predictions made up"), heads, rows)
