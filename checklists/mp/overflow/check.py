"""mp.01: Overflow flags, loss scale and losses of every step, the final weights, and how the run ended."""

import re
from typing import Optional

import numpy as np

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at, loss_figure, missing, no_training, scale_figure
from msprec.checklists.common.nonfinite_origin import evidence, located, remedy, sentence
from msprec.checklists.common.ranks.rank_disagreement import named, rank_notes, scales_apart
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.mp.overflow.loss_scale_history import LossScaleHistory
from msprec.engine.finding import Finding, ok, problem, table, undecided, worst
from msprec.engine.item import item
from msprec.engine.ranks import first_nonfinite
from msprec.engine.run_data import RunData, place

#: What brings cells to a lower precision.
_LOWERS = r"\.to_float\(|auto_mixed_precision\(|amp_level\s*="
#: Where a step of the script's asks for overflow, and adjusts its scale.
_FLAGS = r"overflow\w*\s*=|process_loss_scale\(|get_overflow_status\(|all_finite\(|\bis_?finite\("


@item("mp.01", after=with_reference)
def overflow(run_data: RunData) -> Finding:
    """Overflow flags, loss scale and losses of every step, the final weights, and how the run ended.

    Problem: a NaN or infinite loss in a step that was not skipped, a non-finite final weight, an infinite scale,
    overflow with the scale at its floor, no update at all or none in the last mp.01.tail steps, a fixed scale that
    overflows, float16 that overflows within the forward pass though the loss is finite, sines and cosines of angles whose
    neighbours in their element type lie mp.01.angle apart, and a dynamic one that goes on
    overflowing after its initial scale search, mp.01.returns times more than it grows and in mp.01.return_rate of the steps,
    or that costs more than mp.01.skipped of the updates. Its
    initial scale search, and an overflow for each increase, are its way of working: ok, unless the search takes mp.01.search of
    the run. Without any flag, finite losses
    and finite final weights decide: an infinite gradient would have poisoned the weights. Of a distributed run every rank
    is judged; ranks that add up their gradients and disagree on overflow or loss scale are a problem too.
    """
    if run_data.trains_nothing:
        return no_training()
    crashed, place = next(filter(None, (_ended_by_nan(run_data, rank) for rank in run_data.ranks)), (None, None))
    stories = [LossScaleHistory(run_data, rank, *_scale_kind(run_data)) for rank in run_data.ranks]
    stories = [story for story in stories if story.n]
    if crashed is not None:
        return _problem(run_data, stories, crashed, [place])
    findings = [*filter(None, [scales_apart(run_data)])]
    findings += [_judge_story(run_data, story) for story in _earliest_first(run_data, stories)]
    if not findings and not _poisoned(run_data):
        return missing("训练步的 loss 与溢出标志", "loss or overflow flag of any training step")
    return _rough(run_data, _hidden(run_data, worst(findings + _judge_weights(run_data, stories))))


def _hidden(run_data: RunData, found: Finding) -> Finding:
    """The finding, or a problem where nothing non-finite was seen, yet float16 overflows within the forward pass: a reciprocal of
    infinity is 0, and neither loss nor gradient shows it."""
    moments = [one for one in run_data.probes.units.moments if one.moment == "end" and one.overflows]
    if found.conclusion == "problem" or not moments:
        return found
    first = moments[0].overflows[0]
    return problem(
        Text(
            "前向计算中 float16 溢出，而 loss 和梯度看不出来：{operator}（{place}）在有限的输入上得到无穷大（占 {share}），"
            "随后被倒数等运算变成 0。",
            "float16 overflows in the forward pass, and neither loss nor gradients show it: {operator} at {place} makes "
            "infinities of finite values ({share} of its elements), which a reciprocal or the like turns into 0.",
            operator=first.operator,
            place=at(first.place),
            share=percent(first.share),
        ),
        Text(
            "平方、求和、方差、归一化和注意力打分用 float32 计算（x.astype(ms.float32)，或把该层排除在 float16 之外），再转回。",
            "Compute squares, sums, variances, normalisations and attention scores in float32 (x.astype(ms.float32), or keep "
            "that layer out of float16), then cast back.",
        ),
        [*found.evidence, run_data.code(first.place, Text("溢出的运算", "The operation that overflows"))],
        [one.place for one in moments[0].overflows if one.place],
    )


