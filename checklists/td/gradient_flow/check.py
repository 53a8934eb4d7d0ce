"""td.02: Whether gradients reach all layers, in a size that changes them."""

from typing import Optional

from msprec.bilingual import Text, listed, percent
from msprec.checklists.common.data.zeroed_inputs import unless_zeroed
from msprec.checklists.common.findings import EVIDENCE, gradients_figure, no_training
from msprec.checklists.common.script.class_choice import chosen_at
from msprec.checklists.common.script.setting_origin import count_origins
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.training.training_curves import is_steep, training_curve
from msprec.checklists.td.gradient_flow.deep_stack import deep_stack
from msprec.checklists.td.gradient_flow.depth import Depth, course_of
from msprec.checklists.td.gradient_flow.layers import Sampled, sampled_layers
from msprec.checklists.td.gradient_flow.no_gradient import REASONS, Silent, frozen_layers, silent_layers, stopped_at
from msprec.checklists.td.outcome.assessment import assess, half_way
from msprec.engine.finding import Finding, ok, problem, table, text, together, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData

_NOT_LEARNT = ("nothing", "hardly", "diverged")
_SAMPLE = Text(
    "在 PyNative 模式下运行，或用 GradientMonitor(every=10) 采样更多的步。",
    "Run it in PyNative mode, or sample more steps with GradientMonitor(every=10).",
)
_VANISHING = Text(
    "把 sigmoid/tanh 换成 ReLU 一类的激活并用 HeNormal 初始化，或加入归一化层、残差连接；"
    "保留 sigmoid/tanh 时用 XavierUniform 初始化。",
    "Take ReLU or its kin with HeNormal weights in place of sigmoid and tanh, or add normalisation layers or residual "
    "connections; with sigmoid or tanh draw the weights with XavierUniform.",
)
_EXPLODING = Text(
    "检查初始权重的标准差（HeNormal、XavierUniform），加入归一化层，或用 clip_by_global_norm 裁剪梯度。",
    "Check the standard deviation of the initial weights (HeNormal, XavierUniform), add normalisation layers, or clip the "
    "gradients with clip_by_global_norm.",
)
_SILENT = Text(
    "按表中的原因逐层检查前向计算：结果是否参与 loss、其后有无 stop_gradient 或导数为 0 的运算。",
    "Go through the forward pass by the reasons in the table: whether the result reaches the loss, and whether a stop_gradient "
    "or something with a slope of 0 comes after it.",
)


@item("td.02")
def gradient_flow(run_data: RunData) -> Finding:
    """The sampled gradients layer by layer, beside what the weights are changed by.

    Problem: a weight in the optimizer without a gradient in any sample that did not change in td.02.updates updates or more;
    gradients that get smaller from layer to layer (td.02.layers, td.02.trend) to below td.02.vanishing of the last layers',
    where the first layers' updates are below td.02.still of the weights and td.02.behind of the last layers', and the
    training learnt nothing or hardly anything; or where td.02.layers or more sigmoid or tanh lie between the layers and
    nothing at all was learnt, or less than td.02.way of what a constant prediction leaves (less than td.02.solved where the
    ratio is below td.02.gone), whatever the updates are (Adam's do not depend on the size of a gradient); the same with
    gradients above td.02.exploding times the last layers', or above td.02.growing times in the first sample where one step
    changes the first layers by td.02.leap of themselves.
    So is a course below td.02.falling through td.02.few of them in a training that never came below a constant prediction,
    where the nearest of other samples tell the targets.
    Also a problem: such layers with a first sample that falls so to below td.02.falling, in a training that came less than
    td.02.way below a constant prediction.
    And a stack of td.02.stack fully connected layers without shortcuts and normalisation, in a training that came to nothing.
    A training that learnt keeps such a course as a note; one that did not with gradients below td.02.falling is undecided.
    """
    if run_data.trains_nothing:
        return no_training()
    found, deep = _of_gradients(run_data), deep_stack(run_data)
    if deep is None:
        return found
    return together([found, deep]) if found.conclusion == "problem" else deep


def _of_gradients(run_data: RunData) -> Finding:
    sampled = sampled_layers(run_data)
    if not sampled.layers:
        return undecided(Text("没有采样到权重的梯度。", "No gradient of a weight was sampled."), _SAMPLE)
    shown = [_table(sampled), _frozen(run_data), gradients_figure(run_data)]
    silent = silent_layers(run_data, sampled)
    if silent:
        return unless_zeroed(run_data, _without(sampled, silent, shown, stopped_at(run_data)))
    course = course_of(sampled, run_data.limit("td.02.layers"))
    if course is None:
        return _few(sampled, shown)
    return _judged(run_data, sampled, course, shown)


