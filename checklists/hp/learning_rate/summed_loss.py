"""A loss that is summed over the batch beside a rate that is too large (hp.01)."""

import math
from typing import Optional

import numpy as np

from msprec.bilingual import Joined, Text
from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.training.constant_prediction import BesideConstant, loss_kind
from msprec.checklists.common.training.given_gradients import rate_sized
from msprec.checklists.hp.learning_rate.trials import last_third, standard_error
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import APART


def beside_sum(run_data: RunData, found: Finding) -> Finding:
    """The problem of a rate that is too large, which also names a loss that adds up over a batch of several samples.

    Its gradients grow with the batch, and so does the way that a rate goes. Unchanged for an optimizer whose steps are as large
    as the rate, whatever the gradients.
    """
    batch = summed_over(run_data)
    if batch is None:
        return found
    says = Text(
        "loss 在 {n} 个样本的 batch 上求和，梯度因此是取平均时的 {n} 倍，学习率的作用也随之放大。",
        "The loss is summed over the batch of {n} samples: its gradients are {n} times those of the mean, and so is what a "
        "learning rate does.",
        n=batch,
    )
    mean = Text(
        "或让 loss 对 batch 取平均（reduction='mean'）。", "Or take the mean over the batch (reduction='mean')."
    )
    found.summary, found.advice = Joined([found.summary, says]), Joined([found.advice, mean])
    named = [loss.class_ for loss in run_data.losses] or [loss.name for loss in run_data.probes.losses]
    made = [at for name in named for at in loss_lines(run_data, name)]
    places = made or [loss.place for loss in run_data.losses if loss.place]
    found.locations += [
        at for place in places if (at := {"file": place.file, "line": place.line}) not in found.locations
    ]
    return found


def summed_over(run_data: RunData) -> Optional[int]:
    """The samples that the loss is summed over; None where it is not, or where the size of gradients does not matter."""
    kind = loss_kind(run_data)
    batch = max((dataset.batch_size or 1 for dataset in train_sets(run_data)), default=1)
    summed = kind is not None and kind.reduction == "sum" and batch > 1
    return batch if summed and not rate_sized([one for one in run_data.optimizers if one.used]) else None


def climbs_by_sum(run_data: RunData, outcome: BesideConstant, evidence: list, places: list) -> Optional[Finding]:
    """A problem where a training with such a loss learnt nothing, and its rate drives the loss above a constant prediction's in
    the steps of a trial, which a tenth of it does not, each by hp.01.beyond_chance standard errors."""
    own, *others = run_data.range_test.trials or [None]
    lower = [one for one in others if own.rate and one.rate and own.rate / one.rate >= APART]
    if outcome.verdict != "nothing" or not lower or summed_over(run_data) is None:
        return None
    many, level = run_data.limit("hp.01.beyond_chance"), outcome.constant_value
    (high, high_error), (low, low_error) = _end(own), _end(max(lower, key=lambda one: one.rate))
    climbs = high - level > many * high_error and high - low > many * math.hypot(high_error, low_error)
    if not climbs or low - level > many * low_error:
        return None
    found = problem(
        Text(
            "学习率 {used} 使 loss 在 {steps} 步内升到 {high}，高于常数预测的 {level}；降到 1/10 则为 {low}。",
            "The learning rate of {used} drives the loss up to {high} within {steps} steps, above a constant prediction's "
            "{level}; a tenth of it brings the same batches to {low}.",
            used=own.rate,
            steps=len(own.losses),
            high=high,
            level=level,
            low=low,
        ),
        Text("把学习率降到 1/10 或更低。", "Lower the rate to a tenth or less."),
        evidence,
        places,
    )
    return beside_sum(run_data, found)


def _end(trial) -> tuple:
    """The mean loss of a trial's last third and its standard error."""
    tail = last_third(np.asarray(trial.losses, float), len(trial.losses))
    return float(tail.mean()), standard_error(tail)
