"""Mixed precision: mp.01 to mp.04."""

import re
from typing import Optional

from msprec.checklists.located import evidence, located, remedy, sentence
from msprec.checklists.overflow import Story
from msprec.checklists.ranks import named, rank_notes, scales_apart
from msprec.checklists.scale_settings import BY_HAND, loss_scale_setting
from msprec.checklists.shared import loss_figure, missing, no_training, scale_figure
from msprec.checklists.step_order import CLIPPING, PENALTY, order_of

from msprec.checklist.finding import Finding, ok, problem, table, undecided, worst
from msprec.checklist.item import item
from msprec.checklist.subject import Subject
from msprec.checklist.text import Text, percent


@item("mp.01", zh="训练中存在溢出问题", en="Overflow during training")
def overflow(subject: Subject) -> Finding:
    """Overflow flags, loss scale and losses of every step, the final weights, and how the run ended.

    Problem: a NaN or infinite loss in a step that was not skipped, a non-finite final weight, an infinite scale,
    overflow with the scale at its floor, no update at all or none in the last mp.01.tail steps, a fixed scale that
    overflows, and a dynamic one that goes on overflowing after its first search, mp.01.returns times
    more than it grows and in mp.01.return_rate of the steps, or that costs more than mp.01.skipped of the updates. Its
    first search, and an overflow for each growth, are its way of working: ok, unless the search takes mp.01.search of
    the run. Without any flag, finite losses
    and finite final weights decide: an infinite gradient would have poisoned the weights. Of a distributed run every rank
    is judged; ranks that add up their gradients and disagree on overflow or loss scale are a problem too.
    """
    if subject.trains_nothing:
        return no_training()
    crashed, place = next(filter(None, (_ended_by_nan(subject, rank) for rank in subject.ranks)), (None, None))
    stories = [Story(subject, rank, *_scale_kind(subject)) for rank in subject.ranks]
    stories = [story for story in stories if story.n]
    if crashed is not None:
        return _problem(subject, stories, crashed, [place])
    findings = [*filter(None, [scales_apart(subject)])]
    findings += [_judge_story(subject, story) for story in _earliest_first(subject, stories)]
    if not findings and not _poisoned(subject):
        return missing("训练步的 loss 与溢出标志", "loss or overflow flag of any training step")
    return worst(findings + _judge_weights(subject, stories))


def _earliest_first(subject: Subject, stories: list) -> list:
    """The stories of the ranks that went non-finite first in front: what spread to the others began there."""
    first = subject.first_nonfinite
    return sorted(stories, key=lambda story: first is None or story.rank not in first.ranks)


def _ended_by_nan(subject: Subject, rank: int) -> Optional[tuple]:
    """The exception that ended the run of a rank speaks of a NaN or infinite loss or value: the summary and its place."""
    exception = subject.run_of(rank).exit.exception
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
    return named(subject, rank, summary), exception.place


def _scale_kind(subject: Subject) -> tuple:
    """(kind, floor) of the loss scale of the training step that ran most."""
    used = sorted((step for step in subject.train_steps if step.loss_scale), key=lambda step: -(step.count or 0))
    return (used[0].loss_scale.kind, used[0].loss_scale.floor) if used else (None, None)


def _poisoned(subject: Subject) -> list:
    return [
        parameter for parameter in subject.parameters if parameter.final.nonfinite and not parameter.initial.nonfinite
    ]


