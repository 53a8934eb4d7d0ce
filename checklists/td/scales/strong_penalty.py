"""A penalty on the weights, written into the loss, that shrinks them before anything is learnt (td.08)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.scales.drowned_terms import factors, long_enough, terms_table
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def strong_penalty(run_data: RunData) -> Optional[Finding]:
    """A problem where the terms of the loss that are made of the weights alone came down by td.08.half_way or more, still are
    td.08.penalty_share of the rest of the loss and pull td.08.penalty_pull times as hard as it does, and the rest is not
    half learnt: it ends above td.08.half_way of its constant prediction, or, where that is not known, of its start."""
    terms = run_data.probes.terms
    penalties = [one for one in terms if one.of_weights]
    others = [one for one in terms if not one.of_weights]
    if not penalties or not others or not long_enough(run_data):
        return None
    before, left = _totals(penalties)
    task_before, task = _totals(others)
    if None in (before, left, task_before, task) or min(before, left, task_before, task) <= 0:
        return None
    pull = max(one.gradient_end or 0.0 for one in penalties) / max(
        [one.gradient_end or 0.0 for one in others] + [1e-30]
    )
    half = run_data.limit("td.08.half_way")
    shrunk = left <= half * before and left >= run_data.limit("td.08.penalty_share") * task
    if not shrunk or pull < run_data.limit("td.08.penalty_pull") or not _hardly_learnt(others, task_before, task, half):
        return None
    first = max(penalties, key=lambda one: one.gradient_end or 0.0)
    places = [one for one in (first.place, *factors(run_data, first.place)) if one]
    return problem(
        Text(
            "loss 中对权重的惩罚（{place}）太强：它使权重缩小（惩罚项从 {before} 降到 {left}），结尾梯度是其余的 {pull} 倍，"
            "而其余各项只从 {start} 降到 {end}。",
            "The penalty on the weights in the loss ({place}) is too strong: it shrank them (it came down from {before} to "
            "{left}), at the end its gradient is {pull} times that of the rest, and the rest only came from {start} to {end}.",
            place=at(first.place),
            before=before,
            left=left,
            pull=float(f"{pull:.2g}"),
            start=task_before,
            end=task,
        ),
        Text(
            "把惩罚项的系数减小到百分之一再试；通常为 1e-5 到 1e-3，且对权重的平方求和。",
            "Try a hundredth of the penalty's factor; 1e-5 to 1e-3 times the sum of the squared weights is usual.",
        ),
        [terms_table(run_data), *run_data.code_at(places, Text("惩罚项与它的系数", "The penalty and its factor"))],
        places,
    )


#: Share of its start that a term comes down to which took what it is made of to nothing.
_GONE = 0.01


def collapsed_term(run_data: RunData) -> Optional[Finding]:
    """A problem where terms that compare with no target came down to a hundredth, pulled harder than the rest of the loss at the
    start, and the rest is not half learnt (as in `strong_penalty`): what they are made of, such as the rows of an embedding, has
    gone to nothing."""
    terms = run_data.probes.terms
    gone = [one for one in terms if not one.of_weights and _is_gone(one)]
    others = [one for one in terms if one not in gone]
    if not gone or not others or not long_enough(run_data):
        return None
    (before, left), (task_before, task) = _totals(gone), _totals(others)
    pull = sum(one.gradient_start or 0.0 for one in gone) / max([one.gradient_start or 0.0 for one in others] + [1e-30])
    if None in (task_before, task) or min(task_before, task) <= 0 or pull < 1:
        return None
    if not _hardly_learnt(others, task_before, task, run_data.limit("td.08.half_way")):
        return None
    places = list(
        {(at.file, at.line): at for one in gone for at in (one.place, *factors(run_data, one.place)) if at}.values()
    )
    sums = [at for one in others if one.place for at in run_data.find_lines(r"\.sum\(", 4) if at.line == one.place.line]
    return problem(
        Text(
            "loss 中不与目标比较的项（{place}）太强：训练开始时它的梯度是其余部分的 {pull} 倍，训练把它从 {before} 降到 {left}，"
            "即它所约束的量变为 0，而其余各项只从 {start} 降到 {end}。",
            "A part of the loss that compares with no target ({place}) is too strong: at the start its gradient is {pull} times "
            "that of the rest, it was brought from {before} to {left}, so that what it holds down is nothing now, and the rest "
            "only came from {start} to {end}.",
            place=at(gone[0].place),
            pull=float(f"{pull:.2g}"),
            before=before,
            left=left,
            start=task_before,
            end=task,
        ),
        Text(
            "把它的系数减小到百分之一再试；若它对 batch 求和而其余部分取平均，改为取平均。",
            "Try a hundredth of its factor; where it is summed over the batch and the rest is a mean, take the mean of it too.",
        ),
        [terms_table(run_data), *run_data.code_at(places, Text("这一项与它的系数", "The term and its factor"))],
        [*sums, *places],
    )


def _is_gone(one: Fact) -> bool:
    known = None not in (one.start, one.end) and not one.fits
    return known and one.start > 0 and abs(one.end) <= _GONE * one.start


def _totals(terms: list) -> tuple:
    """What terms come to at the start and at the end; None where one is not known."""
    return tuple(None if None in values else sum(values) for values in zip(*((one.start, one.end) for one in terms)))


def _hardly_learnt(others: list, before: float, end: float, half: float) -> bool:
    fits: list[Fact] = [fit for one in others for fit in one.fits if None not in (fit.end, fit.constant)]
    if fits:
        return all(fit.end >= half * fit.constant for fit in fits)
    return end >= half * before