def _judged(run_data: RunData, sampled: Sampled, course: Depth, shown: list) -> Finding:
    learnt = run_data.once(assess).state not in _NOT_LEARNT
    places = [layer.fact.created for layer in course.front if layer.fact is not None and layer.fact.created]
    places += count_origins(run_data, places)
    steady = abs(course.trend) >= run_data.limit("td.02.trend")
    if steady and course.trend > 0 and course.ratio < run_data.limit("td.02.falling"):
        far = course.ratio < run_data.limit("td.02.vanishing")
        squashed = _squashed(run_data)
        held_up = squashed and (_held_up(run_data) or _short_of_solved(run_data, course))
        if far and (held_up or (not learnt and _hardly_updated(run_data, course))):
            return problem(_vanish(course, sampled), _VANISHING, shown, [*squashed, *places])
        few = _squashed(run_data, "td.02.few") if _behind_neighbours(run_data) else []
        if few:
            return problem(_vanish(course, sampled), _VANISHING, shown, [*few, *places])
        if not learnt:
            return undecided(_vanish(course, sampled), _look(sampled), shown, places)
        return ok(_vanish(course, sampled, learnt=True), shown)
    if steady and course.trend < 0 and course.ratio > run_data.limit("td.02.exploding"):
        if not learnt:
            return problem(_explode(course, sampled), _EXPLODING, shown, places)
        return ok(_explode(course, sampled, learnt=True), shown)
    late = _squashed(run_data) if _vanished_at_first(run_data, course) else []
    if late:
        return problem(_vanish_at_first(run_data, course), _VANISHING, shown, [*late, *places])
    if not learnt and _leapt(run_data, course):
        return problem(_leap(course, sampled), _EXPLODING, shown, places)
    return ok(
        Text(
            "{n} 层权重都有梯度，前端与后端梯度之比为 {ratio}。",
            "All {n} layers get gradients; those of the first are {ratio} times the last layers'.",
            n=len(sampled.layers),
            ratio=course.ratio,
        ),
        shown,
    )


def _held_up(run_data: RunData) -> bool:
    """Whether nothing at all was learnt, or the training came to a stop before td.02.way of what there was to learn."""
    outcome, training = run_data.once(assess), training_curve(run_data)
    if outcome.state == "nothing":
        return outcome.sure
    gain = outcome.outcome.gain
    falls = training is None or is_steep(run_data, training) or half_way(outcome.score)
    return gain is not None and gain < run_data.limit("td.02.way") and not falls


def _behind_neighbours(run_data: RunData) -> bool:
    """Whether the training never came below a constant prediction's loss, and the nearest of other samples tell its targets."""
    outcome = run_data.once(assess).outcome
    return (outcome.gain or 0.0) <= 0 and behind_simple_predictor(run_data, outcome) is not None


def _short_of_solved(run_data: RunData, course: Depth) -> bool:
    """Whether next to nothing of the gradient gets through, and a tenth or more of what there was to learn is left."""
    gain = run_data.once(assess).outcome.gain
    return course.ratio < run_data.limit("td.02.gone") and gain is not None and gain < run_data.limit("td.02.solved")


def _vanished_at_first(run_data: RunData, course: Depth) -> bool:
    """Whether the gradient fell towards the input at the start, and the training came less than td.02.way below a constant
    prediction: with time it drives the activations apart, and later samples show nothing of it."""
    gain = run_data.once(assess).outcome.gain
    steady = course.first_trend >= run_data.limit("td.02.trend")
    return (
        steady
        and course.first < run_data.limit("td.02.falling")
        and gain is not None
        and gain < run_data.limit("td.02.way")
    )


def _vanish_at_first(run_data: RunData, course: Depth) -> Text:
    return Text(
        "训练开始时梯度经过一层层 sigmoid/tanh 逐层变小：前端只有后端的 {first}，前面的层很久才开始学习，"
        "训练结束时只比常数预测的 loss 低 {gain}。",
        "At the start the gradients get smaller from layer to layer through the sigmoid and tanh in between: the first layers' "
        "are {first} of the last layers'. The first layers begin to learn late, and the training ends only {gain} below the loss "
        "of a constant prediction.",
        first=course.first,
        gain=percent(run_data.once(assess).outcome.gain or 0.0),
    )


def _leapt(run_data: RunData, course: Depth) -> bool:
    """Whether the gradient grew towards the input at the start, and the first layers were thrown far from where they began: they
    are saturated or dead after that, and later samples show nothing of it."""
    steady = course.first_trend <= -run_data.limit("td.02.trend")
    return (
        steady and course.first > run_data.limit("td.02.growing") and course.first_update > run_data.limit("td.02.leap")
    )


def _leap(course: Depth, sampled: Sampled) -> Text:
    return Text(
        "训练开始时梯度从后向前逐层变大：第 {step} 步前端为后端的 {first} 倍，一步就使前端权重改变了自身的 {update}；"
        "此后训练没有学到东西。",
        "At the start the gradients get larger from layer to layer towards the input: at step {step} the first layers' "
        "are {first} "
        "times the last layers', and that one step changes the first layers by {update} of themselves; nothing is "
        "learnt after it.",
        step=int(sampled.steps[0]),
        first=course.first,
        update=percent(course.first_update),
    )


