"""The gap between training and validation at the end, where the training data were memorised.

Overfitting is a gap between training and test error that is too large (Goodfellow, Bengio and Courville 2016, section 5.2); the
generalisation loss of Prechelt (1998) sees it only where the validation loss turns, not where it never came down.
"""

import math
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.script.argmax_axis import argmax_over_places
from msprec.checklists.common.script.cell_arguments import statistics_hardly_moved
from msprec.checklists.common.training.constant_prediction import (
    ACCURACY,
    REGRESSION,
    ConstantLoss,
    as_share,
    learning_outcome,
    share_error,
)
from msprec.checklists.common.training.copied_targets import copies_input
from msprec.checklists.common.training.training_curves import training_curve, turned_up, validation_curves
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.checklists.common.training.whole_graph import whole_graph
from msprec.engine.run_data import RunData

_SAME_LOSS = {"mse": r"loss|mse", "l1": r"loss|mae|l1", "rmse": r"loss|rmse"}


class Gap(NamedTuple):
    """A training loss near zero beside a validation that stays far from it.

    Attributes:
        training: Mean training loss of the last tenth of the steps.
        name, value: The validation metric and the mean of its last values.
        reference: What a constant prediction reaches by that metric (a loss, or a share of right answers); the training
            loss at the start where that is not known.
        known: Whether ``reference`` is that of a constant prediction.
        score: Whether the metric is a share of right answers.
        regression: Whether the loss is one of a regression, which no certainty of the network makes larger.
        gap: What of the way from the constant to no error is lost between training and validation, 0 to 1.
    """

    training: float
    name: str
    value: float
    reference: float
    known: bool
    score: bool
    gap: float
    regression: bool = False


def generalization_gap(run_data: RunData, first: Optional[float]) -> Optional[Gap]:
    """The gap at the end of the last training; None where there is none, or it cannot be told.

    The training loss has to be down at hp.02.memorised of the best constant prediction's (of its start, where no constant is
    known), and hp.02.gap of the way from that constant to no error be lost on the validation data. A share of right answers
    counts before a loss, which is large already where a good network is too sure of itself; of the training the share of
    errors is at most its cross-entropy ÷ ln 2, for a sample whose class is not the likeliest has a probability of a half or
    less (Markov's inequality), unless the last weights were seen to predict nearly all samples as labelled.

    Args:
        first: The training loss at the start.
    """
    if statistics_hardly_moved(run_data) or run_data.once(argmax_over_places) is not None or copies_input(run_data):
        return None  # the evaluation says what an inference without them gives, or nothing of what was trained for
    outcome = learning_outcome(run_data)
    constant = outcome.constant
    reference = constant.value if constant is not None else first
    if outcome.end is None or not reference or outcome.end < 0:
        return None
    by_heart = outcome.end <= run_data.limit("hp.02.memorised") * reference
    # smoothed labels leave a loss where every sample is known
    few = run_data.limit("hp.02.known_wrong")
    known = (run_data.probes.labels.accuracy or 0.0) >= 1 - few
    if not by_heart and not known:
        return None
    if any(whole_graph(run_data, dataset) for dataset in run_data.datasets_of("train")):
        return None  # a few labelled nodes of one graph are rightly memorised
    values = _validation(run_data)
    scores = {key: found for key, found in values.items() if ACCURACY.search(key[0])}
    if scores:
        wrong = outcome.end / math.log(2)
        found = _of_scores(outcome.end, min(wrong, few) if known else wrong, constant, scores)
    else:
        found = _of_losses(outcome.end, constant, reference, values) if by_heart else None
    return found if found is not None and found.gap >= run_data.limit("hp.02.gap") else None


def overfits(run_data: RunData) -> bool:
    """Whether the last training learnt its data by heart: a validation curve that turned up, or a gap at the end."""
    turned = any(turned_up(run_data, curve) for curve in validation_curves(run_data))
    if turned and not statistics_hardly_moved(run_data):
        return True
    training = training_curve(run_data)
    return generalization_gap(run_data, training.first if training is not None else None) is not None


def fell_to_nothing(run_data: RunData) -> bool:
    """Whether the training loss ended at hp.02.memorised of the best constant prediction's or below."""
    outcome = learning_outcome(run_data)
    if outcome.constant is None or outcome.end is None:
        return False
    return 0 <= outcome.end <= run_data.limit("hp.02.memorised") * outcome.constant.value


def _validation(run_data: RunData) -> dict:
    """``{(metric, data set): [(value, samples), …]}`` of the evaluations in the last tenth of the last training, or at its
    end, on data that it did not train on."""
    begun, trained = last_training_start(run_data), {one.id for one in run_data.datasets_of("train")}
    last = max([evaluation.step or 0 for evaluation in run_data.evaluations] or [0])
    if not last or last < begun + 0.9 * (run_data.training_steps - begun):
        return {}
    found: dict = {}
    for evaluation in run_data.evaluations:
        if (evaluation.step or 0) < last - 0.1 * (last - begun) or evaluation.dataset in trained:
            continue
        for name, value in evaluation.metrics.items():
            if math.isfinite(value) and not re.search(r"train", name, re.IGNORECASE):
                found.setdefault((name, evaluation.dataset), []).append((value, evaluation.samples))
    return found


def _of_scores(end: float, wrong: float, constant: Optional[ConstantLoss], scores: dict) -> Optional[Gap]:
    """``wrong``: the share of training samples that are not predicted as labelled, at most."""
    if constant is None or constant.kind not in ("softmax_cross_entropy", "nll", "bce", "bce_with_logits"):
        return None
    if constant.majority is None or constant.majority >= 1:
        return None
    least = None
    for (name, _), found in scores.items():
        value = float(np.mean([one for one, _ in found]))
        share = as_share(value)
        error = share_error(share, found[-1][1])
        lost = 1 - share - wrong
        gap = lost / (1 - constant.majority) if lost > 3 * error else 0.0
        one = Gap(end, name, value, constant.majority, True, True, gap)
        least = one if least is None or gap < least.gap else least
    return least


def _of_losses(end: float, constant: Optional[ConstantLoss], reference: float, values: dict) -> Optional[Gap]:
    """Of the values of the same loss on the validation data the smallest gap."""
    same = _SAME_LOSS.get(constant.kind if constant is not None else "", r"loss")
    found = []
    for (name, _), seen in values.items():
        if re.search(same, name, re.IGNORECASE):
            value = float(np.mean([one for one, _ in seen]))
            gap = (value - end) / reference
            regression = constant is not None and constant.kind in REGRESSION
            found.append(Gap(end, name, value, reference, constant is not None, False, gap, regression))
    return min(found, key=lambda one: one.gap, default=None)
