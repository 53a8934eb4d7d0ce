"""Whether the learning rate suits the network: the course of the run beside a range test (hp.01)."""

import math
from typing import Any, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.constant_prediction import (
    BesideConstant,
    learning_outcome,
    training_losses,
)
from msprec.checklists.common.custom_loss import lowers_rewards
from msprec.checklists.common.findings import loss_figure, rate_figure, train_sets
from msprec.checklists.common.given_gradients import given_share
from msprec.checklists.common.loss_rules import computed_twice, sign_turned, times_smaller
from msprec.checklists.common.manual_loss_scaling import keeps_scale
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.reinforcement import learns_by_rewards
from msprec.checklists.common.setting_origin import RATE, argument_origin
from msprec.checklists.common.target_scale import target_scale
from msprec.checklists.common.training_curves import epochs_of
from msprec.checklists.common.weight_updates import lacks_weights, nothing_updated, sort_parameters
from msprec.checklists.hp.learning_rate.beyond_end import (
    bursts,
    ended_too_early,
    finite_at_lower,
    learnt_by_heart,
    moves_in_time,
    only_by_heart,
    outdone_beyond_end,
    too_small_beyond_end,
)
from msprec.checklists.hp.learning_rate.collapsed_rate import STEPPED, collapse_of, collapsed
from msprec.checklists.hp.learning_rate.lasting_momentum import lasting_momentum
from msprec.checklists.hp.learning_rate.loss_course import (
    Course,
    blown_up,
    converged,
    course,
    fell_well,
    good_from_the_start,
    growth_of,
    losses_of_course,
    lost_again,
    of_another_training,
    optimizers_of,
    rates_of,
    still_rising,
)
from msprec.checklists.hp.learning_rate.moved_weights import hardly_moved, moved, out_of_reach, went_astray
from msprec.checklists.hp.learning_rate.rate_findings import (
    NO_BOUNDS,
    behind_test,
    bound_words,
    bounds_words,
    course_words,
    diverges,
    inside_bounds,
    leapt,
    lost_what_it_learnt,
    open_behind_test,
    open_below_bounds,
    outdone_in_trials,
    outdone_when_standardised,
    range_test_figure,
    range_test_table,
    rate_of_zero,
    too_large,
    too_slow,
    too_small,
    tuned,
    worked_all_the_same,
)
from msprec.checklists.hp.learning_rate.rising_rate import warm_up_without_end
from msprec.checklists.hp.learning_rate.trials import better_rate, better_when_standardised
from msprec.checklists.hp.learning_rate.wide_inputs import wide_input
from msprec.checklists.td.scales.drowned_terms import unscaled_term
from msprec.checklists.wi.zero_initialization.constant_initialization import starts
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import Curve


def judge_rate(run_data: RunData) -> Finding:
    """As `_judged`; in reinforcement learning a problem only where the loss grows beyond doubt, the rate is 0, or the weights
    of a weighed loss hardly moved."""
    found = _judged(run_data)
    if found.conclusion != "problem":
        return found
    grown = growth_of(run_data, course(run_data), learning_outcome(run_data))
    held = _settled_first(run_data) or (_held_back(run_data) if grown is None else None)
    if held is not None:
        # a momentum that outlasts the training is too large at any scale
        return lasting_momentum(run_data, optimizers_of(run_data), found.evidence) or _after(found, *held)
    weighed = any(own.final and own.weighed for own in run_data.probes.own_losses)
    if weighed or _used(run_data) == 0 or not learns_by_rewards(run_data) or grown is not None:
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


def _settled_first(run_data: RunData) -> Optional[tuple]:
    """``(why, item)`` where what another item says makes updates or errors of another size, at any rate."""
    own_losses = run_data.probes.own_losses
    if sign_turned(run_data) or any(lowers_rewards(own, run_data) for own in own_losses):
        why = Text(
            "loss 的符号反了（cg.04），误差在任何学习率下都会增大，学习率要在改正之后再判断",
            "The sign of the loss is turned (cg.04): at any rate the error grows, so the rate is for judging after that",
        )
        return why, "cg.04"
    if keeps_scale(run_data):
        why = Text(
            "loss 乘了 loss scale，而梯度没有除以它（mp.02）：更新大了同样的倍数，学习率要在改正之后再判断",
            "The loss is multiplied by a scale that the gradients are never divided by (mp.02): the updates are many times too "
            "large, so the rate is for judging after that",
        )
        return why, "mp.02"
    far = "dp.01" if any(target_scale(run_data, one) for one in train_sets(run_data)) else None
    far = far or ("td.08" if unscaled_term(run_data) is not None else None)
    if far is not None:
        why = Text(
            "回归目标未经标准化，尺度过大（{item}）：合适的学习率取决于目标的尺度，要在改正之后再判断",
            "The targets are far too large in scale ({item}), and the rate that suits depends on it: it is for judging after "
            "that",
            item=far,
        )
        return why, far
    return None


