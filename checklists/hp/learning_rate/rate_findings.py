"""What hp.01 says of a learning rate: the conclusions in words, with table and figure."""

import math
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.hp.learning_rate.loss_course import Course, Growth
from msprec.checklists.hp.learning_rate.trials import Better
from msprec.checklists.hp.learning_rate.wide_inputs import WideInput
from msprec.engine.finding import Evidence, Finding, figure, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import Curve

NO_BOUNDS = {
    "few": Text("步数太少", "too few steps"),
    "flat": Text("loss 在噪声之外没有下降", "the loss does not fall beyond its noise"),
    "rough": Text("loss 忽高忽低，读不出界限", "the loss bounces, so that no bounds can be read off"),
    "diverged_at_once": Text(
        "从最低的学习率起 loss 就上升或不是有限值", "the loss rises, or is not finite, from the lowest rate on"
    ),
}


def above_all_tried(used: float, high: float, curve: Curve, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大：它高于范围测试的最大值 {high}，训练没有学到东西；测试中 loss 在约 {steepest} 处下降最快。",
            "The learning rate of {used} is too large: it lies above all that the range test tries, up to {high}, and the "
            "training did not learn; in the test the loss falls most steeply at about {steepest}.",
            used=used,
            high=high,
            steepest=bound_words(curve.steepest),
        ),
        Text("把学习率降到百分之一左右再运行。", "Lower it to about a hundredth and run again."),
        evidence,
        places,
    )


def too_large(
    seen: Course, used: float, curve: Curve, wide: Optional[WideInput], evidence: list, places: list
) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大：训练{course}，范围测试的上界为 {upper}。",
            "The learning rate of {used} is too large: the training {course}, and the range test's upper bound is {upper}.",
            used=used,
            course=course_words(seen),
            upper=bound_words(curve.upper if curve.upper is not None else curve.diverged),
        ),
        Text(
            "把学习率降到约 {steepest}（范围测试中 loss 下降最快处），或加预热{wide}；不改变其他超参数再运行。",
            "Lower it to about {steepest}, where the loss falls most steeply in the range test, or warm it up{wide}; change "
            "nothing else and run again.",
            steepest=bound_words(curve.steepest or (curve.diverged or used) / 10),
            wide=wide.says if wide is not None else Text("", ""),
        ),
        evidence,
        [*places, *(wide.places if wide is not None else [])],
    )


def diverges(used: Optional[float], grown: Growth, curve: Optional[Curve], evidence: list, places: list) -> Finding:
    after = (
        Text("，第 {step} 步起为 NaN/Inf", ", and is NaN or infinite from step {step} on", step=grown.nonfinite)
        if grown.nonfinite is not None
        else Text("", "")
    )
    steepest = curve.steepest if curve is not None else None
    fix = Text(
        "把学习率降到 {rate} 再运行；若仍发散，检查输入与目标的尺度（dp.01）、loss（cg.04）和 loss scale（mp.02）。",
        "Lower the learning rate to {rate} and run again; where it still diverges, look at the scale of inputs and targets "
        "(dp.01), the loss (cg.04) and the loss scale (mp.02).",
        rate=bound_words(steepest) if steepest is not None else Text("十分之一或更低", "a tenth or less"),
    )
    if curve is not None and curve.never_falls:
        fix = Text(
            "范围测试中最小的学习率（{low}）也使 loss 上升，降低学习率没有用：检查自定义优化器的更新公式（应减去学习率乘梯度）、"
            "loss 与梯度的符号。",
            "The least rate of the range test ({low}) makes the loss grow as well, so that a lower one does not help: look at "
            "the formula by which an optimizer of the script's own updates (minus rate times gradient) and at the signs of loss "
            "and gradients.",
            low=float(curve.rates[0]),
        )
    return problem(
        Text(
            "训练发散：{n} 步中 loss 从 {first} 升到 {last}{after}；学习率为 {used}。",
            "The training diverges: within {n} steps the loss grows from {first} to {last}{after}; the learning rate is "
            "{used}.",
            n=grown.steps,
            first=grown.first,
            last=grown.last,
            after=after,
            used=bound_words(used),
        ),
        fix,
        evidence,
        places,
    )


