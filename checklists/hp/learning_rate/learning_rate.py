"""Whether the learning rate suits the network: the course of the run beside a range test (hp.01)."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, loss_figure, rate_figure
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.training_segments import last_rows
from msprec.engine.finding import Evidence, Finding, figure, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import Curve


class Course(NamedTuple):
    """How the training loss went: "diverged", "swings", "still", "falls", "turns" (the losses of optimizers that take turns)
    or "unknown", with its numbers."""

    kind: str
    first: Any = None  # numbers, but where the kind is "unknown"
    last: Any = None
    noise: Optional[float] = None
    steps: int = 0


def course(run_data: RunData) -> Course:
    """Judges the losses of rank 0 (of its last training, where there are several) by the means of their first and last tenth.

    Diverged: a loss that is not finite, or the last tenth above twice the first. Still: the difference lies within twice
    the noise of the means. Swings: the spread about the course in the last third is larger than all that was gained.
    """
    steps = run_data.steps()
    rows = last_rows(run_data) if "loss" in steps else np.zeros(0)
    if rows is None:
        return Course("turns", steps=len(steps))
    rows = rows & steps.seen("loss") if rows.size else rows
    if rows.sum() < run_data.limit("hp.01.min_steps"):
        return Course("unknown", steps=len(steps))
    losses = np.asarray(steps["loss"], float)[rows]
    flagged = np.asarray(steps["overflow"], float)[rows] == 1 if "overflow" in steps else np.zeros(len(losses), bool)
    seen = losses[~np.isnan(losses) | ~flagged]
    finite = seen[np.isfinite(seen)]
    if len(finite) < len(seen) - 2 or len(finite) < 8:
        return Course("diverged", steps=len(losses))
    part = max(2, len(finite) // 10)
    first, last = float(finite[:part].mean()), float(finite[-part:].mean())
    if finite[0] < 0.5 * first:
        first = float(finite[0])  # it leapt at the first update: that is no place to come down from
    with np.errstate(all="ignore"):
        noise = float(np.median(np.abs(np.diff(finite)))) / 0.6745 / math.sqrt(2)
    gained, least = first - last, 2 * noise * math.sqrt(2 / part)
    tail = finite[-max(4, len(finite) // 3) :]
    numbers = (first, last, noise, len(losses))
    if last - first > max(least, abs(first)):
        return Course("diverged", *numbers)
    if gained <= max(least, 1e-3 * abs(first)):
        swings = float(tail.std()) > 0.5 * abs(first) and float(tail.max()) > 1.5 * abs(first)
        return Course("swings" if swings else "still", *numbers)
    return Course("falls", *numbers)


def judge_rate(run_data: RunData) -> Finding:
    """Problem: the run diverges, swings or stands still, and the range test puts the rate outside its bounds; or the loss
    still falls at the end with a rate far below the bounds."""
    seen = course(run_data)
    # neither is None where the verdict is another than "unknown"
    used: Any = _used(run_data)
    curve: Any = _curve(run_data)
    verdict = curve.judge(used).verdict if curve is not None and used else "unknown"
    evidence = [_table(run_data, seen, used, curve), _figure(used, curve), rate_figure(run_data), loss_figure(run_data)]
    places = [optimizer.place for optimizer in run_data.optimizers if optimizer.used is not False]
    if used == 0:
        return _zero(evidence, places)
    if verdict == "too_large" and seen.kind in ("diverged", "swings", "still"):
        return _too_large(seen, used, curve, evidence, places)
    rising = _rising_words(run_data)
    if seen.kind == "still" and (verdict == "too_small" or (verdict == "inside" and 10 * used < curve.for_good)):
        return _too_small(seen, used, curve, evidence, places, rising)
    below = curve.lower / used if verdict == "too_small" and curve.lower else 0.0
    far = run_data.limit("hp.01.far_below")
    # a loss without a floor at 0 falls ever faster with the rate: no bound of the test means a thing then
    bottomless = seen.kind == "falls" and seen.last < 0
    # a test of one step a rate is late by ten times at the most
    if below > far and not bottomless and (below > 10 * far or not _fell_well(run_data, seen)):
        return _too_small(seen, used, curve, evidence, places, rising)
    if verdict == "too_large" and _outdone(run_data, seen, curve):
        return _behind(seen, used, curve, evidence, places)
    if seen.kind == "falls" and verdict != "unknown":
        return _inside(seen, used, curve, evidence, verdict)
    if verdict == "unknown" and used and _converged(run_data, seen):
        return _worked(seen, used, evidence)
    return _open(run_data, seen, used, curve, verdict, evidence, places)


def _fell_well(run_data: RunData, seen: Course) -> bool:
    """Whether the run brought the loss down by so much that its rate cannot be all too small: a test of a few steps, a rate
    a step, sees the loss fall late where a network is slow to start, as a recurrent one may be."""
    if seen.kind != "falls" or _still_rising(run_data):
        return False
    return seen.first > 0 and seen.first - seen.last >= run_data.limit("hp.01.fell_well") * seen.first


def _converged(run_data: RunData, seen: Course) -> bool:
    """Whether nearly all of the loss is gone: a rate that brought that about suits, whatever a range test would say."""
    if seen.kind != "falls" or _still_rising(run_data):
        return False
    return seen.first > 0 and 0 <= seen.last <= run_data.limit("hp.01.converged") * seen.first


def _used(run_data: RunData) -> Optional[float]:
    """The largest rate of the run: of the recorded steps and of the groups of parameters, or as the optimizer was given it."""
    used = [optimizer for optimizer in run_data.optimizers if optimizer.used is not False]
    # the steps hold the rate of the first group
    groups = [rate for optimizer in used for group in optimizer.learning_rate.groups or [] for rate in group]
    steps = run_data.steps()
    if "lr" in steps:
        rates = np.asarray(steps["lr"], float)
        rates = rates[np.isfinite(rates)]
        if rates.size:
            return max([float(rates.max()), *(rate for rate in groups if rate is not None and math.isfinite(rate))])
    known = [o.learning_rate for o in run_data.optimizers if o.used is not False and o.learning_rate]
    values = [rate for one in known[:1] for rate in (one.first, one.last, one.value) if rate is not None]
    return max(values, default=None)


def _curve(run_data: RunData) -> Optional[Curve]:
    facts = run_data.range_test
    rates, losses = facts.rates, [math.nan if loss is None else float(loss) for loss in facts.losses]
    if len(rates) < 2 or len(rates) != len(losses) or facts.low is None or facts.high is None:
        return None
    if not all(rate is not None and rate > 0 for rate in rates):
        return None
    with np.errstate(all="ignore"):  # losses may be infinite
        return Curve(np.asarray(rates, float), losses, facts.low, facts.high)


def _too_large(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大：训练{course}，范围测试的上界为 {upper}。",
            "The learning rate of {used} is too large: the training {course}, and the range test's upper bound is {upper}.",
            used=used,
            course=_course_words(seen),
            upper=_bound(curve.upper if curve.upper is not None else curve.diverged),
        ),
        Text(
            "把学习率降到约 {steepest}（范围测试中 loss 下降最快处），或加预热；不改变其他超参数再运行。",
            "Lower it to about {steepest}, where the loss falls most steeply in the range test, or warm it up; change nothing "
            "else and run again.",
            steepest=_bound(curve.steepest or (curve.diverged or used) / 10),
        ),
        evidence,
        places,
    )


def _still_rising(run_data: RunData) -> bool:
    """Whether the rate only grew, to the last step: a warm-up as long as the training, or longer."""
    rates = run_data.steps().observed("lr")
    if len(rates) < 10 or not np.isfinite(rates).all():
        return False
    return bool((np.diff(rates) >= 0).all()) and float(rates[-1]) > 1.5 * float(rates[len(rates) // 2])


def _rising_words(run_data: RunData) -> Text:
    if not _still_rising(run_data):
        return Text("", "")
    return Text(
        "；到最后一步它仍在上升，预热没有结束", "; the rate was still rising at the last step: its warm-up never ended"
    )


def _too_small(seen: Course, used: float, curve: Curve, evidence: list, places: list, rising: Text) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过小：训练{course}，范围测试中 loss 从 {lower} 起才开始下降{rising}。",
            "The learning rate of {used} is too small: the training {course}, and in the range test the loss begins to fall "
            "only at {lower}{rising}.",
            rising=rising,
            used=used,
            course=_course_words(seen),
            lower=_bound(max(curve.lower or 0.0, curve.for_good or 0.0) if seen.kind == "still" else curve.lower),
        ),
        Text(
            "把学习率提高到约 {steepest}（范围测试中 loss 下降最快处）。",
            "Raise it to about {steepest}, where the loss falls most steeply in the range test.",
            steepest=_bound(curve.steepest),
        ),
        evidence,
        places,
    )


def _outdone(run_data: RunData, seen: Course, curve: Curve) -> bool:
    """Whether the range test reached far less at lower rates than the run has at its end, with several times the steps.

    A rate that is large by right (after a warm-up, with LARS) brings the loss further than the test, not less far.
    """
    if seen.kind != "falls":
        return False
    if seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses):
        return False
    first, best = curve.reached()
    gained = first - best
    error = 2 * (seen.noise or 0.0) / math.sqrt(max(2, seen.steps // 10))  # of the mean of the last tenth
    return gained > 0 and seen.last > best + run_data.limit("hp.01.outdone") * gained + error


def _behind(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大，高于范围测试的上界 {bound}；{steps} 步训练只把 loss 从 {first} 降到 {last}，"
            "而范围测试以更低的学习率在 {count} 步内降到 {best}。",
            "The learning rate of {used} is too large, above the range test's bound of {bound}: {steps} steps of training "
            "brought the loss from {first} to {last} only, where the test with lower rates came to {best} within {count} steps.",
            used=used,
            bound=_bound(curve.upper if curve.upper is not None else curve.diverged),
            steps=seen.steps,
            first=seen.first,
            last=seen.last,
            count=len(curve.losses),
            best=curve.reached()[1],
        ),
        Text(
            "把学习率降到约 {steepest}（范围测试中 loss 下降最快处），不改变其他超参数再运行。",
            "Lower it to about {steepest}, where the loss falls most steeply in the range test; change nothing else and run "
            "again.",
            steepest=_bound(curve.steepest or (curve.diverged or used) / 10),
        ),
        evidence,
        places,
    )


def _zero(evidence: list, places: list) -> Finding:
    return problem(
        Text("学习率在整个训练中为 0。", "The learning rate is 0 throughout the training."),
        Text("检查学习率的设置或动态学习率的计算。", "Look at how the rate or its schedule is computed."),
        evidence,
        places,
    )


def _inside(seen: Course, used: float, curve: Curve, evidence: list, verdict: str) -> Finding:
    where = {
        "inside": Text("在范围测试的界限之内", "lies within the bounds of the range test"),
        "too_large": Text(
            "高于这次范围测试的上界，但训练中 loss 正常下降",
            "lies above the bound of this range test, yet the loss falls",
        ),
        "too_small": Text(
            "低于范围测试的下界，但训练中 loss 正常下降",
            "lies below the bounds of the range test, yet the loss falls",
        ),
    }[verdict]
    return ok(
        Text(
            "学习率 {used} {where}{bounds}，loss 从 {first} 降到 {last}。",
            "The learning rate of {used} {where}{bounds}; the loss fell from {first} to {last}.",
            used=used,
            where=where,
            bounds=_bounds(curve),
            first=seen.first,
            last=seen.last,
        ),
        evidence,
    )


def _worked(seen: Course, used: float, evidence: list) -> Finding:
    return ok(
        Text(
            "学习率为 {used}；没有范围测试的界限，但训练本身的 loss 从 {first} 降到 {last}，学习率合适。",
            "The learning rate is {used}; there are no bounds of a range test, but the training itself brought the loss from "
            "{first} to {last}: the rate suits.",
            used=used,
            first=seen.first,
            last=seen.last,
        ),
        evidence,
    )


def _open(run_data, seen, used, curve, verdict, evidence, places) -> Finding:
    if curve is None:
        why, then = skipped(run_data, "range_test"), remedy(run_data, "range_test")
    elif verdict == "unknown":
        why = Text(
            "范围测试没有给出界限（{why}）",
            "the range test gave no bounds ({why})",
            why=curve.unavailable_reason or Text("学习率在测试范围之外", "the rate lies outside the sweep"),
        )
        then = Text(
            "用 `msprec lr SCRIPT --low … --high … --steps …` 在更多 batch 上测试。",
            "Test on more batches with `msprec lr SCRIPT --low … --high … --steps …`.",
        )
    else:
        why = Text(
            "学习率在范围测试的界限之内，问题可能在别处",
            "the rate lies within the bounds of the range test, so that the cause may be another",
        )
        then = Text(
            "先看其他条目（数据、标签、loss、初始化），再以更小的学习率或预热重新运行。",
            "See the other items (data, labels, loss, initial weights) first; then try a smaller rate or a warm-up.",
        )
    return undecided(
        Text(
            "学习率 {used}，训练{course}{rising}；{why}。",
            "The learning rate is {used}, and the training {course}{rising}; {why}.",
            rising=_rising_words(run_data),
            used=used if used is not None else Text("未记录", "not recorded"),
            course=_course_words(seen),
            why=why,
        ),
        then,
        evidence,
        places,
    )


def _course_words(seen: Course) -> Text:
    known = {
        "diverged": Text("发散", "diverges"),
        "swings": Text("大幅震荡", "swings widely"),
        "still": Text("没有进展（loss 从 {first} 到 {last}）", "makes no progress (loss {first} to {last})"),
        "falls": Text("的 loss 从 {first} 降到 {last}", "brings the loss from {first} to {last}"),
        "turns": Text(
            "由几个优化器轮流更新，它们的 loss 不是一条曲线",
            "has optimizers that take turns, whose losses make no one curve",
        ),
    }.get(seen.kind, Text("的步数太少（{steps} 步），无法判断走势", "is too short to tell its course ({steps} steps)"))
    return Text(known.zh, known.en, first=seen.first, last=seen.last, steps=seen.steps)


def _bounds(curve: Curve) -> Text:
    """``(0.001 to 0.1)``; with no lower bound the rate at which the loss was away alone."""
    if curve.lower is not None:
        return Text(
            "（{lower} 到 {upper}）", " ({lower} to {upper})", lower=_bound(curve.lower), upper=_bound(curve.upper)
        )
    upper = curve.upper if curve.upper is not None else curve.diverged
    return Text("（{upper}）", " ({upper})", upper=_bound(upper)) if upper is not None else Text("", "")


def _bound(value: Optional[float]):
    return Text("未知", "not known") if value is None else float(f"{value:.2g}")


def _table(run_data: RunData, seen: Course, used: Optional[float], curve: Optional[Curve]) -> Evidence:
    rows: list = [[Text("训练中的最大学习率", "largest rate of the run"), used]]
    if seen.first is not None:
        rows += [
            [Text("开头十分之一的平均 loss", "mean loss of the first tenth"), seen.first],
            [Text("最后十分之一的平均 loss", "mean loss of the last tenth"), seen.last],
        ]
    if curve is not None:
        rows += [
            [Text("范围测试：loss 开始下降", "range test: the loss begins to fall"), _bound(curve.lower)],
            [Text("范围测试：下降最快", "range test: falls most steeply"), _bound(curve.steepest)],
            [Text("范围测试：loss 最低", "range test: the loss is lowest"), _bound(curve.upper)],
            [Text("范围测试：发散", "range test: diverges"), _bound(curve.diverged)],
            [
                Text("范围测试的步数与 batch 数", "steps and batches of the range test"),
                f"{len(curve.rates)} / {run_data.range_test.batches or ''}",
            ],
        ]
    rows += [
        [Text("优化器", "optimizer"), f"{o.class_} {at(o.place)}"] for o in run_data.optimizers if o.used is not False
    ]
    return table(
        Text("学习率与范围测试", "Learning rate and range test"), [Text("项", "what"), Text("值", "value")], rows
    )


def _figure(used: Optional[float], curve: Optional[Curve]) -> Optional[Evidence]:
    if curve is None:
        return None
    data = {
        "rates": curve.rates.tolist(),
        "losses": curve.losses.tolist(),
        "low": curve.low,
        "high": curve.high,
        "used": used,
    }
    return figure(Text("学习率范围测试", "Learning-rate range test"), "range_test", data)