def _held_back(run_data: RunData) -> Optional[tuple]:
    """``(why, item)`` where weights cannot learn at any rate, so that another one which does better with the rest says little."""
    left_out = sort_parameters(run_data).left_out
    if left_out and any(one.kind == "weight" for one in left_out):
        why = Text(
            "有可训练的权重不在优化器中（cg.02）：学习率再高它们也不会学习，要在改正之后再判断",
            "Trainable weights are not in the optimizer (cg.02) and learn at no rate, so the rate is for judging after that",
        )
        return why, "cg.02"
    weights = starts(run_data.parameters)
    if weights and all(one.state and not one.excuse for one in weights):
        why = Text(
            "所有权重都从同一个常数开始（wi.01）：各单元始终相同，学习率要在改正之后再判断",
            "All weights start at one constant (wi.01) and their units stay alike, so the rate is for judging after that",
        )
        return why, "wi.01"
    return None


def _judged(run_data: RunData) -> Finding:
    """Problem: the run diverges; it swings or does not move, and the range test puts the rate outside its bounds; or the loss
    still falls at the end with a rate far below the bounds. Nothing is ok on a training that learnt nothing."""
    seen, outcome = course(run_data), learning_outcome(run_data)
    # neither is None where the verdict is another than "unknown"
    used: Any = _used(run_data)
    curve: Any = _curve(run_data)
    verdict = curve.judge(used).verdict if curve is not None and used else "unknown"
    evidence = [
        range_test_table(run_data, seen, used, curve, outcome),
        range_test_figure(used, curve),
        rate_figure(run_data),
        loss_figure(run_data),
    ]
    optimizers = optimizers_of(run_data)
    places = [optimizer.place for optimizer in optimizers]
    places += [at for one in optimizers for at in argument_origin(run_data, one.place, RATE, one.class_ or "")]
    if still_rising(run_data):
        places = [*run_data.find_lines(STEPPED, 3), *places]
    if used == 0:
        return rate_of_zero(evidence, places, [load.place for load in run_data.loads if load.optimizer and load.place])
    grown = growth_of(run_data, seen, outcome)
    if (grown is not None or seen.kind in ("diverged", "swings")) and nothing_updated(run_data):
        grown, seen = None, seen if seen.first is None else seen._replace(kind="still")
        verdict = "unknown" if verdict == "too_large" else verdict
    if grown is not None and seen.kind != "diverged":
        seen = seen._replace(kind="diverged", first=grown.first, last=grown.last)
    if verdict == "too_large" and (grown is not None or seen.kind in ("diverged", "swings", "still")):
        return too_large(seen, used, curve, wide_input(run_data, used, curve), evidence, places)
    if grown is not None:
        return diverges(used, grown, curve, evidence, places)
    lost = lost_again(run_data, seen, outcome)
    if lost is not None and curve is not None and curve.upper is not None and used > curve.upper:
        return lost_what_it_learnt(used, lost, curve, outcome, evidence, places)
    lasting = lasting_momentum(run_data, optimizers, evidence)
    if lasting is not None:
        return lasting
    leap = blown_up(run_data, seen, outcome) if verdict != "too_small" and outcome.constant is not None else None
    if leap is not None:
        return leapt(used, leap, outcome, evidence, places)
    if any(own.final and own.weighed for own in run_data.probes.own_losses):
        return _of_weighed_loss(run_data, used, evidence, places)
    good = good_from_the_start(run_data, seen)
    if good is not None:
        inside = seen.kind == "falls" and verdict == "inside"
        return (
            inside_bounds(seen, used, curve, evidence, verdict) if inside else tuned(seen, used, good, evidence, places)
        )
    by_heart = learnt_by_heart(run_data)
    better = better_rate(run_data, curve, losses_of_course(run_data, seen)[1], outcome)
    better = better if better is None or better.rate < used or not by_heart else None
    ended = collapse_of(run_data)
    little = outcome.gain is not None and outcome.gain < run_data.limit("hp.01.half_way")
    if ended is not None and (better is not None or little or outcome.verdict in ("nothing", "hardly")):
        return collapsed(run_data, ended, better, evidence, places)
    never_warm = warm_up_without_end(run_data, evidence, places)
    if never_warm is not None:
        return never_warm
    in_time = moves_in_time(run_data) if better is None or better.rate > used else None
    if in_time is not None:
        return ended_too_early(used, in_time, evidence)
    if better is not None:
        found = outdone_in_trials(used, better, evidence, places)
        # so far above that gradients of full size would want more as well
        far_above = better.rate >= run_data.limit("hp.01.far_below") * times_smaller(run_data) * used
        squashed = better.rate > used and not (far_above and computed_twice(run_data))
        return _unless_squashed(run_data, found) if squashed else found
    told = _beside_course(run_data, used, seen, outcome, evidence, places)
    if told is not None:
        return told
    if by_heart and verdict == "too_small":
        return only_by_heart(used, evidence, places)
    rising = _rising_words(run_data)
    # a training that has become worse had got further with the same rate
    slow = verdict == "too_small" or (verdict == "inside" and run_data.limit("hp.01.late") * used <= curve.for_good)
    if seen.kind == "still" and slow and not seen.worse:
        return _unless_squashed(run_data, too_small(seen, used, curve, evidence, places, rising))
    below = curve.lower / used if verdict == "too_small" and curve.lower else 0.0
    far = run_data.limit("hp.01.far_below")
    # a loss without a floor at 0 falls ever faster with the rate: no bound of the test means a thing then
    bottomless = seen.kind == "falls" and seen.last < 0
    # a test of one step a rate is late by ten times at the most
    if (
        below >= far
        and not bottomless
        and (below >= run_data.limit("hp.01.late") * far or not fell_well(run_data, seen))
    ):
        return _unless_squashed(run_data, too_small(seen, used, curve, evidence, places, rising))
    if verdict == "too_large" and _outdone(run_data, seen, curve):
        return behind_test(seen, used, curve, evidence, places)
    standardised = better_when_standardised(run_data, outcome)
    if standardised is not None:
        return outdone_when_standardised(used, standardised, evidence, places)
    small = out_of_reach(run_data, used, outcome, evidence, places) if used else None
    if small is not None:
        return small
    if outcome.verdict in ("nothing", "diverged") and None not in (outcome.constant, outcome.end):
        return _learnt_nothing(run_data, used, curve, verdict, outcome, evidence, places)
    barely = outcome.verdict == "unknown" and seen.first is not None and seen.first > 0
    if barely and 1 - seen.last / seen.first < run_data.limit("hp.01.constant"):
        return _open(run_data, seen, used, curve, verdict, evidence, places)
    if seen.kind == "falls" and verdict != "unknown":
        if _outrun(run_data, seen, curve, used):
            return _unless_squashed(run_data, too_slow(seen, used, curve, evidence, places))
        if outcome.verdict != "learnt" and _far_behind(run_data, seen, curve):
            return open_behind_test(seen, used, curve, evidence, places)
        if little and below >= run_data.limit("hp.01.late"):
            return open_below_bounds(used, curve, outcome, evidence, places)
        return inside_bounds(seen, used, curve, evidence, verdict)
    if verdict == "unknown" and used and converged(run_data, seen) and outcome.verdict != "hardly":
        return worked_all_the_same(seen, used, evidence)
    return _open(run_data, seen, used, curve, verdict, evidence, places)


