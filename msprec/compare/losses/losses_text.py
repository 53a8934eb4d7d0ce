"""What comparing two loss curves says, in words."""

import math

import numpy as np

from msprec.compare.losses.compare import Parting

_CASES = {
    "zh": {
        "equal": "全部 {count} 个共同 step 的 loss 一致（相对误差不超过 {rounding:.0e}{digits}）。",
        "exact": "全部 {count} 个共同 step 的 loss 逐位相同。",
        "noise": "两者有差异，但不超过重复运行之间的差异：是噪声，不是分叉。",
        "drift": "从 step {differs} 起超出舍入误差，但没有持续分开（最大相对差 {largest:.1e}，step {largest_at}）：没有发现分叉。"
        "舍入误差逐步放大时就是这样；用 --repeat 给出重复运行可以确认。",
        "short": "最后几步（从 step {differs} 起，{relative}）才有差异，还看不出是否持续：多训练一些 step 再比较。",
        "first": "第一个 step 的 loss 就不同（{a} 与 {b}，{relative}）：查前向计算、初始权重、数据或随机性。",
        "first_late": "两者共同记录的第一个 step（{differs}）loss 已不同（{relative}）。之前的 step 没有记录，"
        "不能判断第一步是否相同：请逐步记录 loss（从 step 1 起）再比较。",
        "second": "第一个 step 的 loss 相同，第二个（step {differs}）不同（{relative}）：查反向计算、优化器（超参、学习率）或数据顺序。",
        "later": "step {differs} 之前一致，从 step {differs} 起不同（{relative}）。",
        "parts": "从 step {parts} 起持续分开。",
        "jumps": "step {jumps} 的差异比之前都大 {times} 倍以上：先查这一步。",
        "gradual": "差异是逐渐变大的，没有某一步突变：用 --repeat 给出重复运行，以区分噪声。",
        "small_first": "这个差异小到半精度或求和次序就能造成；若训练使用半精度，可用 --rounding 1e-3。",
        "forward": "把问题提前：在 step {before} 保存 checkpoint，跳过它之前的数据，让两边从同一权重和同一批数据训练 step {at}。",
        "next_first": "下一步：msprec compare weights A B（初始权重）、msprec compare data A B（数据）、msprec dump 与 msprec compare tensors A B（前向）。",
        "next_second": "下一步：msprec dump --steps 1（梯度）与 msprec compare tensors A B，msprec compare weights（step 1 之后的权重）。",
        "relative": "相对差 {size:.1e}",
        "one_bad": "只有一方是有限值",
        "alone": "只有 step {differs} 的 loss 不同（{relative}），之后又一致。",
        "bad": "{name}：从 step {first} 起有 {count} 个 loss 不是有限值（{nan} 个 NaN，{inf} 个无穷大）{rest}。",
        "rest": "，此后再没有有限值",
        "bad_both": "两边的 loss 在相同的 {count} 个 step 都不是有限值：一致只说明两边同样出错，这些 step 的数值没有比较。",
    },
    "en": {
        "equal": "The losses of all {count} common steps agree (to a relative {rounding:.0e}{digits}).",
        "exact": "The losses of all {count} common steps are the same to the last digit.",
        "noise": "They differ, but by no more than repeated runs do: noise, they have not parted.",
        "drift": "Beyond rounding from step {differs} on, but not apart for good (largest relative difference {largest:.1e}, at step "
        "{largest_at}): no parting found. Rounding grows like this; repeated runs given with --repeat would confirm it.",
        "short": "Only the last steps differ (from step {differs} on, {relative}), too few to tell whether for good: "
        "train some more steps and compare again.",
        "first": "The very first loss differs ({a} and {b}, {relative}): look at the forward pass, the initial weights, "
        "the data or the randomness.",
        "first_late": "At the first step that both recorded ({differs}) the losses differ already ({relative}). Steps before "
        "it are not recorded, so whether the first agrees is not known: record every loss from step 1 and compare again.",
        "second": "The first loss is equal and the second (step {differs}) is not ({relative}): look at the backward pass, "
        "the optimizer (settings, learning rate) or the order of the data.",
        "later": "Equal before step {differs}, different from there on ({relative}).",
        "parts": "Apart for good from step {parts} on.",
        "jumps": "At step {jumps} the difference is over {times} times any before it: look at that step first.",
        "gradual": "The difference grows little by little, at no one step: repeated runs, given with --repeat, tell it from noise.",
        "small_first": "Half precision or another order of sums can make a difference as small; under half precision use --rounding 1e-3.",
        "forward": "To bring it forward: save a checkpoint at step {before}, skip the data before it, and let both train step {at} from the "
        "same weights on the same batch.",
        "next_first": "Next: msprec compare weights A B (initial weights), msprec compare data A B (data), msprec dump with msprec compare "
        "tensors A B (forward pass).",
        "next_second": "Next: msprec dump --steps 1 (gradients) with msprec compare tensors A B, and msprec compare weights (after step 1).",
        "relative": "by a relative {size:.1e}",
        "one_bad": "only one of them is finite",
        "alone": "Only the loss of step {differs} differs ({relative}); after it they agree again.",
        "bad": "{name}: {count} losses are not finite from step {first} on ({nan} NaN, {inf} infinite){rest}.",
        "rest": ", and none is finite again",
        "bad_both": "On both sides the losses of the same {count} steps are not finite: that they agree says only that both fail alike; there is no "
        "number to compare at these steps.",
    },
}