def _rough(run_data: RunData, found: Finding) -> Finding:
    """The finding, or a problem where the angles of a sine or cosine are too large for their element type, whose neighbouring
    numbers lie mp.01.angle radians or more apart there."""
    rough = [one for one in run_data.probes.rough_angles if (one.step or 0) >= run_data.limit("mp.01.angle")]
    if found.conclusion == "problem" or not rough:
        return found
    first = rough[0]
    return problem(
        Text(
            "{operator}（{place}）的角度以 {dtype} 计算，最大为 {largest}，那里相邻的两个数相差 {step} 弧度：位置或时刻的差别因"
            "舍入而丢失。",
            "{operator} at {place} is given angles in {dtype}, up to {largest}, where neighbouring numbers lie {step} radians "
            "apart: what they tell of position or time is lost by rounding.",
            operator=first.operator,
            place=at(first.place),
            dtype=first.dtype,
            largest=float(f"{first.largest:.4g}"),
            step=float(f"{first.step:.3g}"),
        ),
        Text(
            "用 float32 计算角度及其正弦、余弦（把该层排除在低精度之外），再转回低精度。",
            "Compute angles, sines and cosines in float32 (keep that cell out of the lower precision), then cast.",
        ),
        [*found.evidence, run_data.code(first.place, Text("正弦、余弦的计算", "Where it is computed"))],
        [*(one.place for one in rough if one.place), *run_data.find_lines(_LOWERS, 3)],
    )


def _earliest_first(run_data: RunData, stories: list) -> list:
    """The stories of the ranks that went non-finite first in front: what spread to the others began there."""
    first = first_nonfinite(run_data.folder)
    return sorted(stories, key=lambda story: first is None or story.rank not in first.ranks)


def _ended_by_nan(run_data: RunData, rank: int) -> Optional[tuple]:
    """The exception that ended the run of a rank speaks of a NaN or infinite loss or value: the summary and its place."""
    exception = run_data.run_of(rank).exit.exception
    message = exception.message or ""
    if not re.search(
        r"\b(nan|inf|infinity|non-?finite|not finite|overflow(ed)?|FloatingPointError)\b",
        message + " " + (exception.type or ""),
        re.IGNORECASE,
    ):
        return None
    if (
        not re.search(r"loss|grad|weight|param|step|train|overflow|scale", message, re.IGNORECASE)
        or exception.type == "OverflowError"
    ):
        return None
    summary = Text(
        "训练因非有限值中止：{type}：{message}",
        "The training stopped on a non-finite value: {type}: {message}",
        type=exception.type,
        message=message.strip().splitlines()[0][:200] if message.strip() else "",
    )
    return named(run_data, rank, summary), exception.place


def _scale_kind(run_data: RunData) -> tuple:
    """(kind, floor) of the loss scale of the training step that ran most."""
    used = sorted((step for step in run_data.train_steps if step.loss_scale), key=lambda step: -(step.count or 0))
    return (used[0].loss_scale.kind, used[0].loss_scale.floor) if used else (None, None)


def _poisoned(run_data: RunData) -> list:
    """Parameters that became NaN or infinite; not the moving variance that a call with one sample in training mode, outside
    any gradient, divided by zero (api.02)."""
    outside = [
        cell
        for phase in run_data.phases
        if phase.phase != "train" and not phase.gradient
        for cell in phase.dependent
        if cell.training and "BatchNorm" in (cell.class_ or "")
    ]
    return [
        parameter
        for parameter in run_data.parameters
        if parameter.final.nonfinite
        and not parameter.initial.nonfinite
        and not (outside and parameter.kind == "statistic")
    ]


def _judge_weights(run_data: RunData, stories: list) -> list:
    bad = _poisoned(run_data)
    if not bad:
        return []
    return [
        _problem(
            run_data,
            stories,
            Text(
                "训练结束时 {n} 个参数含 NaN/Inf（如 {name}，{count} 个元素）。",
                "At the end {n} parameters hold NaN or infinity (such as {name}, {count} elements).",
                n=len(bad),
                name=bad[0].name,
                count=bad[0].final.nonfinite,
            ),
        )
    ]


