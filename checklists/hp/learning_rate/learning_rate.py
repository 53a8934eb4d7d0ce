"""Whether the learning rate suits the network: the course of the run beside a range test (hp.01)."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.constant_prediction import (
    BesideConstant,
    constant_loss,
    learning_outcome,
    training_losses,
)
from msprec.checklists.common.findings import at, loss_figure, rate_figure
from msprec.checklists.common.further_training import REWARDS
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.setting_origin import RATE, argument_origin
from msprec.checklists.common.training_curves import epochs_of
from msprec.checklists.common.training_segments import last_rows, last_training_start
from msprec.checklists.common.weight_updates import nothing_updated
from msprec.checklists.hp.learning_rate.beyond_end import (
    bursts,
    finite_at_lower,
    learnt_by_heart,
    only_by_heart,
    outdone_beyond_end,
    too_small_beyond_end,
)
from msprec.checklists.hp.learning_rate.collapsed_rate import collapse_of, collapsed
from msprec.checklists.hp.learning_rate.lasting_momentum import lasting_momentum
from msprec.checklists.hp.learning_rate.moved_weights import hardly_moved, moved, went_astray
from msprec.checklists.hp.learning_rate.trials import Better, better_rate
from msprec.engine.finding import Evidence, Finding, figure, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import Curve

_NO_BOUNDS = {
    "few": Text("步数太少", "too few steps"),
    "flat": Text("loss 在噪声之外没有下降", "the loss does not fall beyond its noise"),
    "rough": Text("loss 忽高忽低，读不出界限", "the loss bounces, so that no bounds can be read off"),
    "diverged_at_once": Text(
        "从最低的学习率起 loss 就上升或不是有限值", "the loss rises, or is not finite, from the lowest rate on"
    ),
}


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
        spread, peak = run_data.limit("hp.01.swing_spread"), run_data.limit("hp.01.swing_peak")
        swings = float(tail.std()) > spread * abs(first) and float(tail.max()) > peak * abs(first)
        return Course("swings" if swings else "still", *numbers)
    return Course("falls", *numbers)


def judge_rate(run_data: RunData) -> Finding:
    """As `_judged`; in reinforcement learning a problem only where the loss grows beyond doubt, the rate is 0, or the weights
    of a weighed loss hardly moved."""
    found = _judged(run_data)
    weighed = any(own.final and own.weighed for own in run_data.probes.own_losses)
    told = found.conclusion != "problem" or weighed or _used(run_data) == 0 or not run_data.find_lines(REWARDS, 1)
    if told or _growth(run_data, course(run_data), learning_outcome(run_data)) is not None:
        return found
    made = undecided(
        Text(
            "强化学习的数据随权重而变，loss 的走势和范围测试都不说明学习情况：{says}",
            "In reinforcement learning the data follow the weights, and neither the course of the loss nor a range test tells "
            "what is learnt: {says}",
            says=found.summary,
        ),
        Text(
            "看平均回报（return）的变化，用几个学习率各训练一次并比较。",
            "Look at the mean return, and compare trainings with a few rates.",
        ),
        found.evidence,
    )
    made.locations = found.locations
    return made


def _judged(run_data: RunData) -> Finding:
    """Problem: the run diverges; it swings or does not move, and the range test puts the rate outside its bounds; or the loss
    still falls at the end with a rate far below the bounds. Nothing is ok on a training that learnt nothing."""
    seen, outcome = course(run_data), learning_outcome(run_data)
    # neither is None where the verdict is another than "unknown"
    used: Any = _used(run_data)
    curve: Any = _curve(run_data)
    verdict = curve.judge(used).verdict if curve is not None and used else "unknown"
    evidence = [
        _table(run_data, seen, used, curve, outcome),
        _figure(used, curve),
        rate_figure(run_data),
        loss_figure(run_data),
    ]
    optimizers = _optimizers(run_data)
    places = [optimizer.place for optimizer in optimizers]
    places += [at for one in optimizers for at in argument_origin(run_data, one.place, RATE, one.class_ or "")]
    if used == 0:
        return _zero(evidence, places, [load.place for load in run_data.loads if load.optimizer and load.place])
    grown = _growth(run_data, seen, outcome)
    if (grown is not None or seen.kind in ("diverged", "swings")) and nothing_updated(run_data):
        grown, seen = None, seen if seen.first is None else seen._replace(kind="still")
        verdict = "unknown" if verdict == "too_large" else verdict
    if grown is not None and seen.kind != "diverged":
        seen = seen._replace(kind="diverged", first=grown.first, last=grown.last)
    if verdict == "too_large" and (grown is not None or seen.kind in ("diverged", "swings", "still")):
        return _too_large(seen, used, curve, evidence, places)
    if grown is not None:
        return _diverges(used, grown, curve, evidence, places)
    lasting = lasting_momentum(run_data, optimizers, evidence)
    if lasting is not None:
        return lasting
    if any(own.final and own.weighed for own in run_data.probes.own_losses):
        return _of_weighed_loss(run_data, used, evidence, places)
    good = _good_from_the_start(run_data, seen)
    if good is not None:
        inside = seen.kind == "falls" and verdict == "inside"
        return _inside(seen, used, curve, evidence, verdict) if inside else _tuned(seen, used, good, evidence, places)
    by_heart = learnt_by_heart(run_data)
    better = better_rate(run_data, curve, _losses_of(run_data, seen)[1], outcome)
    better = better if better is None or better.rate < used or not by_heart else None
    ended = collapse_of(run_data)
    little = outcome.gain is not None and outcome.gain < run_data.limit("td.01.well")
    if ended is not None and (better is not None or little or outcome.verdict in ("nothing", "hardly")):
        return collapsed(run_data, ended, better, evidence, places)
    if better is not None:
        return _outdone_in_trials(used, better, evidence, places)
    burst = finite_at_lower(run_data)
    if burst is not None:
        return bursts(run_data, burst, evidence, places)
    beyond = outdone_beyond_end(run_data)
    if beyond is not None and seen.kind != "diverged":
        return too_small_beyond_end(used, beyond, evidence, places)
    change = moved(run_data, used, optimizers) if used else None
    if change is not None:
        told = went_astray(run_data, used, outcome, change, evidence, places)
        told = told or hardly_moved(run_data, used, outcome, change, evidence, places)
        if told is not None:
            return told
    if by_heart and verdict == "too_small":
        return only_by_heart(used, evidence, places)
    rising = _rising_words(run_data)
    if seen.kind == "still" and (
        verdict == "too_small" or (verdict == "inside" and run_data.limit("hp.01.late") * used <= curve.for_good)
    ):
        return _too_small(seen, used, curve, evidence, places, rising)
    below = curve.lower / used if verdict == "too_small" and curve.lower else 0.0
    far = run_data.limit("hp.01.far_below")
    # a loss without a floor at 0 falls ever faster with the rate: no bound of the test means a thing then
    bottomless = seen.kind == "falls" and seen.last < 0
    # a test of one step a rate is late by ten times at the most
    if (
        below >= far
        and not bottomless
        and (below >= run_data.limit("hp.01.late") * far or not _fell_well(run_data, seen))
    ):
        return _too_small(seen, used, curve, evidence, places, rising)
    if verdict == "too_large" and _outdone(run_data, seen, curve):
        return _behind(seen, used, curve, evidence, places)
    if outcome.verdict in ("nothing", "diverged") and None not in (outcome.constant, outcome.end):
        return _learnt_nothing(run_data, used, curve, verdict, outcome, evidence, places)
    if seen.kind == "falls" and verdict != "unknown":
        if _outrun(run_data, seen, curve, used):
            return _too_slow(seen, used, curve, evidence, places)
        if outcome.verdict != "learnt" and _far_behind(run_data, seen, curve):
            return _open_behind(seen, used, curve, evidence, places)
        return _inside(seen, used, curve, evidence, verdict)
    if verdict == "unknown" and used and _converged(run_data, seen) and outcome.verdict != "hardly":
        return _worked(seen, used, evidence)
    return _open(run_data, seen, used, curve, verdict, evidence, places)


class Growth(NamedTuple):
    """A training that diverged: the first loss, the last finite one, the step at which it was first not finite (or None)."""

    first: float
    last: float
    steps: int
    nonfinite: Optional[int]


def _growth(run_data: RunData, seen: Course, outcome: BesideConstant) -> Optional[Growth]:
    """The growth of the loss, where that is beyond doubt.

    The loss ends hp.01.diverged times above its start and above the best constant prediction; where that constant is not
    known, or the steps are few, it grew a thousandfold to its end; or it is not finite to the end after it had grown
    hp.01.exploded times. A NaN out of a loss that had not grown has another cause (mp.01), and so has one of the first step.
    """
    numbers, losses = _skipped_to_the_end(run_data) or _losses_of(run_data, seen)
    bad = np.flatnonzero(~np.isfinite(losses))
    sound = losses[: bad[0]] if bad.size else losses
    if len(sound) < 2 or not sound[0] > 0:
        return None
    few = len(sound) < run_data.limit("hp.01.min_steps")
    tail = sound[-1:] if bad.size or few else sound[-max(3, len(sound) // 10) :]
    first, last = float(sound[0]), float(np.median(tail))
    grown = Growth(first, last, len(losses), int(numbers[bad[0]]) if bad.size else None)
    constant = outcome.constant.value if outcome.constant is not None else 0.0
    if bad.size:
        after = losses[bad[0] :][np.isfinite(losses[bad[0] :])]  # here and there a step is finite again
        high = after.min(initial=math.inf) >= run_data.limit("hp.01.exploded") * first
        lasting = high and len(after) <= 0.1 * (len(losses) - bad[0])
        return grown if lasting and last >= run_data.limit("hp.01.exploded") * first else None
    if constant and not few:
        return grown if last >= run_data.limit("hp.01.diverged") * max(first, constant) else None
    high = last >= run_data.limit("hp.01.exploded") * max(first, constant)
    return grown if high and _unambiguous(run_data, sound) else None


def _skipped_to_the_end(run_data: RunData) -> Optional[tuple]:
    """Step numbers and losses of the last training with those of skipped steps, where hardly any of its second half is finite: it
    was over then, and no loss scale is being looked for."""
    steps, rows = run_data.steps(), last_rows(run_data)
    if rows is None or "loss" not in steps or not rows.size:
        return None
    rows = rows & steps.seen("loss")
    losses = np.asarray(steps["loss"], float)[rows]
    over = len(losses) >= run_data.limit("hp.01.min_steps") and np.isfinite(losses[len(losses) // 2 :]).mean() <= 0.1
    return (np.asarray(steps["step"], float)[rows], losses) if over else None


def _losses_of(run_data: RunData, seen: Course) -> tuple:
    """Step numbers and losses of the last training, without the steps that were skipped for overflow; empty without."""
    found = run_data.once(training_losses) if seen.kind != "turns" else None
    return found if found is not None else (np.zeros(0), np.zeros(0))


def _unambiguous(run_data: RunData, losses: np.ndarray) -> bool:
    """Whether a loss grew to the end and out of proportion: no reward that rises, and no class that comes last."""
    ratio = float(losses[-1] / losses[0])
    rising = bool((np.diff(losses[-4:]) > 0).all()) and len(losses) >= 4
    high = float(losses[-1]) >= run_data.limit("hp.01.stays_high") * float(losses.max())
    return ratio >= run_data.limit("hp.01.grew") and high and (rising or len(losses) >= 30)


def _good_from_the_start(run_data: RunData, seen: Course) -> Optional[float]:
    """The loss of the best constant prediction, where the training began with a network that was far below it already, as a
    loaded one is, and left it so: how far it is to move is then a matter of purpose. None of any other training."""
    constant = run_data.once(constant_loss)
    trained = bool(run_data.loads) or last_training_start(run_data) > 0
    if seen.kind not in ("still", "falls") or constant is None or not trained:
        return None
    found = _losses_of(run_data, seen)[1][:3].mean()
    good = max(found, seen.first, seen.last) <= run_data.limit("hp.01.open") * constant.value
    return constant.value if good else None


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
    """The largest rate of the run (of its last training, where there are several): of the recorded steps and of the groups of
    parameters, or as the optimizer was given it."""
    used = _optimizers(run_data)
    # the steps hold the rate of the first group
    groups = [rate for optimizer in used for group in optimizer.learning_rate.groups or [] for rate in group]
    steps = run_data.steps()
    if "lr" in steps:
        rates = _rates(run_data)
        rates = rates[np.isfinite(rates)]
        if rates.size:
            return max([float(rates.max()), *(rate for rate in groups if rate is not None and math.isfinite(rate))])
    known = [o.learning_rate for o in used if o.learning_rate]
    values = [rate for one in known[:1] for rate in (one.first, one.last, one.value) if rate is not None]
    return max(values, default=None)


def _optimizers(run_data: RunData) -> list:
    """Those that were used in the run, or in the last of its trainings."""
    begun = last_training_start(run_data)
    used = [optimizer for optimizer in run_data.optimizers if optimizer.used is not False]
    return [one for one in used if not begun or len(one.steps) != 2 or one.steps[1] > begun]


def _rates(run_data: RunData) -> np.ndarray:
    """The rate of each step of the run, or of its last training."""
    rows = last_rows(run_data)
    seen = run_data.steps().seen("lr")
    return np.asarray(run_data.steps()["lr"], float)[seen if rows is None else rows & seen]


def _of_another_training(run_data: RunData) -> bool:
    """Whether the range test was made with an optimizer of an earlier training, of which nothing follows for the last."""
    tested, classes = run_data.range_test.optimizer, {one.class_ for one in _optimizers(run_data)}
    return bool(tested and last_training_start(run_data) and None not in classes) and tested not in classes


def _curve(run_data: RunData) -> Optional[Curve]:
    facts = run_data.range_test
    if _of_another_training(run_data):
        return None
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


def _diverges(used: Optional[float], grown: Growth, curve: Optional[Curve], evidence: list, places: list) -> Finding:
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
        rate=_bound(steepest) if steepest is not None else Text("十分之一或更低", "a tenth or less"),
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
            used=_bound(used),
        ),
        fix,
        evidence,
        places,
    )


def _of_weighed_loss(run_data: RunData, used: float, evidence: list, places: list) -> Finding:
    """Of a loss that other numbers of the batch weigh, as advantages do in a policy gradient: its course tells nothing of what is
    learnt, and how far the weights went is all that is known."""
    known = [one.moved.relative for one in run_data.parameters if one.requires_grad and one.kind == "weight"]
    moved = max([one for one in known if one is not None], default=None)
    if (
        moved is not None
        and moved < run_data.limit("hp.01.moved")
        and run_data.training_steps >= run_data.limit("hp.01.moved_steps")
    ):
        return problem(
            Text(
                "学习率 {used} 过小：{steps} 步训练后，权重的变化最多只有其范数的 {moved}"
                "（loss 被优势等数值加权，其走势不说明学习情况）。",
                "The learning rate of {used} is too small: {steps} steps changed the weights by {moved} of their norm at most "
                "(the loss is weighed by advantages or the like, and its trend does not tell what is learnt).",
                used=used,
                steps=run_data.training_steps,
                moved=f"{100 * moved:.2g} %",
            ),
            Text("提高学习率，或训练更多步。", "Raise the learning rate, or train for more steps."),
            evidence,
            places,
        )
    gone = _gone_since(run_data)
    if gone is not None and moved is not None and moved > run_data.limit("hp.01.moved_far"):
        return problem(
            Text(
                "学习率 {used} 过大：权重的变化达到其范数的 {moved} 倍，第 {step} 步起 loss 几乎恒为 0："
                "输出的概率已全部饱和为 0 或 1，梯度为 0。",
                "The learning rate of {used} is too large: it moved the weights by {moved} times their norm, and from step "
                "{step} on the loss is 0 nearly always: the probabilities are all 0 or 1, their gradients 0.",
                used=used,
                moved=float(f"{moved:.2g}"),
                step=gone,
            ),
            Text("把学习率降到百分之一左右再运行。", "Lower it to about a hundredth and run again."),
            evidence,
            places,
        )
    return undecided(
        Text(
            "学习率 {used}；loss 被 batch 中的其他数值（如优势）加权，它的走势和范围测试都不说明学习情况。",
            "The learning rate is {used}; other numbers of the batch, such as advantages, weigh the loss, so that neither its "
            "trend nor a range test tells what is learnt.",
            used=used if used is not None else Text("未记录", "not recorded"),
        ),
        Text(
            "看平均回报（return）随训练的变化，用几个学习率各训练一次并比较。",
            "Look at the mean return over the training, and compare short trainings with a few rates.",
        ),
        evidence,
        places,
    )


def _gone_since(run_data: RunData) -> Optional[int]:
    """The first step at which a loss is 0 that is so in most of the second half of the steps; None of any other."""
    found = run_data.once(training_losses)
    if found is None or len(found[1]) < run_data.limit("hp.01.moved_steps"):
        return None
    steps, losses = found
    gone = losses == 0
    return int(steps[np.argmax(gone)]) if gone[len(gone) // 2 :].mean() >= 0.8 and not gone[0] else None


def _outdone_in_trials(used: float, better: Better, evidence: list, places: list) -> Finding:
    small = better.rate > used
    return problem(
        Text(
            "学习率 {used} 过{way}：从同样的初始权重出发、在同样的 batch 上训练 {steps} 步，学习率 {rate} 把 loss 从 {first} "
            "降到 {reached}，而 {used} 得到 {own}；整个训练结束时为 {end}。",
            "The learning rate of {used} is too {way}: from the same first weights, {steps} steps on the same batches bring the "
            "loss from {first} to {reached} at a rate of {rate} and to {own} at {used}; the whole training ended at {end}.",
            way=Text("小", "small") if small else Text("大", "large"),
            used=used,
            rate=_bound(better.rate),
            steps=better.steps,
            first=better.first,
            reached=better.reached,
            own=_or_nan(better.own),
            end=_or_nan(better.end),
        ),
        Text("把学习率设为约 {rate} 再运行。", "Set it to about {rate} and run again.", rate=_bound(better.rate)),
        evidence,
        places,
    )


def _tuned(seen: Course, used: float, constant: float, evidence: list, places: list) -> Finding:
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


def _learns_at(curve: Optional[Curve], outcome: BesideConstant, share: float) -> bool:
    """Whether the range test came well below the constant prediction at some rate."""
    if curve is None or curve.unavailable_reason is not None:
        return False
    return curve.reached()[1] < share * outcome.constant_value


def _learnt_nothing(run_data, used, curve, verdict, outcome: BesideConstant, evidence: list, places: list) -> Finding:
    """The end of the training is no better than a constant prediction: a problem of the rate only where another is shown to
    learn."""
    learns = _learns_at(curve, outcome, run_data.limit("hp.01.learns"))
    if learns and verdict in ("too_small", "too_large"):
        return problem(
            Text(
                "训练什么也没有学到：{what}；学习率 {used} 在范围测试的界限之外{bounds}，而测试在界限之内把 loss 降到 {best}。",
                "The training learnt nothing: {what}; the learning rate of {used} lies outside the bounds of the range test"
                "{bounds}, which brings the loss down to {best} inside them.",
                what=outcome.words(),
                used=used,
                bounds=_bounds(curve),
                best=curve.reached()[1],
            ),
            Text(
                "把学习率设为约 {steepest}（范围测试中 loss 下降最快处）再运行。",
                "Set it to about {steepest}, where the loss falls most steeply in the range test, and run again.",
                steepest=_bound(curve.steepest),
            ),
            evidence,
            places,
        )
    beside = (
        Text(
            "；范围测试的最低 loss 为 {best}",
            "; the lowest loss of the range test is {best}",
            best=curve.reached()[1],
        )
        if curve is not None and curve.unavailable_reason is None
        else Text("", "")
    )
    return undecided(
        Text(
            "训练什么也没有学到：{what}{beside}；没有证据表明原因是学习率 {used}。",
            "The training learnt nothing: {what}{beside}; the learning rate of {used} is not shown to be the reason.",
            what=outcome.words(),
            beside=beside,
            used=_bound(used),
        ),
        Text(
            "先看数据、标签、网络与 loss 的检查项（ds、dp、cg、wi）；再用 `msprec lr SCRIPT` 看是否有学习率能使 loss 降到 "
            "{value} 以下。",
            "See the items on data, labels, network and loss (ds, dp, cg, wi) first; then let `msprec lr SCRIPT` tell whether "
            "any rate brings the loss below {value}.",
            value=outcome.constant_value,
        ),
        evidence,
        places,
    )


def _far_behind(run_data: RunData, seen: Course, curve: Curve) -> bool:
    """Whether a run of several times the test's steps gained less than half of what the test did: its end is held against the
    test's minimum."""
    if curve.unavailable_reason is not None or seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses):
        return False
    first, best = curve.reached()
    return seen.last - best > run_data.limit("hp.01.left_behind") * (first - best) > 0


