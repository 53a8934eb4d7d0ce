"""What the training and validation curves say of the number of epochs: too many, too few, or neither."""

from msprec.bilingual import Text
from msprec.checklists.common.findings import loss_figure, validation_figure
from msprec.checklists.common.loss.scores_at_odds import scores_at_odds
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.generalization_gap import generalization_gap
from msprec.checklists.common.training.training_curves import (
    is_steep,
    keeps_best,
    training_curve,
    turned_up,
    validation_curves,
)
from msprec.checklists.common.weights.cannot_learn import THE_EPOCHS, cannot_learn, judged_after
from msprec.checklists.dp.preprocessing_consistency.check import same_processing
from msprec.checklists.hp.epochs.epoch_findings import (
    cut_off,
    diverged,
    ends_at_once,
    ends_too_soon,
    evaluations_table,
    goes_on,
    learnt_nothing,
    length_was_given,
    of_curves,
    overfitted,
    tells_nothing,
    too_few,
    too_many,
)
from msprec.checklists.hp.epochs.renewed_network import renewed_network
from msprec.checklists.hp.epochs.training_progress import (
    far_from_done,
    leads_nowhere,
    only_begun,
    still_better,
    too_few_updates,
    validation_flat,
)
from msprec.engine.finding import Finding
from msprec.engine.run_data import RunData

_PREPARED_OTHERWISE = Text(
    "验证数据的处理与训练不一致（dp.02），其得分说明不了过拟合，要在改正之后再判断",
    "The validation data are not prepared as the training data are (dp.02), so that their scores tell nothing of overfitting, "
    "which is for judging after that",
)


def judge_epochs(run_data: RunData) -> Finding:
    """The finding on the number of epochs."""
    renewed = renewed_network(run_data)
    if renewed is not None:
        return renewed
    curves = validation_curves(run_data)
    training = training_curve(run_data)
    shown = [evaluations_table(run_data, curves), validation_figure(run_data) or loss_figure(run_data)]
    turned = [curve for curve in curves if turned_up(run_data, curve)]
    if turned and learning_outcome(run_data).verdict == "diverged":
        return diverged(run_data, turned[0], shown)
    odds = scores_at_odds(run_data) if turned else None
    if odds is not None:
        return tells_nothing(odds, shown)
    if turned and not still_better(curves, turned):
        return too_many(run_data, turned[0], shown)
    flat = validation_flat(curves)
    onward = far_from_done(run_data) if not flat else None
    if training is not None and is_steep(run_data, training) and not flat:
        found = _unless_stuck(run_data, too_few(run_data, training, curves, shown))
        if found.conclusion == "problem" or onward is None or cannot_learn(run_data, THE_EPOCHS):
            return found
    begun = only_begun(run_data)
    if begun is not None and not cut_off(run_data) and not flat and leads_nowhere(run_data) is None:
        return _unless_stuck(run_data, ends_too_soon(run_data, begun, shown))
    if onward is not None:
        return _unless_stuck(run_data, goes_on(run_data, onward, shown))
    gap = generalization_gap(run_data, training.first if training is not None else None)
    if gap is not None and not keeps_best(run_data):
        odds = scores_at_odds(run_data)
        if odds is not None:
            return tells_nothing(odds, shown)
        found = overfitted(run_data, gap, shown)
        apart = same_processing(run_data).conclusion == "problem"
        return judged_after(found, _PREPARED_OTHERWISE, "dp.02") if apart else found
    few = too_few_updates(run_data)
    if few is not None and not cut_off(run_data) and not length_was_given(run_data):
        return ends_at_once(run_data, few, shown)
    outcome = learning_outcome(run_data)
    if outcome.verdict in ("nothing", "diverged") and None not in (outcome.constant, outcome.end):
        return learnt_nothing(run_data, outcome, shown)
    return of_curves(run_data, curves, turned, training, shown)


def _unless_stuck(run_data: RunData, found: Finding) -> Finding:
    """That there are too few epochs, for judging after weights can learn that cannot."""
    held = cannot_learn(run_data, THE_EPOCHS) if found.conclusion == "problem" else None
    return judged_after(found, *held) if held is not None else found