def leapt(used: Optional[float], leap: tuple, outcome: BesideConstant, evidence: list, places: list) -> Finding:
    first, largest, step = leap
    return problem(
        Text(
            "学习率{used}过大：第 {step} 步起 loss 从 {first} 跃升到 {largest}，此后没有恢复：{what}。",
            "The learning rate{used} is too large: at step {step} the loss leapt from {first} to as much as {largest}, and the "
            "training never recovered: {what}.",
            used=Text(" {rate} ", " of {rate}", rate=used) if used is not None else Text("", ""),
            first=first,
            largest=largest,
            step=step,
            what=outcome.words(),
        ),
        Text(
            "归一化输入与目标（dp.01、td.08），并把学习率降到十分之一或更低再运行。",
            "Normalise inputs and targets (dp.01, td.08), lower it to a tenth or less, and run again.",
        ),
        evidence,
        places,
    )


def lost_what_it_learnt(
    used: float, lost: tuple, curve: Curve, outcome: BesideConstant, evidence: list, places: list
) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大：到第 {step} 步 loss 已降到 {low}，此后又全部丢失（{what}）；范围测试的上界为 {upper}。",
            "The learning rate of {used} is too large: by step {step} the loss had come down to {low}, and all of that was lost "
            "again ({what}); the range test's upper bound is {upper}.",
            used=used,
            step=lost[0],
            low=lost[1],
            what=outcome.words(),
            upper=bound_words(curve.upper),
        ),
        Text(
            "把学习率降到约 {steepest}（范围测试中 loss 下降最快处）；动量大于 0.9 时先改为 0.9。",
            "Lower it to about {steepest}, where the loss falls most steeply in the range test; with a momentum above 0.9 set "
            "that to 0.9 first.",
            steepest=bound_words(curve.steepest or used / 10),
        ),
        evidence,
        places,
    )


def outdone_in_trials(used: float, better: Better, evidence: list, places: list) -> Finding:
    small = better.rate > used
    return problem(
        Text(
            "学习率 {used} 过{way}：从同样的初始权重出发、在同样的 batch 上训练 {steps} 步，学习率 {rate} 把 loss 从 {first} "
            "降到 {reached}，而 {used} 得到 {own}；整个训练结束时为 {end}。",
            "The learning rate of {used} is too {way}: from the same first weights, {steps} steps on the same batches bring the "
            "loss from {first} to {reached} at a rate of {rate} and to {own} at {used}; the whole training ended at {end}.",
            way=Text("小", "small") if small else Text("大", "large"),
            used=used,
            rate=bound_words(better.rate),
            steps=better.steps,
            first=better.first,
            reached=better.reached,
            own=_or_nan(better.own),
            end=_or_nan(better.end),
        ),
        Text("把学习率设为约 {rate} 再运行。", "Set it to about {rate} and run again.", rate=bound_words(better.rate)),
        evidence,
        places,
    )


def outdone_when_standardised(used: float, better: Better, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过{way}，与输入未归一化（dp.01）无关：把输入标准化之后，从同样的初始权重出发、在同样的 batch 上训练 "
            "{steps} 步，学习率 {rate} 得到 {reached}，而 {used} 得到 {own}。",
            "The learning rate of {used} is too {way}, beside inputs that are not normalised (dp.01): with standardised inputs, "
            "{steps} steps from the same first weights on the same batches come to a loss of {reached} at a rate of {rate}, and "
            "to {own} at {used}.",
            way=Text("小", "small") if better.rate > used else Text("大", "large"),
            used=used,
            rate=bound_words(better.rate),
            steps=better.steps,
            reached=better.reached,
            own=_or_nan(better.own),
        ),
        Text(
            "先归一化输入（dp.01），再把学习率设为约 {rate}。",
            "Normalise the inputs (dp.01), and set the rate to about {rate}.",
            rate=bound_words(better.rate),
        ),
        evidence,
        places,
    )