def _judge_story(run_data: RunData, story: LossScaleHistory) -> Finding:
    if story.never_updated and _some_moved(run_data):
        return _contradiction(run_data, story)
    wrong = (
        _nonfinite_loss(run_data, story)
        or _scale_broken(story)
        or _skipped(run_data, story)
        or _returning(run_data, story)
    )
    if wrong is not None:
        return _problem(run_data, [story], named(run_data, story.rank, wrong))
    if story.never_updated:
        return undecided(
            Text(
                "仅有的 {n} 步全部溢出；步数太少，动态 loss scale 尚未找到合适的值。",
                "All of the {n} steps overflowed; too few for the dynamic scale to settle.",
                n=story.n,
            ),
            Text("训练更多步后再运行。", "Train more steps and run again."),
            _evidence(run_data, [story]),
        )
    if _left_out(run_data, story):
        return _without_updates(run_data, story)
    if not story.loss_seen.any() and not story.flagged:
        return missing("loss 或溢出标志", "loss or overflow flag")
    return _healthy(run_data, story)


def _left_out(run_data: RunData, story: LossScaleHistory) -> bool:
    """Whether a step that scales dynamically made no update at all, by its one optimizer's own count, and its scale never moved:
    whatever its flag said, the step took every update for one that overflows."""
    used = [one for one in run_data.optimizers if one.used is not False]
    still = story.kind == "dynamic" and len(set(story.scale[np.isfinite(story.scale)].tolist())) == 1
    return still and len(used) == 1 and used[0].updates == 0 and story.n >= run_data.limit("mp.01.tail")


def _without_updates(run_data: RunData, story: LossScaleHistory) -> Finding:
    places = run_data.find_lines(_FLAGS, 4)
    return _problem(
        run_data,
        [story],
        named(
            run_data,
            story.rank,
            Text(
                "{n} 步中优化器没有更新过一次，loss scale 也一直是 {scale}：每一步都被当作溢出跳过，而 scale 从不下降。",
                "Not one of {n} steps made an update, and the loss scale stayed at {scale}: each step is left out as one that "
                "overflows, and the scale never comes down.",
                n=story.n,
                scale=float(story.scale[np.isfinite(story.scale)][0]),
            ),
        ),
        places,
    )


def _applied(run_data: RunData, story: LossScaleHistory) -> int:
    """How many updates were made in steps that overflowed, by the optimizer's own count; 0 where that is not known."""
    used = [one for one in run_data.optimizers if one.used is not False]
    if len(used) != 1 or used[0].updates is None or story.kind == "none" or not 0 < used[0].updates <= story.n:
        return 0
    return max(0, used[0].updates - (story.n - story.overflows))


def _updating(run_data: RunData) -> list:
    """Where the script's own step calls its optimizer."""
    events = [event for ways in run_data.ways for way in ways for event in way.events if event.kind == "update"]
    return [place(*spot) for spot in sorted({event.spot for event in events})]


def _some_moved(run_data: RunData) -> bool:
    """Whether the optimizer changed a weight: statistics of a normalisation move in the forward pass, skipped update or not."""
    return any(
        parameter.moved.any and not parameter.final.nonfinite
        for parameter in run_data.parameters
        if parameter.kind != "statistic" and parameter.in_optimizer is not False
    )


def _contradiction(run_data: RunData, story: LossScaleHistory) -> Finding:
    return undecided(
        Text(
            "全部 {n} 步都带有溢出标志，但权重确有变化：标志不可信，或训练步没有跳过溢出的更新。",
            "All {n} steps carry the overflow flag, yet weights were updated: the flag is not to be trusted, or the step does "
            "not skip updates that overflow.",
            n=story.n,
        ),
        Text(
            "查看训练步中溢出标志的来源，以及溢出时是否跳过更新。",
            "See where the training step takes its overflow flag from, and whether it skips the update then.",
        ),
        _evidence(run_data, [story]),
        [step.place for step in run_data.train_steps],
    )


def _nonfinite_loss(run_data: RunData, story: LossScaleHistory) -> Optional[Text]:
    bad = story.nonfinite_losses()
    if not bad.size:
        return None
    hint = Text(
        "（溢出往往发生在前一步的反向或更新）",
        " (the overflow itself is often in the backward pass of the step before)",
    )
    return Text(
        "{n} 步中有 {k} 步的 loss 为 NaN/Inf，首次出现在第 {first} 步{hint}。",
        "The loss is NaN or infinite in {k} of {n} steps, first in step {first}{hint}.",
        hint=hint if located(run_data) is None else "",
        n=story.n,
        k=int(bad.size),
        first=story.step(bad[0]),
    )


