"""Whether the learning rate suits the network: the course of the run beside a range test (hp.01)."""

from functools import cached_property
from typing import Any, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import loss_figure, rate_figure
from msprec.checklists.common.loss.loss_rules import computed_twice, times_smaller
from msprec.checklists.common.script.setting_origin import RATE, argument_origin
from msprec.checklists.common.training.constant_prediction import beneath_floor, learning_outcome
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.weights.cannot_learn import THE_RATE, cannot_learn, judged_after
from msprec.checklists.common.weights.weight_updates import nothing_updated
from msprec.checklists.dp.normalization.check import normalised
from msprec.checklists.dp.shuffling.sample_order import grouped_by_label
from msprec.checklists.hp.learning_rate.after_other_items import (
    SHUFFLE,
    STANDARDISE,
    settled_first,
    unless_squashed,
)
from msprec.checklists.hp.learning_rate.beside_range_test import (
    curve_of,
    far_behind_test,
    outdone_by_test,
    outrun_by_test,
    used_rate,
)
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
from msprec.checklists.hp.learning_rate.collapsed_rate import (
    STEPPED,
    collapse_of,
    collapsed,
    counted_in_epochs,
    decays_over_epochs,
    over_after_epochs,
    over_early,
    steps_named_epochs,
    stood_still_since,
)
from msprec.checklists.hp.learning_rate.decayed_by_hand import decayed_by_hand
from msprec.checklists.hp.learning_rate.exchanged_betas import exchanged_betas
from msprec.checklists.hp.learning_rate.exchanged_momentum import exchanged_momentum
from msprec.checklists.hp.learning_rate.large_eps import large_eps
from msprec.checklists.hp.learning_rate.lasting_momentum import lasting_momentum
from msprec.checklists.hp.learning_rate.loss_course import (
    blown_up,
    converged,
    course,
    fell_well,
    good_from_the_start,
    growth_of,
    losses_of_course,
    lost_again,
    optimizers_of,
    spoilt_by_leap,
    still_rising,
)
from msprec.checklists.hp.learning_rate.moved_weights import (
    far_above_usual,
    far_below_usual,
    hardly_moved,
    is_above_usual,
    is_far_below_usual,
    moved,
    out_of_reach,
    still_on_its_first_way,
    went_astray,
)
from msprec.checklists.hp.learning_rate.open_rate import learnt_nothing, open_rate, rising_words
from msprec.checklists.hp.learning_rate.rate_findings import (
    above_all_tried,
    behind_test,
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
from msprec.checklists.hp.learning_rate.renewed_optimizer import renewed_optimizer
from msprec.checklists.hp.learning_rate.rising_rate import WARM_UP, counted_for_all_ranks, warm_up_without_end
from msprec.checklists.hp.learning_rate.sum_of_rates import sum_of_rates
from msprec.checklists.hp.learning_rate.summed_loss import beside_sum, climbs_by_sum
from msprec.checklists.hp.learning_rate.trials import (
    better_rate,
    better_when_standardised,
    learns_at_own_rate,
    suits_when_standardised,
)
from msprec.checklists.hp.learning_rate.weighed_loss import of_weighed_loss
from msprec.checklists.hp.learning_rate.wide_inputs import wide_input
from msprec.engine.finding import Finding, together, undecided
from msprec.engine.run_data import RunData


def judge_rate(run_data: RunData) -> Finding:
    """As `_judged`; in reinforcement learning a problem only where the loss grows beyond doubt, the rate is 0, the weights
    of a weighed loss hardly moved, or a setting is wrong whatever the data."""
    by_hand = decayed_by_hand(run_data) or renewed_optimizer(run_data)
    if by_hand is not None:
        return by_hand
    rate = _Rate(run_data)
    rule, found = _judged(rate)
    if found.conclusion != "problem":
        return rate.reach() or climbs_by_sum(run_data, rate.outcome, *rate.shown) or found
    lower = rate.better is not None and rate.better.rate < rate.used
    if rate.verdict == "too_large" or rate.grown is not None or lower:
        found = beside_sum(run_data, found)
    grown = growth_of(run_data, course(run_data), rate.outcome)
    held, far_above = _held(run_data, rate, rule, grown is None)
    if held is not None:
        # a momentum that outlasts the training, a large eps, and a rate that could have moved nothing, are wrong at any scale,
        # and one far above the usual where the weights cannot learn at any rate, or batches are of one class
        known = rate.settings() or rate.reach() or (rate.above_usual() if far_above else None)
        return known or judged_after(found, *held)
    weighed = any(own.final and own.weighed for own in run_data.probes.own_losses)
    if weighed or used_rate(run_data) == 0 or not learns_by_rewards(run_data) or grown is not None:
        return found
    known = rate.settings()
    if known is not None:
        return known  # whatever the data
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


def _held(run_data: RunData, rate: "_Rate", rule, bounded: bool) -> tuple:
    """``((why, item) or None, whether a rate far above the usual counts all the same)``: what the judgement on the rate has to
    wait for; ``bounded``: the loss did not grow beyond doubt."""
    held = settled_first(run_data)
    back = cannot_learn(run_data, THE_RATE) if held is None and bounded else None
    if held is not None or back is not None:
        return held or back, back is not None
    if suits_when_standardised(run_data, rate.outcome) and normalised(run_data).conclusion == "problem":
        return STANDARDISE, False
    return (SHUFFLE, True) if rule in _COMPARE and grouped_by_label(run_data) else (None, False)


class _Rate:
    """The rate of a run beside its loss, its range test and its trials; each rule gives a finding, or None for the next one.

    Attributes:
        seen: The course of the loss.
        outcome: What it reached beside a constant prediction.
        used: The largest rate of the run; None where it is not known.
        curve: The range test; None where there is none. Neither of the two is None where ``verdict`` is not "unknown".
        verdict: Where the rate lies beside the bounds of the test.
    """

    def __init__(self, run_data: RunData) -> None:
        self.run_data = run_data
        self.seen, self.outcome = course(run_data), learning_outcome(run_data)
        self.used: Any = used_rate(run_data)
        self.curve: Any = curve_of(run_data)
        known = self.curve is not None and bool(self.used)
        self.verdict = self._beside_bounds() if known else "unknown"
        self.evidence = [
            range_test_table(run_data, self.seen, self.used, self.curve, self.outcome),
            range_test_figure(self.used, self.curve),
            rate_figure(run_data),
            loss_figure(run_data),
        ]
        self.optimizers = optimizers_of(run_data)
        written = [at for one in self.optimizers for at in argument_origin(run_data, one.place, RATE, one.class_ or "")]
        rises = still_rising(run_data)
        rising = [*run_data.find_lines(WARM_UP, 2), *run_data.find_lines(STEPPED, 3)] if rises else []
        self.places = [*rising, *(optimizer.place for optimizer in self.optimizers), *written]
        if not self.optimizers:  # a step that updates by hand
            steps = [step.place for step in run_data.train_steps if step.count and step.place]
            self.places = [*run_data.find_lines(_RATE_SET, 3), *steps]
        self.shown = (self.evidence, self.places)
        self.grown = growth_of(run_data, self.seen, self.outcome)
        self._correct_course()

    def _beside_bounds(self) -> str:
        return self.curve.judge(self.used).verdict

    def _correct_course(self) -> None:
        """A loss that no update can have made grow stood still, and one that has grown diverged."""
        if (self.grown is not None or self.seen.kind in ("diverged", "swings")) and nothing_updated(self.run_data):
            self.grown = None
            self.seen = self.seen if self.seen.first is None else self.seen._replace(kind="still")
            self.verdict = "unknown" if self.verdict == "too_large" else self.verdict
        if self.grown is not None and self.seen.kind != "diverged":
            self.seen = self.seen._replace(kind="diverged", first=self.grown.first, last=self.grown.last)

    @cached_property
    def by_heart(self) -> bool:
        """Whether the training set was learnt by heart."""
        return learnt_by_heart(self.run_data)

    @cached_property
    def better(self):
        """Another rate that comes further in trials; one above the run's is no better where all was learnt by heart."""
        found = better_rate(self.run_data, self.curve, losses_of_course(self.run_data, self.seen)[1], self.outcome)
        return found if found is None or found.rate < self.used or not self.by_heart else None

    @cached_property
    def gained_little(self) -> bool:
        """Whether the loss came less than half way down from a constant prediction."""
        return self.outcome.gain is not None and self.outcome.gain < self.run_data.limit("hp.01.half_way")

    @cached_property
    def below(self) -> float:
        """How many times the rate lies below the bounds of the range test; else 0."""
        return self.curve.lower / self.used if self.verdict == "too_small" and self.curve.lower else 0.0

    def _too_small(self) -> Finding:
        found = too_small(self.seen, self.used, self.curve, *self.shown, rising_words(self.run_data))
        return unless_squashed(self.run_data, found)

    # --- the rules ----------------------------------------------------------------------------------------------------
    def zero(self) -> Optional[Finding]:
        if self.used != 0:
            return None
        return rate_of_zero(*self.shown, [one.place for one in self.run_data.loads if one.optimizer and one.place])

    def diverged(self) -> Optional[Finding]:
        still = self.seen.kind == "still" and not learns_at_own_rate(self.run_data)
        moves_badly = self.grown is not None or self.seen.kind in ("diverged", "swings") or still
        if self.verdict == "too_large" and moves_badly:
            wide = wide_input(self.run_data, self.used, self.curve)
            return self._beside_momentum(too_large(self.seen, self.used, self.curve, wide, *self.shown))
        if self.grown is None:
            return None
        return self._beside_momentum(diverges(self.used, self.grown, self.curve, *self.shown))

    def _beside_momentum(self, found: Finding) -> Finding:
        momentum = lasting_momentum(self.run_data, self.optimizers, self.evidence)
        return found if momentum is None else together([found, momentum])

    def above_sweep(self) -> Optional[Finding]:
        high = self.run_data.range_test.high if self.curve is not None else None
        falls = self.seen.kind == "falls" or self.outcome.verdict == "learnt"
        if not high or not self.used or self.used <= high or falls or nothing_updated(self.run_data):
            return None
        return above_all_tried(self.used, high, self.curve, *self.shown)

    def lost(self) -> Optional[Finding]:
        lost = lost_again(self.run_data, self.seen, self.outcome)
        if lost is None or self.curve is None or self.curve.upper is None or self.used <= self.curve.upper:
            return None
        return lost_what_it_learnt(self.used, lost, self.curve, self.outcome, *self.shown)

    def settings(self) -> Optional[Finding]:
        """What is wrong with the optimizer beside its rate; of the rate then what is far from any usual one alone, as those
        settings change what it does."""
        given = (self.run_data, self.optimizers, self.evidence)
        betas = exchanged_betas(*given) or exchanged_momentum(*given)
        momentum = betas or lasting_momentum(self.run_data, self.optimizers, self.evidence)
        eps = large_eps(self.run_data, self.optimizers, self.outcome, self.evidence)
        found = [one for one in (momentum, eps) if one is not None]
        rate = (self.reach() or self.above_usual()) if found else None
        return together([*found, *([rate] if rate is not None else [])]) if found else None

    def leap(self) -> Optional[Finding]:
        if self.verdict == "too_small" or self.outcome.constant is None:
            return None
        leap = blown_up(self.run_data, self.seen, self.outcome)
        if leap is None and is_above_usual(self.run_data, self.used, "hp.01.well_above"):
            leap = spoilt_by_leap(self.run_data, self.seen, self.outcome)
        return leapt(self.used, leap, self.outcome, *self.shown) if leap is not None else None

    def weighed(self) -> Optional[Finding]:
        if not any(own.final and own.weighed for own in self.run_data.probes.own_losses):
            return None
        return of_weighed_loss(self.run_data, self.used, *self.shown)

    def good(self) -> Optional[Finding]:
        good = good_from_the_start(self.run_data, self.seen)
        if good is None:
            return None
        if self.seen.kind == "falls" and self.verdict == "inside":
            return inside_bounds(self.seen, self.used, self.curve, self.evidence, self.verdict)
        return tuned(self.seen, self.used, good, *self.shown)

    def collapse(self) -> Optional[Finding]:
        named = steps_named_epochs(self.run_data)
        if named is not None:
            return decays_over_epochs(self.run_data, named, *self.shown)
        over = counted_in_epochs(self.run_data)
        if over is not None:
            return over_after_epochs(self.run_data, over, *self.shown)
        ended = collapse_of(self.run_data)
        if ended is None:
            early = over_early(self.run_data)
            return collapsed(self.run_data, early, self.better, *self.shown) if early is not None else None
        costs = self.better is not None or self.gained_little or self.outcome.verdict in ("nothing", "hardly")
        costs = costs or stood_still_since(self.run_data, ended)
        return collapsed(self.run_data, ended, self.better, *self.shown) if costs else None

    def warm_up(self) -> Optional[Finding]:
        return counted_for_all_ranks(self.run_data, *self.shown) or warm_up_without_end(self.run_data, *self.shown)

    def ended_early(self) -> Optional[Finding]:
        if self.better is not None and self.better.rate <= self.used:
            return None
        in_time = moves_in_time(self.run_data)
        return ended_too_early(self.used, in_time, self.evidence) if in_time is not None else None

    def trials(self) -> Optional[Finding]:
        if self.better is None:
            return None
        found = outdone_in_trials(self.used, self.better, *self.shown)
        # so far above that gradients of full size would want more as well
        much = self.run_data.limit("hp.01.far_below") * times_smaller(self.run_data)
        far_above = self.better.rate >= much * self.used
        squashed = self.better.rate > self.used and not (far_above and computed_twice(self.run_data))
        return unless_squashed(self.run_data, found) if squashed else found

    def beside_course(self) -> Optional[Finding]:
        """What further training and the change of the weights tell, whatever the course of the loss and the range test."""
        burst = finite_at_lower(self.run_data)
        if burst is not None:
            return bursts(self.run_data, burst, *self.shown)
        beyond = outdone_beyond_end(self.run_data)
        if beyond is not None and self.seen.kind != "diverged":
            return unless_squashed(self.run_data, too_small_beyond_end(self.used, beyond, *self.shown))
        if not self.used:
            return None
        change = moved(self.run_data, self.used, self.optimizers)
        if change is None:
            return far_below_usual(self.run_data, self.used, self.outcome, *self.shown)
        told = went_astray(self.run_data, self.used, self.outcome, change, *self.shown)
        return told or hardly_moved(self.run_data, self.used, self.outcome, change, *self.shown)

    def heart_alone(self) -> Optional[Finding]:
        return only_by_heart(self.used, *self.shown) if self.by_heart and self.verdict == "too_small" else None

    def still(self) -> Optional[Finding]:
        # a training that has become worse had got further with the same rate
        if self.seen.kind != "still" or self.seen.worse:
            return None
        late = self.verdict == "inside" and self.run_data.limit("hp.01.late") * self.used <= self.curve.for_good
        return self._too_small() if self.verdict == "too_small" or late else None

    def far_below(self) -> Optional[Finding]:
        far = self.run_data.limit("hp.01.far_below")
        # a loss without a floor at 0 falls ever faster with the rate: no bound of the test means a thing then
        bottomless = self.seen.kind == "falls" and self.seen.last < 0
        if bottomless:
            return None
        if self.below >= self.run_data.limit("hp.01.below_and_behind") and self._unusual_and_behind():
            return self._too_small()
        if self.below < far:
            return None
        # a test of one step a rate is late by ten times at the most
        late = self.below >= self.run_data.limit("hp.01.late") * far
        return self._too_small() if late or not fell_well(self.run_data, self.seen) else None

    def _unusual_and_behind(self) -> bool:
        """Whether the rate is far below the usual one, and the training stays far behind a simple predictor (td.01)."""
        return (
            is_far_below_usual(self.run_data, self.used)
            and behind_simple_predictor(self.run_data, self.outcome) is not None
        )

    def behind(self) -> Optional[Finding]:
        if self.verdict != "too_large" or not outdone_by_test(self.run_data, self.seen, self.curve):
            return None
        return behind_test(self.seen, self.used, self.curve, *self.shown)

    def standardised(self) -> Optional[Finding]:
        found = better_when_standardised(self.run_data, self.outcome)
        return outdone_when_standardised(self.used, found, *self.shown) if found is not None else None

    def reach(self) -> Optional[Finding]:
        return out_of_reach(self.run_data, self.used, self.outcome, *self.shown) if self.used else None

    def rates(self) -> Optional[Finding]:
        return sum_of_rates(self.run_data, self.used, self.outcome, *self.shown) if self.used else None

    def first_way(self) -> Optional[Finding]:
        return still_on_its_first_way(self.run_data, self.used, self.outcome, *self.shown) if self.used else None

    def above_usual(self) -> Optional[Finding]:
        return far_above_usual(self.run_data, self.used, self.outcome, *self.shown) if self.used else None

    def nothing(self) -> Optional[Finding]:
        if self.outcome.verdict not in ("nothing", "diverged") or None in (self.outcome.constant, self.outcome.end):
            return None
        return learnt_nothing(self.run_data, self.used, self.curve, self.verdict, self.outcome, *self.shown)

    def falls(self) -> Optional[Finding]:
        seen = self.seen
        if beneath_floor(self.run_data):
            return self.open()
        barely = self.outcome.verdict == "unknown" and seen.first is not None and seen.first > 0
        if barely and 1 - seen.last / seen.first < self.run_data.limit("hp.01.constant"):
            return self.open()
        if seen.kind != "falls" or self.verdict == "unknown":
            return None
        if outrun_by_test(self.run_data, seen, self.curve, self.used):
            return unless_squashed(self.run_data, too_slow(seen, self.used, self.curve, *self.shown))
        if self.outcome.verdict != "learnt" and far_behind_test(self.run_data, seen, self.curve):
            return open_behind_test(seen, self.used, self.curve, *self.shown)
        if self.gained_little and self.below >= self.run_data.limit("hp.01.late"):
            return open_below_bounds(self.used, self.curve, self.outcome, *self.shown)
        behind = self.outcome.verdict == "hardly" and behind_simple_predictor(self.run_data, self.outcome) is not None
        return self.open() if behind else inside_bounds(seen, self.used, self.curve, self.evidence, self.verdict)

    def worked(self) -> Optional[Finding]:
        known = self.verdict == "unknown" and self.used and converged(self.run_data, self.seen)
        return (
            worked_all_the_same(self.seen, self.used, self.evidence)
            if known and self.outcome.verdict != "hardly"
            else None
        )

    def open(self) -> Finding:
        return open_rate(self.run_data, self.seen, self.used, self.curve, self.verdict, *self.shown)


#: Where a script gives a rate of its own a value.
_RATE_SET = r"(?i)^\s*(self\.)?(lr|eta|rate|learning_rate|step_size)\w*\s*=[^=]"
#: In the order in which they are asked.
_RULES = (
    _Rate.zero,
    _Rate.diverged,
    _Rate.above_sweep,
    _Rate.lost,
    _Rate.settings,
    _Rate.leap,
    _Rate.weighed,
    _Rate.good,
    _Rate.collapse,
    _Rate.warm_up,
    _Rate.ended_early,
    _Rate.trials,
    _Rate.beside_course,
    _Rate.heart_alone,
    _Rate.still,
    _Rate.far_below,
    _Rate.behind,
    _Rate.standardised,
    _Rate.reach,
    _Rate.rates,
    _Rate.first_way,
    _Rate.above_usual,
    _Rate.nothing,
    _Rate.falls,
    _Rate.worked,
)


#: Those that hold the rate against others on batches of the training.
_COMPARE = (
    _Rate.trials,
    _Rate.heart_alone,
    _Rate.still,
    _Rate.far_below,
    _Rate.behind,
    _Rate.nothing,
    _Rate.falls,
)


def _judged(rate: _Rate) -> tuple:
    """``(rule, finding)``; the rule is None where none of them decides. Problem: the run diverges; it swings or does not
    move, and the range test puts the rate outside its bounds; or the loss still falls at the end with a rate far below the
    bounds. Nothing is ok on a training that learnt nothing."""
    told = ((rule, found) for rule in _RULES if (found := rule(rate)) is not None)
    return next(told, None) or (None, rate.open())