def _judge_weights(subject: Subject, stories: list) -> list:
    bad = _poisoned(subject)
    if not bad:
        return []
    return [
        _problem(
            subject,
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


def _judge_story(subject: Subject, story: Story) -> Finding:
    if story.never_updated and _some_moved(subject):
        return _contradiction(subject, story)
    wrong = (
        _nonfinite_loss(subject, story)
        or _scale_broken(story)
        or _skipped(subject, story)
        or _returning(subject, story)
    )
    if wrong is not None:
        return _problem(subject, [story], named(subject, story.rank, wrong))
    if story.never_updated:
        return undecided(
            Text(
                "仅有的 {n} 步全部溢出；步数太少，动态 loss scale 尚未找到合适的值。",
                "All of the {n} steps overflowed; too few for the dynamic scale to settle.",
                n=story.n,
            ),
            Text("训练更多步后再运行。", "Train more steps and run again."),
            _evidence(subject, [story]),
        )
    if not story.loss_seen.any() and not story.flagged:
        return missing("loss 或溢出标志", "loss or overflow flag")
    return _healthy(subject, story)


def _some_moved(subject: Subject) -> bool:
    return any(parameter.moved.any and not parameter.final.nonfinite for parameter in subject.parameters)


def _contradiction(subject: Subject, story: Story) -> Finding:
    return undecided(
        Text(
            "全部 {n} 步都带有溢出标志，但权重确有变化：标志不可信，或训练步没有跳过溢出的更新。",
            "All {n} steps carry the overflow flag, yet weights moved: the flag is not to be trusted, or the step does "
            "not skip updates that overflow.",
            n=story.n,
        ),
        Text(
            "查看训练步中溢出标志的来源，以及溢出时是否跳过更新。",
            "See where the training step takes its overflow flag from, and whether it skips the update then.",
        ),
        _evidence(subject, [story]),
        [step.place for step in subject.train_steps],
    )


def _nonfinite_loss(subject: Subject, story: Story) -> Optional[Text]:
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
        hint=hint if located(subject) is None else "",
        n=story.n,
        k=int(bad.size),
        first=story.step(bad[0]),
    )


def _scale_broken(story: Story) -> Optional[Text]:
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


def _skipped(subject: Subject, story: Story) -> Optional[Text]:
    if not story.overflows:
        return None
    if story.never_updated and (story.n >= subject.limit("mp.01.tail") or story.kind == "fixed"):
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
    if not story.never_updated and story.tail >= subject.limit("mp.01.tail"):
        return Text(
            "训练结尾连续 {tail} 步溢出（共 {n} 步），更新已停止。",
            "The last {tail} of {n} steps all overflowed: updates have stopped.",
            tail=story.tail,
            n=story.n,
        )
    if (
        not story.never_updated
        and story.search >= subject.limit("mp.01.tail")
        and story.search / story.n > subject.limit("mp.01.search")
    ):
        return Text(
            "loss scale 的初始搜索占去 {n} 步中的 {k} 步，多数更新被跳过。",
            "The scale's first search took {k} of {n} steps: most updates were skipped.",
            n=story.n,
            k=story.search,
        )
    return None


def _returning(subject: Subject, story: Story) -> Optional[Text]:
    if story.after <= 0 or story.overflows_after <= 0:
        return None
    excess, skipped = story.excess, story.overflows_after / story.after
    least = subject.limit("mp.01.returns")
    if excess >= least and story.lasting and skipped >= subject.limit("mp.01.return_rate"):
        return Text(
            "loss scale 稳定之后仍反复溢出：{after} 步中溢出 {k} 次，比 scale 的增长多 {excess} 次，直到训练后期。",
            "Overflow keeps returning after the scale has settled: {k} in {after} steps, {excess} more than the scale "
            "has grown, to the end of the training.",
            after=story.after,
            k=story.overflows_after,
            excess=excess,
        )
    if story.overflows_after >= least and skipped > subject.limit("mp.01.skipped"):
        return Text(
            "loss scale 稳定之后 {after} 步中有 {k} 步溢出（{share}），被跳过的更新过多。",
            "After the scale had settled {k} of {after} steps overflowed ({share}): too many updates are skipped.",
            after=story.after,
            k=story.overflows_after,
            share=percent(skipped),
        )
    return None


def _healthy(subject: Subject, story: Story) -> Finding:
    if not story.flagged:
        seen = int(story.loss_seen.sum())
        weights = any(parameter.final for parameter in subject.parameters)
        losses = (
            Text("{n} 步的 loss 均为有限值", "the losses of all {n} steps are finite", n=story.n)
            if seen == story.n
            else Text("{n} 步中有 {k} 步的 loss 有记录，均为有限值", "the losses of {k} of {n} steps were seen and are finite",
                      n=story.n, k=seen)
        )  # fmt: skip
        if (subject.precision.half_compute or seen < story.n / 2) and not weights:
            return undecided(
                Text(
                    "{losses}，但没有溢出标志，也没有看到最终权重。",
                    "For this run {losses}, but there is no overflow flag and the final weights were not seen.",
                    losses=losses,
                ),
                Text(
                    "使用带溢出检测的训练单元（如 DynamicLossScaleManager）后再运行。",
                    "Run with a training step that reports overflow (such as DynamicLossScaleManager gives).",
                ),
                _evidence(subject, [story]),
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
        return ok(words, _evidence(subject, [story]))
    if not story.overflows:
        return ok(Text("{n} 步中没有溢出。", "No overflow in {n} steps.", n=story.n), _evidence(subject, [story]))
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
        _evidence(subject, [story]),
    )


def _problem(subject: Subject, stories: list, summary: Text, places: Optional[list] = None) -> Finding:
    steps = [step for step in subject.train_steps if step.count != 0]
    known = [place for place in places or [] if place] or [step.loss_scale.place or step.place for step in steps]
    training = [place for place in known if place]
    found = located(subject)
    if found is not None:
        summary = Text("{summary}首个非有限值：{place}。", "{summary} The first non-finite value: {place}.",
                       summary=summary, place=sentence(found, subject))  # fmt: skip
        known = [found.place, *known] if found.place else known
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
        (evidence(subject, found) if found is not None else [])
        + _evidence(subject, stories)
        + subject.code_at(training, Text("训练步", "The training step")),
        known,
    )