def _beside_course(
    run_data: RunData, used: Any, seen: Course, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """What further training and the change of the weights tell, whatever the course of the loss and the range test."""
    burst = finite_at_lower(run_data)
    if burst is not None:
        return bursts(run_data, burst, evidence, places)
    beyond = outdone_beyond_end(run_data)
    if beyond is not None and seen.kind != "diverged":
        return _unless_squashed(run_data, too_small_beyond_end(used, beyond, evidence, places))
    change = moved(run_data, used, optimizers_of(run_data)) if used else None
    if change is None:
        return None
    told = went_astray(run_data, used, outcome, change, evidence, places)
    return told or hardly_moved(run_data, used, outcome, change, evidence, places)


def _used(run_data: RunData) -> Optional[float]:
    """The largest rate of the run (of its last training, where there are several): of the recorded steps and of the groups of
    parameters, or as the optimizer was given it."""
    used = optimizers_of(run_data)
    # the steps hold the rate of the first group
    groups = [rate for optimizer in used for group in optimizer.learning_rate.groups or [] for rate in group]
    steps = run_data.steps()
    if "lr" in steps:
        rates = rates_of(run_data)
        rates = rates[np.isfinite(rates)]
        if rates.size:
            return max([float(rates.max()), *(rate for rate in groups if rate is not None and math.isfinite(rate))])
    known = [o.learning_rate for o in used if o.learning_rate]
    values = [rate for one in known[:1] for rate in (one.first, one.last, one.value) if rate is not None]
    return max(values, default=None)


def _curve(run_data: RunData) -> Optional[Curve]:
    facts = run_data.range_test
    if of_another_training(run_data):
        return None
    rates, losses = facts.rates, [math.nan if loss is None else float(loss) for loss in facts.losses]
    if len(rates) < 2 or len(rates) != len(losses) or facts.low is None or facts.high is None:
        return None
    if not all(rate is not None and rate > 0 for rate in rates):
        return None
    with np.errstate(all="ignore"):  # losses may be infinite
        return Curve(np.asarray(rates, float), losses, facts.low, facts.high)


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


def _unless_squashed(run_data: RunData, found: Finding) -> Finding:
    """A rate that is too small where an activation is computed twice, which makes gradients small, or where the optimizer lacks
    most of the weights or is given hardly anything of the gradients, need not be so without it."""
    share = given_share(run_data)
    if share is not None and share <= run_data.limit("hp.01.given"):
        return _after(
            found,
            Text(
                "优化器得到的梯度只有计算出的 {share}（td.04；裁剪、系数或 loss scale，见 mp.03），学习率要在改正之后再判断",
                "The optimizer is given {share} times the gradients of its batches (td.04: clipping, a factor, or a loss scale, "
                "see mp.03), so the rate is for judging after that",
                share=share,
            ),
            "td.04",
        )
    if computed_twice(run_data):
        return _after(
            found,
            Text(
                "loss 前的激活被计算了两次（cg.04），梯度因此很小，学习率要在改正之后再判断",
                "An activation is computed twice at the loss (cg.04), which makes gradients small, so the rate is for judging "
                "after that",
            ),
            "cg.04",
        )
    if lacks_weights(run_data):
        return _after(
            found,
            Text(
                "多数可训练权重不在优化器中（cg.02），其余权重要改变得更多，学习率要在改正之后再判断",
                "Most trainable weights are not in the optimizer (cg.02), and the others have the more to change, so the rate is "
                "for judging after that",
            ),
            "cg.02",
        )
    return found


def _after(found: Finding, why: Text, item_id: str) -> Finding:
    """The finding on a rate that is for judging after what another item says."""
    made = undecided(
        Text("{why}：{says}", "{why}: {says}", why=why, says=found.summary),
        Text("先按 {item} 改正，再运行一次。", "Do what {item} says, and run again.", item=item_id),
        found.evidence,
    )
    made.locations = found.locations
    return made


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
                bounds=bounds_words(curve),
                best=curve.reached()[1],
            ),
            Text(
                "把学习率设为约 {steepest}（范围测试中 loss 下降最快处）再运行。",
                "Set it to about {steepest}, where the loss falls most steeply in the range test, and run again.",
                steepest=bound_words(curve.steepest),
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
            used=bound_words(used),
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
    if best is None or seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses) or still_rising(run_data):
        return False
    own = losses_of_course(run_data, seen)[1][: min(batches, best + 1)]
    first, lowest = curve.reached()[0], float(curve.smoothed[best])
    level = lowest + run_data.limit("hp.01.left_behind") * (first - lowest)
    near = own[-max(3, len(own) // 5) :].mean() if len(own) else math.nan
    return bool(
        curve.rates[best] >= run_data.limit("hp.01.late") * used and lowest > 0 and min(seen.last, near) > level
    )


def _rising_words(run_data: RunData) -> Text:
    if not still_rising(run_data):
        return Text("", "")
    return Text(
        "；到最后一步它仍在上升，预热没有结束", "; the rate was still rising at the last step: its warm-up never ended"
    )


def _outdone(run_data: RunData, seen: Course, curve: Curve) -> bool:
    """Whether the range test reached far less at lower rates than the run has at its end, with several times the steps that the
    test took from where its loss began to fall, and no fewer passes over the same batches.

    A rate that is large by right (after a warm-up, with LARS) brings the loss further than the test, not less far.
    """
    batches = run_data.range_test.batches or len(curve.losses)
    lowest = curve.lowest_at(batches * max(1, epochs_of(run_data) or 0))
    if seen.kind != "falls" or lowest is None:
        return False
    fell = lowest + 1 - int(np.searchsorted(curve.rates, curve.lower or 0.0))
    if fell <= 0 or seen.steps < run_data.limit("hp.01.outdone_steps") * fell:
        return False
    first, best = curve.reached()[0], float(curve.smoothed[lowest])
    gained = first - best
    error = 2 * (seen.noise or 0.0) / math.sqrt(max(2, seen.steps // 10))  # of the mean of the last tenth
    return gained > 0 and seen.last > best + run_data.limit("hp.01.outdone") * gained + error


def _open(run_data, seen, used, curve, verdict, evidence, places) -> Finding:
    if of_another_training(run_data):
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
            why=NO_BOUNDS.get(
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
            course=course_words(seen),
            why=why,
        ),
        then,
        evidence,
        places,
    )