_NOTES = {
    "zh": {
        "shifted": "两者一个从 0、一个从 1 计 step：第二个的 step 号加 {value}。",
        "unnumbered": "有一方没有 step 号：按行的次序编号。",
        "some_steps": "只比较两者都有的 step。",
        "gaps": "不是每个 step 都有记录：真正开始不同的 step 在上一个记录点之后。",
        "epoch_of": "step 号在每个 epoch 重新开始，按每 epoch {value} 步换算；不对时用 --steps-per-epoch 指定。",
    },
    "en": {
        "shifted": "One counts from 0, the other from 1: {value} was added to the steps of the second.",
        "unnumbered": "One of them has no step numbers: its lines are numbered in their order.",
        "some_steps": "Only the steps that both have are compared.",
        "gaps": "Not every step is recorded: the step that really begins to differ lies after the record before.",
        "epoch_of": "Steps are counted anew in each epoch; taken to be {value} an epoch; if not, give --steps-per-epoch.",
    },
}

LABELS = {
    "zh": {
        "step": "step",
        "loss": "loss",
        "difference": "相对差",
        "differs": "开始不同",
        "parts": "持续分开",
        "band": "舍入/噪声",
        "more": "…",
        "jumps": "突变",
    },
    "en": {
        "step": "step",
        "loss": "loss",
        "difference": "relative difference",
        "differs": "first differs",
        "parts": "apart for good",
        "band": "rounding / noise",
        "more": "…",
        "jumps": "jump",
    },
}


def conclusion(found: Parting, rounding: float, lang: str) -> list:
    """The sentences, the conclusion first, then how to go on, then what had to be assumed."""
    say = _CASES[lang]
    values = _values(found, rounding, lang)
    key = "exact" if found.case == "equal" and found.exact else found.case
    if found.case == "later" and int((found.relative > found.band).sum()) == 1:
        key = "alone"
    lines = [say[key].format(**values)]
    if found.case == "first" and found.relative[0] < 1e-3 and found.parts is None:
        lines.append(say["small_first"])
    if found.case in ("second", "later", "first") and found.parts is not None and found.parts != found.differs:
        lines.append(say["parts"].format(**values))
    if found.case == "later":
        lines += _later(found, values, say)
    if found.case in ("first", "second"):
        lines.append(say[f"next_{found.case}"])
    return lines + _not_finite(found, say) + notes(found, lang)


def _not_finite(found: Parting, say: dict) -> list:
    """Losses that are NaN or infinite, in words."""
    bad = [~np.isfinite(values) for values in (found.a, found.b)]
    lines = []
    for name, values, where in (("A", found.a, bad[0]), ("B", found.b, bad[1])):
        if where.any():
            first = int(np.argmax(where))
            lines.append(
                say["bad"].format(
                    name=name,
                    first=int(found.steps[first]),
                    count=int(where.sum()),
                    nan=int(np.isnan(values).sum()),
                    inf=int(np.isinf(values).sum()),
                    rest=say["rest"] if where[first:].all() else "",
                )
            )
    if (bad[0] & bad[1]).any():
        lines.append(say["bad_both"].format(count=int((bad[0] & bad[1]).sum())))
    return lines


def _later(found: Parting, values: dict, say: dict) -> list:
    if found.jumps is None:
        return [say["gradual"]]
    step = int(found.steps[found.jumps])
    lines = [say["jumps"].format(**values)] if found.jumps != found.differs else []
    return [*lines, say["forward"].format(before=step - 1, at=step)]


def _values(found: Parting, rounding: float, lang: str) -> dict:
    at = found.differs or 0
    largest = int(found.relative.argmax())
    half_unit = found.band.max() > 2 * rounding
    digits = {"zh": "，或仅差在打印的最后一位", "en": ", or but for the last digit printed"}[lang] if half_unit else ""
    say, size = _CASES[lang], float(found.relative[at])
    return {
        "relative": say["relative"].format(size=size) if math.isfinite(size) else say["one_bad"],
        "count": len(found.steps),
        "rounding": rounding,
        "digits": digits,
        "differs": _step(found, found.differs),
        "parts": _step(found, found.parts),
        "jumps": _step(found, found.jumps),
        "times": 10,
        "size": size,
        "a": f"{found.a[at]:.8g}",
        "b": f"{found.b[at]:.8g}",
        "largest": found.relative[largest],
        "largest_at": _step(found, largest),
    }


def _step(found: Parting, at) -> str:
    return "-" if at is None else str(int(found.steps[at]))


def notes(found: Parting, lang: str) -> list:
    """What had to be assumed, a sentence each."""
    lines = []
    for note in found.notes:
        key, _, value = note.partition(":")
        lines.append(_NOTES[lang][key].format(value=value or f"{found.offset:+d}"))
    return lines


def rows(found: Parting) -> list:
    """The steps worth showing: the first, those around where they differ, jump and part, the last."""
    count = len(found.steps)
    around = [at + d for at in (found.differs, found.jumps, found.parts) if at is not None for d in (-1, 0, 1)]
    chosen = sorted({at for at in [0, 1, 2, count - 1, *around] if 0 <= at < count})
    return [(int(found.steps[at]), found.a[at], found.b[at], found.relative[at], at) for at in chosen]