def _outrun(run_data: RunData, seen: Course, curve: Curve, used: float) -> bool:
    """Whether the range test came down twice as far as the run did, at rates of ten times the run's and more, on batches that it
    had seen no more often than the run.

    The run went over the same batches first: where they are easier than the rest, as those of one class are, its own loss on
    them is as low.
    """
    batches = run_data.range_test.batches or 0
    best = curve.lowest_at(batches * max(1, epochs_of(run_data) or 0))
    if (
        best is None
        or seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses)
        or _still_rising(run_data)
    ):
        return False
    own = _losses_of(run_data, seen)[1][: min(batches, best + 1)]
    first, lowest = curve.reached()[0], float(curve.smoothed[best])
    level = lowest + run_data.limit("hp.01.left_behind") * (first - lowest)
    near = own[-max(3, len(own) // 5) :].mean() if len(own) else math.nan
    return bool(
        curve.rates[best] >= run_data.limit("hp.01.late") * used and lowest > 0 and min(seen.last, near) > level
    )


def _beside_test(seen: Course, used: float, curve: Curve) -> dict:
    """What a sentence says of the run beside the range test."""
    run = {"used": used, "steps": seen.steps, "first": seen.first, "last": seen.last}
    return {**run, "count": len(curve.losses), "best": curve.reached()[1]}


def _raise_to_steepest(curve: Curve) -> Text:
    return Text(
        "把学习率提高到约 {steepest}（范围测试中 loss 下降最快处）。",
        "Raise it to about {steepest}, where the loss falls most steeply in the range test.",
        steepest=_bound(curve.steepest),
    )


def _too_slow(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
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


def _open_behind(seen: Course, used: float, curve: Curve, evidence: list, places: list) -> Finding:
    return undecided(
        Text(
            "学习率 {used}，{steps} 步训练把 loss 从 {first} 降到 {last}，而范围测试在 {count} 步内降到 {best}；"
            "测试只用了少数 batch，不能由此断定学习率不当。",
            "The learning rate is {used}; {steps} steps of training brought the loss from {first} to {last}, where the range "
            "test came to {best} within {count} steps. It saw few batches, so the rate is not shown to be wrong.",
            **_beside_test(seen, used, curve),
        ),
        Text(
            "用约 {steepest} 的学习率再训练一次，比较结尾的 loss。",
            "Train once more at about {steepest} and compare the loss at the end.",
            steepest=_bound(curve.steepest),
        ),
        evidence,
        places,
    )


def _still_rising(run_data: RunData) -> bool:
    """Whether the rate only grew, to the last step: a warm-up as long as the training, or longer."""
    rates = _rates(run_data) if "lr" in run_data.steps() else np.zeros(0)
    if len(rates) < 10 or not np.isfinite(rates).all():
        return False
    return bool((np.diff(rates) >= 0).all()) and float(rates[-1]) > run_data.limit("hp.01.warming") * float(
        rates[len(rates) // 2]
    )


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
        _raise_to_steepest(curve),
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
            bound=_bound(curve.upper if curve.upper is not None else curve.diverged),
            **_beside_test(seen, used, curve),
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


def _zero(evidence: list, places: list, loaded: list) -> Finding:
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


def _inside(seen: Course, used: float, curve: Curve, evidence: list, verdict: str) -> Finding:
    words = {
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
    }[verdict]
    values = {"used": used, "bounds": _bounds(curve), "first": seen.first, "last": seen.last}
    return ok(Text(words.zh, words.en, **values), evidence)


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
    if _of_another_training(run_data):
        why = Text(
            "范围测试用的是此前另一次训练的优化器（{name}）",
            "the range test was made with the optimizer of an earlier training ({name})",
            name=run_data.range_test.optimizer,
        )
        then = Text(
            "把最后这次训练单独写成一个脚本，再用 `msprec lr SCRIPT` 测试。",
            "Put the last training into a script of its own and test it with `msprec lr SCRIPT`.",
        )
    elif curve is None:
        why, then = skipped(run_data, "range_test"), remedy(run_data, "range_test")
    elif verdict == "unknown":
        why = Text(
            "范围测试没有给出界限（{why}）",
            "the range test gave no bounds ({why})",
            why=_NO_BOUNDS.get(
                curve.unavailable_reason, Text("学习率在测试范围之外", "the rate lies outside the sweep")
            ),
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
            "先看其他检查项（数据、标签、loss、初始化），再以更小的学习率或预热重新运行。",
            "See the other items (data, labels, loss, initial weights) first; then try a smaller rate or a warm-up.",
        )
    if seen.kind == "diverged" and seen.first is None:
        then = Text(
            "先看 mp.01 所指的首个非有限值：loss 变为 NaN/Inf 之前没有上升，原因多半不是学习率。",
            "See the first non-finite value that mp.01 names: the loss had not grown before it, so the rate is hardly the "
            "reason.",
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
        "diverged": Text("发散（loss 从 {first} 到 {last}）", "diverges (loss {first} to {last})")
        if seen.first is not None
        else Text("的 loss 变为 NaN/Inf", "ends in losses that are not finite"),
        "swings": Text("大幅震荡", "swings widely"),
        "still": Text("没有进展（loss 从 {first} 到 {last}）", "makes no progress (loss {first} to {last})"),
        "falls": Text("的 loss 从 {first} 降到 {last}", "brings the loss from {first} to {last}"),
        "turns": Text(
            "由几个优化器轮流更新，它们的 loss 不是一条曲线",
            "has optimizers that take turns, whose losses make no one curve",
        ),
    }.get(seen.kind, Text("的步数太少（{steps} 步），无法判断走势", "is too short to show a trend ({steps} steps)"))
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


def _table(
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
        why = _NO_BOUNDS[curve.unavailable_reason]
        rows += [[Text("范围测试：没有界限", "range test: no bounds"), why]]
        rows += [[Text("范围测试：发散", "range test: diverges"), _bound(curve.diverged)]]
    elif curve is not None:
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