def _scale_broken(story: LossScaleHistory) -> Optional[Text]:
    step = story.infinite_scale()
    if step is not None:
        return Text(
            "loss scale 在第 {step} 步变为无穷大，此后每一步都被跳过。",
            "The loss scale became infinite at step {step}; from there on every step is skipped.",
            step=step,
        )
    floor = story.at_floor()
    if floor and story.kind != "fixed":
        return Text(
            "loss scale 已降到下限 {floor}，仍有 {n} 步溢出。",
            "The loss scale is down at its floor of {floor} and still {n} steps overflow.",
            floor=story.floor,
            n=floor,
        )
    return None


def _skipped(run_data: RunData, story: LossScaleHistory) -> Optional[Text]:
    if not story.overflows:
        return None
    if story.never_updated and (story.n >= run_data.limit("mp.01.tail") or story.kind == "fixed"):
        return Text(
            "全部 {n} 步都溢出，没有进行任何一次更新。",
            "All {n} steps overflowed: not a single update was made.",
            n=story.n,
        )
    if story.kind in ("fixed", "none"):
        words = (
            Text("固定的 loss scale", "a fixed loss scale")
            if story.kind == "fixed"
            else Text("没有 loss scale", "no loss scale")
        )
        return Text(
            "{kind}下 {n} 步中有 {k} 步溢出（{share}）。",
            "With {kind}, {k} of {n} steps overflowed ({share}).",
            kind=words,
            n=story.n,
            k=story.overflows,
            share=percent(story.overflows / story.n),
        )
    if not story.never_updated and story.tail >= run_data.limit("mp.01.tail"):
        return Text(
            "训练结尾连续 {tail} 步溢出（共 {n} 步），更新已停止。",
            "The last {tail} of {n} steps all overflowed: updates have stopped.",
            tail=story.tail,
            n=story.n,
        )
    if (
        not story.never_updated
        and story.search >= run_data.limit("mp.01.tail")
        and story.search / story.n > run_data.limit("mp.01.search")
    ):
        return Text(
            "loss scale 的初始搜索占去 {n} 步中的 {k} 步，多数更新被跳过。",
            "The initial scale search took {k} of {n} steps: most updates were skipped.",
            n=story.n,
            k=story.search,
        )
    return None


def _returning(run_data: RunData, story: LossScaleHistory) -> Optional[Text]:
    if story.after <= 0 or story.overflows_after <= 0:
        return None
    excess, skipped = story.excess, story.overflows_after / story.after
    least = run_data.limit("mp.01.returns")
    if excess >= least and story.lasting and skipped >= run_data.limit("mp.01.return_rate"):
        return Text(
            "loss scale 稳定之后仍反复溢出：{after} 步中溢出 {k} 次，比 scale 的增长多 {excess} 次，直到训练后期。",
            "Overflow keeps returning after the scale has settled: {k} in {after} steps, {excess} more than the scale "
            "has grown, to the end of the training.",
            after=story.after,
            k=story.overflows_after,
            excess=excess,
        )
    if story.overflows_after >= least and skipped > run_data.limit("mp.01.skipped"):
        return Text(
            "loss scale 稳定之后 {after} 步中有 {k} 步溢出（{share}），被跳过的更新过多。",
            "After the scale had settled {k} of {after} steps overflowed ({share}): too many updates are skipped.",
            after=story.after,
            k=story.overflows_after,
            share=percent(skipped),
        )
    return None


def _healthy(run_data: RunData, story: LossScaleHistory) -> Finding:
    if not story.flagged:
        seen = int(story.loss_seen.sum())
        weights = any(parameter.final for parameter in run_data.parameters)
        losses = (
            Text("{n} 步的 loss 均为有限值", "the losses of all {n} steps are finite", n=story.n)
            if seen == story.n
            else Text(
                "{n} 步中有 {k} 步的 loss 有记录，均为有限值",
                "the losses of {k} of {n} steps were seen and are finite",
                n=story.n,
                k=seen,
            )
        )
        if (run_data.precision.half_compute or seen < story.n / 2) and not weights:
            return undecided(
                Text(
                    "{losses}，但没有溢出标志，也没有看到最终权重。",
                    "For this run {losses}, but there is no overflow flag and the final weights were not seen.",
                    losses=losses,
                ),
                Text(
                    "使用带溢出检测的训练 Cell（如 DynamicLossScaleManager）后再运行。",
                    "Run with a training step that reports overflow (such as DynamicLossScaleManager gives).",
                ),
                _evidence(run_data, [story]),
            )
        if seen == story.n:
            words = Text(
                "{n} 步的 loss 均为有限值，没有 NaN/Inf。", "The losses of all {n} steps are finite.", n=story.n
            )
        elif not weights:
            words = Text(
                "{n} 步中有 {k} 步的 loss 有记录，均为有限值。",
                "The losses of {k} of {n} steps were seen and are finite.",
                n=story.n,
                k=seen,
            )
        else:
            words = Text(
                "{n} 步中有 {k} 步的 loss 有记录；这些 loss 与最终权重均为有限值。",
                "The losses of {k} of {n} steps were seen; they and the final weights are finite.",
                n=story.n,
                k=seen,
            )
        return ok(words, _evidence(run_data, [story]))
    if not story.overflows:
        return ok(Text("{n} 步中没有溢出。", "No overflow in {n} steps.", n=story.n), _evidence(run_data, [story]))
    return ok(
        Text(
            "{n} 步中溢出 {k} 次，都属于动态 loss scale 自身的搜索：开头 {search} 次，之后 {after} 次（{share}）。",
            "{k} of {n} steps overflowed, all of them the dynamic scale's own search: {search} at the start, {after} "
            "later ({share}).",
            n=story.n,
            k=story.overflows,
            search=story.search,
            after=story.overflows_after,
            share=percent(story.overflows / story.n),
        ),
        _evidence(run_data, [story]),
    )


