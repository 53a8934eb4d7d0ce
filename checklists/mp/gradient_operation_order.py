"""The order of scaling, unscaling, clipping and penalties in the training step, read from the source (mp.03, mp.04)."""

import math
import re
from typing import NamedTuple

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.findings import missing, no_training
from msprec.checklists.common.script.call_sites import called_from
from msprec.checklists.common.training.manual_loss_scaling import SPEAKS_OF_SCALE
from msprec.checklists.mp.loss_scale.loss_scale_settings import BY_HAND
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData, place
from msprec.source.flow import Event, ExecutionPath
from msprec.source.flow.events import GIVEN

_STOCK = re.compile(r"^(TrainOneStepCell|TrainOneStepWithLossScaleCell|_?TrainOneStepWithLossScaleCell|DatasetHelper)$")
#: Constants from here on may be a loss scale.
_SCALE = 32
_UNSCALED = Text("训练未使用 loss scale，也没有 float16 计算。", "The training uses neither a loss scale nor float16.")
_BY_ONE = Text("loss scale 为 1，梯度没有被放大。", "The loss scale is 1: the gradients are not scaled.")
_READ_MORE = Text(
    "用 `msprec run` 运行训练（会收集全部用到的源码），或者把缺少的模块也交给 `msprec checklist`；也可以人工核对训练步中的先后。",
    "Run the training with `msprec run`, which collects all the source it uses, or hand the missing modules to `msprec "
    "checklist` too; or see the order in the training step by hand.",
)


class Topic(NamedTuple):
    """What one of the two items asks: the events it looks at, and its wording."""

    kind: str
    noun: Text
    bad: Text
    good: Text
    advice: Text


CLIPPING = Topic(
    "clip",
    Text("梯度裁剪", "gradient clipping"),
    Text(
        "{line} 的梯度裁剪（{what}）作用于仍乘着 loss scale 的梯度{unscale}：阈值被放大的梯度超过，更新几乎停滞。",
        "The clipping at {line} ({what}) acts on gradients that still carry the loss scale{unscale}: its threshold is "
        "met by scaled gradients, and the updates shrink by the scale.",
    ),
    Text(
        "训练步先还原梯度（除以 loss scale），后裁剪（{line}）。",
        "The training step unscales the gradients before it clips them ({line}).",
    ),
    Text(
        "把裁剪移到梯度除以 loss scale 之后、优化器之前；阈值不变。",
        "Move the clipping after the division by the loss scale and before the optimizer; keep the threshold.",
    ),
)
PENALTY = Topic(
    "penalty",
    Text("梯度惩罚", "a gradient penalty"),
    Text(
        "{line} 的梯度惩罚由仍乘着 loss scale 的梯度计算{unscale}：惩罚项随 loss scale 放大，淹没真正的 loss。",
        "The gradient penalty at {line} is computed from gradients that still carry the loss scale{unscale}: it grows "
        "with the scale and drowns the real loss.",
    ),
    Text(
        "梯度惩罚（{line}）由不带 loss scale 的梯度计算。",
        "The gradient penalty ({line}) is computed from gradients without the loss scale.",
    ),
    Text(
        "对未缩放的输出求惩罚所用的梯度，或者先除以当前 loss scale，再求范数；loss 与惩罚相加之后只缩放一次。",
        "Take the penalty's gradients from the unscaled output, or divide them by the current scale before the norm; scale "
        "the sum of loss and penalty once.",
    ),
)


_SCALED_LIMIT = Text(
    "训练步在还原之前裁剪梯度（{line}），而阈值也乘了 loss scale，与先还原后裁剪相同。",
    "The training step clips before it unscales ({line}), by a threshold that is scaled too: the same as after unscaling.",
)


class ReadSteps(NamedTuple):
    """What the ways through one script say: good, bad and unclear events, with the way that each was met on."""

    good: list
    bad: list
    unclear: list
    idle: list
    scaled: bool
    trains: bool
    gaps: list