def tuned(seen: Course, used: float, constant: float, evidence: list, places: list) -> Finding:
    return undecided(
        Text(
            "学习率为 {used}；训练开始时的 loss（{first}）已远低于常数预测的 {constant}，结束时为 {last}：网络本来就好，"
            "微调的学习率小是正常的。",
            "The learning rate is {used}; the training began at a loss of {first}, far below the {constant} of a constant "
            "prediction, and ended at {last}: the network was good already, and a small rate is usual in fine-tuning.",
            used=used if used is not None else Text("未记录", "not recorded"),
            first=seen.first,
            constant=constant,
            last=seen.last,
        ),
        Text(
            "看验证指标在微调前后的变化，用几个学习率各训练一次并比较。",
            "Compare the validation before and after it, and short trainings with a few rates.",
        ),
        evidence,
        places,
    )


def _or_nan(value: float):
    return value if math.isfinite(value) else Text("NaN/Inf", "NaN or infinity")


def _beside_test(seen: Course, used: float, curve: Curve) -> dict:
    """What a sentence says of the run beside the range test."""
    run = {"used": used, "steps": seen.steps, "first": seen.first, "last": seen.last}
    return {**run, "count": len(curve.losses), "best": curve.reached()[1]}


def _raise_to_steepest(curve: Curve) -> Text:
    return Text(
        "把学习率提高到约 {steepest}（范围测试中 loss 下降最快处）。",
        "Raise it to about {steepest}, where the loss falls most steeply in the range test.",
        steepest=bound_words(curve.steepest),
    )


def too_slow(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过小：{steps} 步训练只把 loss 从 {first} 降到 {last}，而范围测试从同样的初始权重出发，以更高的学习率"
            "在 {count} 步内降到 {best}。",
            "The learning rate of {used} is too small: {steps} steps of training brought the loss from {first} to {last} only, "
            "where the range test, from the same first weights, came to {best} within {count} steps at higher rates.",
            **_beside_test(seen, used, curve),
        ),
        _raise_to_steepest(curve),
        evidence,
        places,
    )


def _once_more(curve: Curve) -> Text:
    return Text(
        "用约 {steepest} 的学习率再训练一次，比较结尾的 loss。",
        "Train once more at about {steepest} and compare the loss at the end.",
        steepest=bound_words(curve.steepest),
    )


def open_behind_test(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return undecided(
        Text(
            "学习率 {used}，{steps} 步训练把 loss 从 {first} 降到 {last}，而范围测试在 {count} 步内降到 {best}；"
            "测试只用了少数 batch，不能由此断定学习率不当。",
            "The learning rate is {used}; {steps} steps of training brought the loss from {first} to {last}, where the range "
            "test came to {best} within {count} steps. It saw few batches, so the rate is not shown to be wrong.",
            **_beside_test(seen, used, curve),
        ),
        _once_more(curve),
        evidence,
        places,
    )


def open_below_bounds(used: float, curve: Curve, outcome: BesideConstant, evidence: list, places: list) -> Finding:
    return undecided(
        Text(
            "学习率 {used} 低于范围测试的下界 {lower}，而训练结束时 loss 只比常数预测低 {gain}：是否过小，"
            "没有以更大的学习率试过。",
            "The learning rate of {used} lies below the range test's lower bound of {lower}, and the training came only {gain} "
            "below a constant prediction: whether it is too small was not tried with a larger one.",
            used=used,
            lower=bound_words(curve.lower),
            gain=percent(outcome.gain or 0.0),
        ),
        _once_more(curve),
        evidence,
        places,
    )


def too_small(seen: Course, used: float, curve: Curve, evidence: list, places: list, rising: Text) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过小：训练{course}，范围测试中 loss 从 {lower} 起才开始下降{rising}。",
            "The learning rate of {used} is too small: the training {course}, and in the range test the loss begins to fall "
            "only at {lower}{rising}.",
            rising=rising,
            used=used,
            course=course_words(seen),
            lower=bound_words(max(curve.lower or 0.0, curve.for_good or 0.0) if seen.kind == "still" else curve.lower),
        ),
        _raise_to_steepest(curve),
        evidence,
        places,
    )


