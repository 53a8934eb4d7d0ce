"""A learning rate that still rises when the training ends, far from done (hp.01)."""

import ast
import re
from typing import Optional

import numpy as np

from msprec.bilingual import Text, percent
from msprec.checklists.common.training.further_training import Further, further_training
from msprec.checklists.common.training.training_curves import EVEN_SHARE, epochs_of, training_curve, whole_training
from msprec.checklists.common.training.training_segments import rates_of
from msprec.checklists.hp.learning_rate.loss_course import still_rising
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place

_BY_EPOCH, _RATE = (
    re.compile(r"on_(train_)?epoch_(begin|end)$|epoch_(begin|end)$"),
    re.compile(r"(learning_rate|\blr)\b"),
)


#: Where the length of a warm-up is worked out.
WARM_UP = r"(?i)\b\w*warm\w*\s*=[^=].*[*/]"
#: Where the steps of an epoch are counted.
_STEPS = r"(?i)\b\w*(steps?_per_epoch|n_?steps|total_steps|num_steps|steps)\w*\s*=(?!=)[^#]*(//|/|len\(|size)"
#: How near the ratio has to be to the number of ranks, which batches that are left out change a little.
_NEAR = 0.03


def warm_up_without_end(run_data: RunData, evidence: list, places: list) -> Optional[Finding]:
    """A problem of a run of hp.02.epochs or more, or of hp.02.few_updates whose samples never came again, whose rate rose to the
    end: where training on at the last rate gains
    hp.01.rising of the loss (in an eighth of the run's steps hp.01.rising_soon), or the loss of a whole training fell in the last
    fifth of its steps by as much as in any other or more. It names the
    lines that compute a length of a warm-up, and ``places``."""
    drawn = all(one.samples_per_pass is None for one in run_data.datasets_of("train"))
    long_enough = (epochs_of(run_data) or 0) >= run_data.limit("hp.02.epochs")
    long_enough = long_enough or (drawn and run_data.training_steps > run_data.limit("hp.02.few_updates"))
    if not still_rising(run_data) or not long_enough:
        return None
    run, curve = _trained_on(run_data), training_curve(run_data)
    if run is not None:
        shown = _gained(run)
    elif (
        curve is not None
        and curve.sure
        and curve.share >= EVEN_SHARE
        and whole_training(run_data, run_data.training_steps)
    ):
        shown = Text(
            "loss 在最后五分之一的步数中从 {before} 降到 {after}，占全程下降的 {share}。",
            "the loss fell from {before} to {after} in the last fifth of the steps, {share} of its whole fall.",
            before=curve.before,
            after=curve.last,
            share=percent(curve.share),
        )
    else:
        return None
    return _never_warm(run_data, shown, evidence, places)


def counted_for_all_ranks(run_data: RunData, evidence: list, places: list) -> Optional[Finding]:
    """A problem of several ranks whose optimizer was given as many times more rates than it made updates as there are ranks, and
    whose last rate is hp.01.epochs_share of the peak or more: the steps of an epoch were counted before the data were divided,
    and the part of the schedule in which the rate falls never comes."""
    ranks, rates = run_data.run.rank_size or 1, run_data.steps().observed("lr")
    one = next((one for one in run_data.optimizers if one.used and one.learning_rate.values), None)
    if ranks < 2 or one is None or not one.updates or not len(rates) or not np.isfinite(rates).all():
        return None
    times = one.learning_rate.values / one.updates
    if abs(times / ranks - 1) > _NEAR or rates[-1] < run_data.limit("hp.01.epochs_share") * rates.max():
        return None
    return problem(
        Text(
            "学习率列表有 {values} 个值，而优化器只更新了 {updates} 次，正好少到 rank 数（{ranks}）分之一："
            "每个 epoch 的步数没有除以 rank 数，调度只走了 1/{ranks}，结束时学习率仍为峰值的 {share}。",
            "The list of rates has {values} values and the optimizer made {updates} updates, as many times fewer as there are "
            "ranks ({ranks}): the steps of an epoch were counted without dividing the data among them, only 1/{ranks} of the "
            "schedule was run, and it ended at {share} of its peak.",
            values=one.learning_rate.values,
            updates=one.updates,
            ranks=ranks,
            share=percent(float(rates[-1] / rates.max())),
        ),
        Text(
            "用每个 rank 的步数（数据集切分后的 get_dataset_size()）乘以 epoch 数作为调度的长度。",
            "Give the schedule each rank's own number of steps, get_dataset_size() of its shard, times the epochs.",
        ),
        evidence,
        [*run_data.find_lines(_STEPS, 3), *places],
    )


def _trained_on(run_data: RunData) -> Optional[Further]:
    run = run_data.once(further_training)
    own = run.own if run is not None and run.apart else None
    if run is None or own is None:
        return None
    # a few steps that gain a little show the same as many that gain much
    soon = 8 * own.steps <= run.steps and own.gain >= run_data.limit("hp.01.rising_soon") * run.before
    return run if soon or own.gain >= run_data.limit("hp.01.rising") * run.before else None


def _gained(run: Further) -> Text:
    own = run.own
    assert own is not None
    return Text(
        "从结束时的权重以同样的学习率再训练 {steps} 步，未参与这些步的 batch 上的 loss 从 {before} 降到 {after}。",
        "trained on from its last weights at that rate, {steps} steps bring the loss of batches kept back from {before} to "
        "{after}.",
        steps=own.steps,
        before=run.before,
        after=own.after,
    )


def _never_warm(run_data: RunData, shown: Text, evidence: list, places: list) -> Finding:
    rates = rates_of(run_data)
    places = [*run_data.find_lines(WARM_UP, 2), *_set_by_epoch(run_data), *places]
    return problem(
        Text(
            "学习率从 {first} 一直升到最后一步的 {last}，预热没有结束，训练就已结束：{shown}",
            "The learning rate rises from {first} to {last} at the last step, and the training ends before its warm-up does: "
            "{shown}",
            first=float(f"{rates[0]:.4g}"),
            last=float(f"{rates[-1]:.4g}"),
            shown=shown,
        ),
        Text(
            "核对调度的单位：按步生成的学习率列表要用步数作下标，而不是 epoch；预热的步数应远少于总步数。",
            "Check the unit of the schedule: a list with a rate for each step is indexed by the step, not by the epoch; a "
            "warm-up takes far fewer steps than the training.",
        ),
        evidence,
        places,
    )


def _set_by_epoch(run_data: RunData) -> list:
    """Where a callback that works out a rate is called once an epoch."""
    return [
        place(file, node.lineno)
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.FunctionDef)
        if _BY_EPOCH.match(node.name) and any(_sets_rate(one) for one in ast.walk(node))
    ][:2]


def _sets_rate(node: ast.AST) -> bool:
    """``optimizer.learning_rate.set_data(…)``, ``ops.assign(optimizer.learning_rate, …)`` and the like."""
    return isinstance(node, ast.Call) and bool(_RATE.search(ast.unparse(node)))