def order_of(run_data: RunData, topic: Topic, plainly_unscaled: bool) -> Finding:
    """The finding on one of the two items."""
    if run_data.trains_nothing:
        return no_training()
    if plainly_unscaled and not run_data.find_lines(SPEAKS_OF_SCALE, 1):
        return not_applicable(_UNSCALED)
    if _scale_of_one(run_data):
        return not_applicable(_BY_ONE)
    if not run_data.project.modules:
        return missing("训练脚本的源码", "source of the training script")
    readings = [read(worlds, topic) for worlds in run_data.ways]
    bad = [(event, world) for reading in readings for event, world in reading.bad if not reading.good]
    if bad:
        return _problem(run_data, topic, bad)
    if plainly_unscaled and not any(reading.good for reading in readings):
        return not_applicable(_UNSCALED)
    unsure = [(event, world) for reading in readings for event, world in [*reading.bad, *reading.unclear]]
    if unsure:
        return _unsure(run_data, topic, unsure, [pair for reading in readings for pair in reading.good])
    good = [(event, world) for reading in readings for event, world in reading.good]
    if good:
        return _good(run_data, topic, good)
    return _without(run_data, topic, readings)


def read(worlds: list, topic: Topic) -> ReadSteps:
    """Sorts the events of the ways through one script."""
    found = ReadSteps([], [], [], [], any(map(_scales, worlds)), any(map(_trains, worlds)), _gaps(worlds))
    for world in worlds:
        events = [(event, _state(event, world)) for event in world.events if event.kind == topic.kind]
        if any(condition.endswith(GIVEN) and holds for condition, holds in world.assumed.items()):
            # nobody was seen to give a scale
            events = [(event, "unclear" if state == "bad" else state) for event, state in events]
        wrong = any(state == "bad" for _, state in events)
        for event, state in events:
            if state == "good" and not _scales(world):
                found.idle.append((event, world))
            elif state != "good" or not wrong:  # beside a wrong one a sound one does not speak for this way
                getattr(found, state).append((event, world))
    return found


def _scales(world: ExecutionPath) -> bool:
    """Do gradients or penalties carry the scale anywhere on this way?"""
    by_a_constant = any(
        event.kind == "gradient" and event.factor >= 2 and _undone(world, event) for event in world.events
    )
    return by_a_constant or any(
        e.kind in ("gradient", "penalty", "clip") and e.degrees is not None and any(e.degrees) for e in world.events
    )


def _trains(world: ExecutionPath) -> bool:
    return any(event.kind in ("gradient", "update") for event in world.events)


def _gaps(worlds: list) -> list:
    """Why the reading may have missed something: code that was not read, or a way that was not followed to its end."""
    found = [event.what for world in worlds for event in world.events if event.kind == "opaque"]
    return list(dict.fromkeys([*found, *[world.why for world in worlds if not world.complete]]))


def _state(event: Event, world: ExecutionPath) -> str:
    if event.kind == "clip" and event.factor >= 2 and _undone(world, event):
        return "bad"
    if event.kind == "penalty" and _carries_constant(event, world):
        return "bad"
    if event.degrees is None or any(math.isnan(degree) for degree in event.degrees):
        return "unclear"
    if all(degree > 0 for degree in event.degrees):
        return "bad"
    return "good" if event.degrees == {0.0} else "unclear"


def _undone(world: ExecutionPath, carrying: Event) -> bool:
    """Is the constant that the gradients carry there divided out before the optimizer?"""
    updates = [event for event in world.events if event.kind == "update"]
    return any(math.isclose(event.factor, 1.0, rel_tol=1e-6) for event in updates) and carrying.factor >= 2


def _carries_constant(penalty: Event, world: ExecutionPath) -> bool:
    """Do the gradients of a penalty carry the constant that the step scales its loss with? Weights of a penalty are smaller."""
    scales = [event.factor for event in world.events if event.kind == "gradient" and event.factor >= _SCALE]
    return any(penalty.factor >= scale / 2 and _undone(world, penalty) for scale in scales)