def behind_test(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return problem(
        Text(
            "学习率 {used} 过大，高于范围测试的上界 {bound}；{steps} 步训练只把 loss 从 {first} 降到 {last}，"
            "而范围测试以更低的学习率在 {count} 步内降到 {best}。",
            "The learning rate of {used} is too large, above the range test's bound of {bound}: {steps} steps of training "
            "brought the loss from {first} to {last} only, where the test with lower rates came to {best} within {count} steps.",
            bound=bound_words(curve.upper if curve.upper is not None else curve.diverged),
            **_beside_test(seen, used, curve),
        ),
        Text(
            "把学习率降到约 {steepest}（范围测试中 loss 下降最快处），不改变其他超参数再运行。",
            "Lower it to about {steepest}, where the loss falls most steeply in the range test; change nothing else and run "
            "again.",
            steepest=bound_words(curve.steepest or (curve.diverged or used) / 10),
        ),
        evidence,
        places,
    )


def rate_of_zero(evidence: list, places: list, loaded: list) -> Finding:
    """``loaded``: where states of optimizers were loaded, which hold the number of steps done and fixed rates."""
    counted = (
        Text(
            "；优化器的状态在 {where} 从检查点加载，其中的步数（global_step）使学习率调度从那里继续",
            "; the optimizer's state was loaded at {where}, and a schedule goes on from the number of steps in it (global_step)",
            where=at(loaded[0]),
        )
        if loaded
        else Text("", "")
    )
    return problem(
        Text(
            "学习率在整个训练中为 0{counted}。",
            "The learning rate is 0 throughout the training{counted}.",
            counted=counted,
        ),
        Text(
            "检查学习率的设置或动态学习率的计算；新的训练只加载网络的权重，不加载优化器的状态。",
            "Look at how the rate or its schedule is computed; load the network alone where a new training begins, and not the "
            "optimizer.",
        )
        if loaded
        else Text("检查学习率的设置或动态学习率的计算。", "Look at how the rate or its schedule is computed."),
        evidence,
        [*loaded, *places],
    )


def inside_bounds(seen: Course, used: float, curve: Curve, evidence: list, verdict: str) -> Finding:
    above = verdict == "inside" and curve.upper is not None and used > curve.upper
    words = {
        "not_risen": Text(
            "学习率 {used} 高于这次范围测试的上界{bounds}，但 loss 在那里还没有明显回升；训练中从 {first} 降到 {last}。",
            "The learning rate of {used} lies above the bounds of this range test{bounds}, where its loss had hardly risen yet; "
            "in the training it fell from {first} to {last}.",
        ),
        "inside": Text(
            "学习率 {used} 在范围测试的界限之内{bounds}，loss 从 {first} 降到 {last}。",
            "The learning rate of {used} lies within the bounds of the range test{bounds}; the loss fell from {first} to {last}.",
        ),
        "too_large": Text(
            "学习率 {used} 高于这次范围测试的上界{bounds}，但训练中 loss 正常下降，从 {first} 降到 {last}。",
            "The learning rate of {used} lies above the bounds of this range test{bounds}, yet the loss fell from {first} to "
            "{last}.",
        ),
        "too_small": Text(
            "学习率 {used} 低于这次范围测试的下界{bounds}，但训练中 loss 正常下降，从 {first} 降到 {last}。",
            "The learning rate of {used} lies below the bounds of this range test{bounds}, yet the loss fell from {first} to "
            "{last}.",
        ),
    }["not_risen" if above else verdict]
    values = {"used": used, "bounds": bounds_words(curve), "first": seen.first, "last": seen.last}
    return ok(Text(words.zh, words.en, **values), evidence)


def worked_all_the_same(seen: Course, used: float, evidence: list) -> Finding:
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


def course_words(seen: Course) -> Text:
    known = {
        "diverged": Text("发散（loss 从 {first} 到 {last}）", "diverges (loss {first} to {last})")
        if seen.first is not None
        else Text("的 loss 变为 NaN/Inf", "ends in losses that are not finite"),
        "swings": Text("大幅震荡", "swings widely"),
        "still": Text("变差（loss 从 {first} 到 {last}）", "gets worse (loss {first} to {last})")
        if seen.worse
        else Text("没有进展（loss 从 {first} 到 {last}）", "makes no progress (loss {first} to {last})"),
        "falls": Text("的 loss 从 {first} 降到 {last}", "brings the loss from {first} to {last}"),
        "turns": Text(
            "由几个优化器轮流更新，它们的 loss 不是一条曲线",
            "has optimizers that take turns, whose losses make no one curve",
        ),
    }.get(seen.kind, Text("的步数太少（{steps} 步），无法判断走势", "is too short to show a trend ({steps} steps)"))
    return Text(known.zh, known.en, first=seen.first, last=seen.last, steps=seen.steps)


def bounds_words(curve: Curve) -> Text:
    """``(0.001 to 0.1)``; with no lower bound the rate at which the loss was away alone."""
    if curve.lower is not None:
        return Text(
            "（{lower} 到 {upper}）",
            " ({lower} to {upper})",
            lower=bound_words(curve.lower),
            upper=bound_words(curve.upper),
        )
    upper = curve.upper if curve.upper is not None else curve.diverged
    return Text("（{upper}）", " ({upper})", upper=bound_words(upper)) if upper is not None else Text("", "")


def bound_words(value: Optional[float]):
    return Text("未知", "not known") if value is None else float(f"{value:.2g}")


def range_test_table(
    run_data: RunData, seen: Course, used: Optional[float], curve: Optional[Curve], outcome: BesideConstant
) -> Evidence:
    rows: list = [[Text("训练中的最大学习率", "largest rate of the run"), used]]
    if seen.first is not None:
        rows += [
            [Text("开头十分之一的平均 loss", "mean loss of the first tenth"), seen.first],
            [Text("最后十分之一的平均 loss", "mean loss of the last tenth"), seen.last],
        ]
    if outcome.constant is not None:
        how = Text("（{how}）", " ({how})", how=outcome.constant.how)
        rows += [
            [
                Text("最好的常数预测的 loss{how}", "loss of the best constant prediction{how}", how=how),
                outcome.constant.value,
            ]
        ]
    if curve is not None and curve.unavailable_reason is not None:
        why = NO_BOUNDS[curve.unavailable_reason]
        rows += [[Text("范围测试：没有界限", "range test: no bounds"), why]]
        rows += [[Text("范围测试：发散", "range test: diverges"), bound_words(curve.diverged)]]
    elif curve is not None:
        rows += [
            [Text("范围测试：loss 开始下降", "range test: the loss begins to fall"), bound_words(curve.lower)],
            [Text("范围测试：下降最快", "range test: falls most steeply"), bound_words(curve.steepest)],
            [Text("范围测试：loss 最低", "range test: the loss is lowest"), bound_words(curve.upper)],
            [Text("范围测试：发散", "range test: diverges"), bound_words(curve.diverged)],
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


def range_test_figure(used: Optional[float], curve: Optional[Curve]) -> Optional[Evidence]:
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