def _problem(run_data: RunData, stories: list, summary: Text, places: Optional[list] = None) -> Finding:
    steps = [step for step in run_data.train_steps if step.count != 0]
    known = [place for place in places or [] if place] or [step.loss_scale.place or step.place for step in steps]
    training = [place for place in known if place]
    found = located(run_data)
    if found is not None:
        summary = Text(
            "{summary}首个非有限值：{place}。",
            "{summary} The first non-finite value: {place}.",
            summary=summary,
            place=sentence(found, run_data),
        )
        known = [found.place, *known] if found.place else known
    applied = sum(_applied(run_data, story) for story in stories)
    if applied:
        summary = Text(
            "{summary}有 {n} 个溢出步的更新没有被跳过：溢出的梯度进入了权重。",
            "{summary} The updates of {n} steps that overflowed were not skipped: their gradients went into the weights.",
            summary=summary,
            n=applied,
        )
        known = [*_updating(run_data), *known]
    return problem(
        summary,
        (remedy(found) if found is not None else None)
        or Text(
            "找到最先产生非有限值的算子；使用动态 loss scale 或减小 scale，把溢出的算子改为 float32；若 float32 也出现 "
            "NaN，检查学习率、输入数据与除零、log(0)。",
            "Find the operator that makes the first non-finite value; use a dynamic loss scale or a smaller one, and "
            "compute that operator in float32. "
            "Where float32 gives NaN too, look at the learning rate, the data, divisions by zero and log(0).",
        ),
        (evidence(run_data, found) if found is not None else [])
        + _evidence(run_data, stories)
        + run_data.code_at(training, Text("训练步", "The training step")),
        known,
    )


def _evidence(run_data: RunData, stories: list) -> list:
    rows = [
        [
            story.rank,
            story.n,
            story.overflows if story.flagged else None,
            story.search if story.flagged else None,
            len(story.streaks()),
            int(story.nonfinite_losses().size),
            _first(story.scale),
            _last(story.next_scale),
        ]
        for story in stories
    ]
    heads = [
        "rank",
        Text("步数", "steps"),
        Text("溢出步数", "overflows"),
        Text("开头连续溢出", "at the start"),
        Text("溢出段数", "streaks"),
        Text("非有限 loss", "non-finite losses"),
        Text("初始 scale", "first scale"),
        Text("最终 scale", "last scale"),
    ]
    streaks = [[story.rank, *streak] for story in stories for streak in story.streaks()]
    longest = sorted(streaks, key=lambda row: -row[3])
    return [
        table(Text("溢出统计", "Overflow"), heads, rows) if rows else None,
        rank_notes(run_data, "overflow", "scale"),
        table(
            Text("溢出段（最长在前）", "Streaks of overflow, longest first"),
            ["rank", Text("首步", "first step"), Text("末步", "last step"), Text("长度", "length")],
            longest,
            most=15,
        )
        if streaks
        else None,
        scale_figure(run_data),
        loss_figure(run_data),
    ]


def _first(values) -> Optional[float]:
    seen = values[values == values]
    return float(seen[0]) if seen.size else None


def _last(values) -> Optional[float]:
    seen = values[values == values]
    return float(seen[-1]) if seen.size else None