def _scale_of_one(run_data: RunData) -> bool:
    """A run whose recorded loss scale was 1 in every step."""
    seen = run_data.steps().observed("scale")
    return len(seen) > 0 and bool((seen == 1).all())


def _where(event: Event) -> str:
    return f"{event.spot.file}:{event.spot.line}"


def _evidence(run_data: RunData, topic: Topic, pairs: list) -> list:
    event, world = pairs[0]
    places = [place(*entry.spot) for entry, _ in pairs]
    return [_order_table(run_data, world, event), run_data.code_at(places, topic.noun, "script")]


def _order_table(run_data: RunData, world: ExecutionPath, chosen: Event):
    names = {
        "scale": Text("乘以 loss scale", "multiplied by the loss scale"),
        "gradient": Text("求梯度", "gradients"),
        "unscale": Text("除以 loss scale", "divided by the loss scale"),
        "penalty": Text("梯度惩罚", "gradient penalty"),
        "clip": Text("裁剪", "clipping"),
        "update": Text("更新", "update"),
        "opaque": Text("未读到的代码", "code that was not read"),
    }
    events = list(dict.fromkeys(_shown(event) for event in world.events))
    rows = []
    for number, event in enumerate(events, 1):
        line = (run_data.lines(place(*event.spot), 0) or (0, [""]))[1]
        mark = " ←" if event == _shown(chosen) else ""
        rows.append(
            [number, names[event.kind], _where(event) + mark, _degrees(event), (line[0] if line else "").strip()]
        )
    heads = [
        Text("次序", "order"),
        Text("操作", "operation"),
        Text("位置", "place"),
        Text("携带的 loss scale 次数", "powers of the loss scale it carries"),
        Text("代码", "code"),
    ]
    note = None
    if world.assumed:
        assumed = [f"{test} = {value}" for test, value in world.assumed.items()]
        note = Text("假定的条件：{assumed}", "Conditions assumed: {assumed}", assumed=listed(assumed, 8))
    return table(Text("训练步中的先后", "The training step in order"), heads, rows, note=note, most=30)


def _shown(event: Event) -> Event:
    return event._replace(factor=1.0, callers=())


def _degrees(event: Event) -> str:
    if event.degrees is None:
        return "?"
    return ", ".join(f"{degree:g}" for degree in sorted(event.degrees))


def _problem(run_data: RunData, topic: Topic, pairs: list) -> Finding:
    event, world = pairs[0]
    later = [e for e in world.events if e.kind == "unscale" and world.events.index(e) > world.events.index(event)]
    unscale = (
        Text("（{line} 才还原）", " (unscaled at {line} only)", line=_where(later[0]))
        if later and topic.kind == "clip"
        else Text("", "")
    )
    places = [place(*entry.spot) for entry, _ in pairs] + [place(*entry.spot) for entry in later[:1]]
    places += [place(*spot) for spot in event.callers[:1]]
    places += called_from(run_data, place(*event.spot))
    if topic.kind == "penalty":
        taken = [e for e in world.events[: world.events.index(event)] if e.kind == "gradient"]
        places += [place(*one.spot) for one in taken[-1:]]
    summary = Text(topic.bad.zh, topic.bad.en, line=_where(event), what=event.what or "clip", unscale=unscale)
    return problem(summary, topic.advice, _evidence(run_data, topic, pairs), places)


def _good(run_data: RunData, topic: Topic, pairs: list) -> Finding:
    event, world = pairs[0]
    position = world.events.index(event)
    before = any(other.kind == "unscale" for other in world.events[:position])
    later = any(other.kind == "unscale" for other in world.events[position:])
    words = _SCALED_LIMIT if topic.kind == "clip" and later and not before else topic.good
    summary = Text(words.zh, words.en, line=_where(event))
    return ok(summary, _evidence(run_data, topic, pairs), [place(*entry.spot) for entry, _ in pairs])