def _squashed(run_data: RunData, least: str = "td.02.layers") -> list:
    """Places of the sigmoid and tanh between the layers, where there are so many of them or more."""
    ends = [one for one in run_data.probes.units.moments if one.moment == "end"]
    found = [one for one in ends[-1].entries if one.kind in ("sigmoid", "tanh") and one.hidden] if ends else []
    chosen = [at for one in found for at in chosen_at(run_data, one.place, one.operator or "")]
    made = [one.created for one in found]
    places = {(at.file, at.line): at for at in [*(one.place for one in found), *chosen, *made] if at}
    return list(places.values()) if len(found) >= run_data.limit(least) else []


def _hardly_updated(run_data: RunData, course: Depth) -> bool:
    front, back = course.updates
    return front < run_data.limit("td.02.still") and front < run_data.limit("td.02.behind") * back


def _vanish(course: Depth, sampled: Sampled, learnt: bool = False) -> Text:
    return Text(
        "梯度从后向前逐层变小：前端为后端的 {ratio}（首次采样 {first}，末次 {last}），前端每步更新为权重的 {update}{but}。",
        "The gradients get smaller from layer to layer towards the input: the first layers' are {ratio} of the last layers' "
        "({first} in the first sample, {last} in the last), and a step changes the first layers by {update} of themselves{but}.",
        **_values(course, learnt),
    )


def _explode(course: Depth, sampled: Sampled, learnt: bool = False) -> Text:
    return Text(
        "梯度从后向前逐层变大：前端为后端的 {ratio} 倍（首次采样 {first}，末次 {last}），前端每步更新为权重的 {update}{but}。",
        "The gradients get larger from layer to layer towards the input: the first layers' are {ratio} times the last layers' "
        "({first} in the first sample, {last} in the last), and a step changes the first layers by {update} of themselves{but}.",
        **_values(course, learnt),
    )


def _values(course: Depth, learnt: bool) -> dict:
    but = Text("；但训练并未因此停滞", "; the training was not held up by it") if learnt else Text("", "")
    update = course.updates[0] if course.updates[0] == course.updates[0] else None
    return {"ratio": course.ratio, "first": course.first, "last": course.last, "update": update, "but": but}


def _look(sampled: Sampled) -> Text:
    return Text(
        "去掉几层或换成 ReLU 再训练：loss 随之下降即为梯度消失。",
        "Train with fewer layers or with ReLU: where the loss falls then, the gradients vanished.",
    )


def _without(sampled: Sampled, silent: list[Silent], shown: list, stops: list) -> Finding:
    detached = stops if any(one.reason == "detached" for one in silent) else []
    rows = [[one.layer.name, REASONS[one.reason]] for one in silent]
    columns = [Text("权重", "weight"), Text("原因", "why")]
    return problem(
        Text(
            "{n} 层（共 {all} 层）在所有采样步中都没有梯度，整个训练中没有因梯度而更新：{names}（{why}）。",
            "{n} of {all} layers had no gradient in any sampled step and were not updated by one all the training: {names} "
            "({why}).",
            n=len(silent),
            all=len(sampled.layers),
            names=listed(one.layer.name for one in silent),
            why=REASONS[silent[0].reason],
        ),
        _SILENT,
        [table(Text("没有梯度的层", "Layers without a gradient"), columns, rows), *shown],
        [*(one.place for one in silent), *detached],
    )


def _few(sampled: Sampled, shown: list) -> Finding:
    return ok(
        Text(
            "{n} 层权重都有梯度；层数太少，谈不上随深度变化。",
            "All {n} layers get gradients; too few to see how they change with depth.",
            n=len(sampled.layers),
        )
        if all(layer.level > 0 for layer in sampled.layers)
        else Text(
            "采样到 {n} 层权重的梯度；层数太少，谈不上随深度变化。",
            "Gradients of {n} layers were sampled; too few to see how they change with depth.",
            n=len(sampled.layers),
        ),
        shown,
    )


def _table(sampled: Sampled):
    rows = [
        [layer.name, layer.level, _known(layer.gradient[0]), _known(layer.gradient[-1]), _known(layer.ratio)]
        for layer in sampled.layers
    ]
    columns = [
        Text("权重（按网络的次序）", "weight, in the network's order"),
        Text("梯度均方根（中位）", "gradient, root mean square, median"),
        Text("首次采样", "first sample"),
        Text("末次采样", "last sample"),
        Text("更新 ÷ 权重（中位）", "update ÷ weight, median"),
    ]
    title = Text("各层的梯度与更新（{n} 步）", "Gradient and update by layer ({n} steps)", n=len(sampled.steps))
    return table(title, columns, rows)


def _known(value: float) -> Optional[float]:
    return float(value) if value == value else None


def _frozen(run_data: RunData):
    names = frozen_layers(run_data)
    if not names:
        return None
    return text(
        EVIDENCE,
        Text("冻结（requires_grad=False）：{names}。", "Frozen (requires_grad=False): {names}.", names=listed(names)),
    )