def _evidence(subject: Subject, stories: list) -> list:
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
        rank_notes(subject, "overflow", "scale"),
        table(
            Text("溢出段（最长在前）", "Streaks of overflow, longest first"),
            ["rank", Text("首步", "first step"), Text("末步", "last step"), Text("长度", "length")],
            longest,
            most=15,
        )
        if streaks
        else None,
        scale_figure(subject),
        loss_figure(subject),
    ]


def _first(values) -> Optional[float]:
    seen = values[values == values]
    return float(seen[0]) if seen.size else None


def _last(values) -> Optional[float]:
    seen = values[values == values]
    return float(seen[-1]) if seen.size else None


@item("mp.02", zh="混合精度训练时，未正确设置loss scale", en="Loss scale not set properly in mixed precision training")
def loss_scale(subject: Subject) -> Finding:
    """Whether float16 takes part in training, and whether loss scale and optimizer agree.

    Problem: float16 without a loss scale, a scale below mp.02.min_scale throughout, a fixed scale whose step does not
    unscale (drop_overflow_update=False) with an optimizer of another loss_scale, an optimizer that divides although the
    step unscales already or nothing was scaled. The mismatches count in float32 as well: they change the step size.
    bfloat16 has float32's range: not applicable. Details in scale_settings.py.
    """
    if subject.trains_nothing:
        return no_training()
    return loss_scale_setting(subject)


@item(
    "mp.03", zh="loss scale和梯度裁剪的应用顺序不正确", en="Loss scale and gradient clipping applied in the wrong order"
)
def clipping(subject: Subject) -> Finding:
    """By the order of operations in the training step, read from the source (msprec.source.flow, step_order.py).

    Problem: on every way through the script that scales and clips, a clipping acts on gradients that still carry the
    scale. Ok: after unscaling (or with a threshold that is scaled too). Not applicable: no clipping, no scale, or a scale
    of 1, and the whole step was read. Clipping of losses and activations does not count, nor does a norm for the log.
    """
    return order_of(subject, CLIPPING, _plainly_unscaled(subject))


@item(
    "mp.04",
    zh="计算梯度惩罚时，没有先将梯度恢复为无loss scale的梯度",
    en="Gradient penalty computed from gradients that still carry the loss scale",
)
def penalty(subject: Subject) -> Finding:
    """The degree in the loss scale of gradients that become a part of the differentiated loss, read as for mp.03.

    Problem: it is above that of what they are added to, a number (the 1 in (norm - 1)²) or the loss. Not applicable: no
    such term, or no scale, and the whole step was read.
    """
    return order_of(subject, PENALTY, _plainly_unscaled(subject))


def _plainly_unscaled(subject: Subject) -> bool:
    used = [step for step in subject.train_steps if step.count != 0]
    kinds = {step.loss_scale.kind for step in used}
    divides = any(optimizer.loss_scale not in (None, 1) for optimizer in subject.optimizers)
    return (
        bool(used)
        and kinds == {"none"}
        and subject.precision.half_compute is False
        and not divides
        and not _own_scale(subject)
    )


def _own_scale(subject: Subject) -> list:
    """Lines of the user's that scale a loss by hand."""
    return subject.find_lines(BY_HAND)