def _unsure(run_data: RunData, topic: Topic, pairs: list, good: list) -> Finding:
    event, world = pairs[0]
    conditions = [f"{test} = {value}" for test, value in world.assumed.items()]
    why = (
        Text(
            "取决于运行时的条件（{conditions}）",
            "depends on conditions of the run ({conditions})",
            conditions=listed(conditions),
        )
        if good and conditions
        else Text("无法从源码确定", "cannot be told from the source")
    )
    return undecided(
        Text(
            "{line} 的{noun}是否作用于已还原的梯度，{why}。",
            "Whether {noun} at {line} sees unscaled gradients {why}.",
            line=_where(event),
            noun=topic.noun,
            why=why,
        ),
        _READ_MORE,
        _evidence(run_data, topic, pairs),
        [place(*entry.spot) for entry, _ in pairs],
    )


def _without(run_data: RunData, topic: Topic, readings: list) -> Finding:
    """Neither a sound nor a wrong order was met: not applicable, where the whole training step was read."""
    idle = [event for reading in readings for event, _ in reading.idle]
    gaps = list(dict.fromkeys(gap for reading in readings for gap in reading.gaps))
    trains = any(reading.trains for reading in readings)
    stock = _recorded_stock(run_data)
    if not stock and (gaps or not trains):
        return _not_read(run_data, topic, gaps, trains)
    if idle:
        places = [place(*event.spot) for event in idle]
        return not_applicable(
            Text(
                "训练步有{noun}（{line}），但梯度不带 loss scale。",
                "The training step has {noun} ({line}), but its gradients carry no loss scale.",
                noun=topic.noun,
                line=_where(idle[0]),
            ),
            [run_data.code_at(places, topic.noun, "script")],
            places,
        )
    return not_applicable(Text("训练步中没有{noun}。", "The training step has no {noun}.", noun=_bare(topic)))


def _bare(topic: Topic) -> Text:
    return Text(topic.noun.zh, topic.noun.en.replace("a ", "", 1) if topic.noun.en.startswith("a ") else topic.noun.en)


def _recorded_stock(run_data: RunData) -> bool:
    """Did the run train with MindSpore's own training cells alone? They clip nothing."""
    steps = [step for step in run_data.train_steps if step.count != 0]
    return bool(steps) and all(step.class_ is not None and _STOCK.match(step.class_) for step in steps)


def _not_read(run_data: RunData, topic: Topic, gaps: list, trains: bool) -> Finding:
    outside = list(dict.fromkeys(dotted.split(".")[0] for _, _, dotted in run_data.project.unresolved_imports()))
    pieces = [
        Text("没有找到训练步", "no training step was found") if not trains else None,
        Text(
            "梯度进入了没有读到的代码：{names}", "gradients go into code that was not read: {names}", names=listed(gaps)
        )
        if gaps
        else None,
        Text("没有读到的模块：{names}", "modules that were not read: {names}", names=listed(outside))
        if outside
        else None,
    ]
    places = [place(*e.spot) for worlds in run_data.ways for w in worlds for e in w.events if e.kind == "opaque"]
    return undecided(
        Text(
            "源码中没有看到{noun}，但训练步没有读全（{why}）。",
            "The source shows no {noun}, but the training step was not read completely ({why}).",
            noun=_bare(topic),
            why=Joined(pieces, zh="；", en="; "),
        ),
        _READ_MORE,
        [run_data.code_at(places[:3], Text("代码", "Where"), "script")],
        places[:3],
    )


def plainly_unscaled(run_data: RunData) -> bool:
    used = [step for step in run_data.train_steps if step.count != 0]
    kinds = {step.loss_scale.kind for step in used}
    divides = any(optimizer.loss_scale not in (None, 1) for optimizer in run_data.optimizers)
    return (
        bool(used)
        and kinds == {"none"}
        and run_data.precision.half_compute is False
        and not divides
        and not own_scale(run_data)
    )


def own_scale(run_data: RunData) -> list:
    """Lines of the user's that scale a loss by hand."""
    return run_data.find_lines(BY_HAND)
