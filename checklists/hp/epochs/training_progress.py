"""How far a training had come at its end, and whether it would have gone on (hp.02)."""

import ast
import math
from typing import Optional

import numpy as np

from msprec.checklists.common.script.recurrent_state import holds_state
from msprec.checklists.common.script.setting_origin import last_of_range
from msprec.checklists.common.training.constant_prediction import (
    ACCURACY,
    as_share,
    constant_loss,
    learning_outcome,
)
from msprec.checklists.common.training.further_training import Further, further_training
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.checklists.common.training.training_curves import (
    EVEN_SHARE,
    TrainingCurve,
    epochs_of,
    score_unit,
    validation_scores,
    whole_training,
)
from msprec.checklists.common.training.training_segments import (
    last_evaluations,
    last_rows,
    last_training_start,
    rates_of,
)
from msprec.checklists.common.training.without_progress import came_to_nothing, ended_above_constant
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A call of a dropout, of the framework's or one's own.
_DROPOUT = r"(?<!def )\b\w*dropout\w*\s*\((?!.*:\s*$)"


def only_begun(run_data: RunData) -> Optional[TrainingCurve]:
    """The loss of the last fifth of a few whole epochs in which it fell steadily to the end and hardly got anywhere; None of any
    other training.

    Steadily: the slope of the least-squares line through the second half is hp.02.slope of its standard errors below 0.
    Hardly anywhere: hp.02.undone of what there was at the start, or of what a constant prediction has where that is less, is
    still there. Fewer than hp.02.epochs may be a trial, which ends early on purpose: there it has to have learnt next to nothing,
    or a score that is known has to be less than hp.02.well of the way from the share of the most frequent class to 1.
    """
    rows, epochs = last_rows(run_data), epochs_of(run_data)
    if rows is None or not epochs or not _whole_passes(run_data) or decayed(run_data):
        return None
    if classified_share(run_data) >= run_data.limit("hp.02.right"):
        return None
    losses = run_data.steps()["loss"][rows & run_data.steps().seen("loss")]
    long_enough = len(losses) >= run_data.limit("hp.02.few")
    long_enough = long_enough or (epochs >= run_data.limit("hp.02.epochs") and len(losses) >= 20)
    if not long_enough or not np.isfinite(losses).all():
        return None
    if epochs >= run_data.limit("hp.02.epochs") and len(losses) >= run_data.limit("hp.02.steps"):
        return None
    half, fifth = losses[len(losses) // 2 :], len(losses) // 5
    found = TrainingCurve(
        float(losses[:3].mean()), float(losses[-2 * fifth : -fifth].mean()), float(losses[-fifth:].mean()), True
    )
    constant = learning_outcome(run_data).constant or run_data.once(constant_loss)
    score = _share_of_the_way(run_data, constant.majority if constant is not None else None)
    poor = score > -math.inf or learning_outcome(run_data).verdict in ("hardly", "nothing")
    if score >= run_data.limit("hp.02.well") or (epochs < run_data.limit("hp.02.epochs") and not poor):
        return None
    level = min(found.first, constant.value) if constant is not None and constant.value > 0 else found.first
    falls = (
        found.before > found.last and found.share >= 0.5 * EVEN_SHARE and _slope(half) <= -run_data.limit("hp.02.slope")
    )
    return found if falls and found.last > run_data.limit("hp.02.undone") * level > 0 else None


def too_few_updates(run_data: RunData) -> Optional[int]:
    """The number of updates of a training of random weights that has fewer than hp.02.updates and left most of its loss, or
    of hp.02.few_passes and hp.02.few_updates at the most that came to nothing, or whose best constant prediction is not known
    and that is tested, if training on does not learn by heart alone; None of any other. A loss below 0, or one of rewards,
    has no end that is known."""
    rows, updates = last_rows(run_data), run_data.training_steps
    if rows is None or not updates or last_training_start(run_data):
        return None
    nothing = came_to_nothing(run_data) and not _by_heart_alone(run_data)
    unknown = learning_outcome(run_data).constant is None and _is_tested(run_data)
    short = _few_whole_passes(run_data) and (nothing or unknown or ended_above_constant(run_data))
    if updates >= run_data.limit("hp.02.updates") and not short:
        return None
    if (
        _begins_trained(run_data)
        or learns_by_rewards(run_data)
        or learning_outcome(run_data).verdict in ("learnt", "diverged")
    ):
        return None
    losses = run_data.steps()["loss"][rows & run_data.steps().seen("loss")]
    if len(losses) < updates or not np.isfinite(losses).all():
        return None
    if not losses.any():  # a loss that is 0 whatever the network gives
        return updates
    left = run_data.limit("hp.02.undone") * losses[0] < losses[-1] or ended_above_constant(run_data)
    return updates if left and 0 < losses[-1] <= run_data.limit("hp.02.grown") * losses[0] else None


def _begins_trained(run_data: RunData) -> bool:
    """Whether weights were loaded, and most of them: of a table of words alone the layers behind it are still as they were
    drawn."""
    return any(map(_most_of_it, run_data.loads))


def _most_of_it(load: Fact) -> bool:
    if load.not_loaded:
        return (load.parameters or 0) > len(load.not_loaded)
    # what a script copied from there by itself may be changed on its way, as parts of a matrix are
    return not load.at_start.trained or 4 * (load.at_start.kept or 0) >= load.at_start.trained


def broke_off(run_data: RunData) -> bool:
    """Whether a training of random weights had hp.02.few_passes whole passes and hp.02.few_updates updates at the most, and did
    not come hp.02.half_done below a constant prediction."""
    gain = learning_outcome(run_data).gain
    far = gain is not None and gain < run_data.limit("hp.02.half_done")
    return far and not _begins_trained(run_data) and _few_whole_passes(run_data)


def _few_whole_passes(run_data: RunData) -> bool:
    """Whether there were so few, and whole ones; a training most of whose updates are skipped for overflow would learn in no more
    of them."""
    passes, updates, steps = epochs_of(run_data) or 0, run_data.training_steps, run_data.steps()
    if "overflow" in steps and (np.nan_to_num(steps["overflow"]) > 0).mean() > 0.5:
        return False
    few = 0 < passes <= run_data.limit("hp.02.few_passes") and updates <= run_data.limit("hp.02.few_updates")
    return few and _whole_passes(run_data, arrays=True)


def _is_tested(run_data: RunData) -> bool:
    """Whether the network is called outside training too."""
    return any(one.phase not in (None, "train") for one in run_data.phases)


def far_from_done(run_data: RunData) -> Optional[Further]:
    """The run trained on from its last weights at its own rate, where that brings the loss of batches that were kept back
    down by hp.02.onward of what there was to learn, of which hp.02.undone is left at the end; or, after fewer than
    hp.02.epochs, to hp.02.halved of what is left, which is more than hp.02.rest, or to hp.02.quartered of it, more than
    hp.02.least, or by hp.02.as_much of what the run gained, in hp.02.as_long as many steps; None of any other.

    Not where the rate had been lowered by then, nearly all training samples are classified right, or a validation score says
    that it is well on its way (hp.02.well; hp.02.reached where training on leaves hp.02.quartered of the loss, or after
    hp.02.few_passes and hp.02.few_updates at the most that left hp.02.undone of it). Fewer than
    hp.02.epochs without a test may be a trial, which ends early on purpose: there next to nothing has to be gained
    (hp.01.learnt), as it has to be where all batches are one. Nor where it stays above a constant prediction.
    """
    run = run_data.once(further_training)
    if run is None or run.own is None or decayed(run_data) or _stays_above_constant(run_data, run):
        return None
    if any(holds_state(one) for one in run_data.datasets_of("train")):  # no epochs can be counted
        return None
    if classified_share(run_data) >= run_data.limit("hp.02.right"):
        return None
    constant = learning_outcome(run_data).constant or run_data.once(constant_loss)
    share = _share_of_the_way(run_data, constant.majority if constant is not None else None)
    goes_on = run.before >= run_data.limit("hp.02.undone") * run.level
    goes_on = goes_on and run.own.gain >= run_data.limit("hp.02.onward") * run.level
    unfinished = _much_left(run_data, run) or (goes_on and _few_whole_passes(run_data))
    if share >= run_data.limit("hp.02.well") and not (share < run_data.limit("hp.02.reached") and unfinished):
        return None
    long_enough = _is_tested(run_data) or (epochs_of(run_data) or 0) >= run_data.limit("hp.02.epochs")
    if run.gained >= run_data.limit("hp.01.learnt") * run.level and not (run.apart and long_enough):
        return None
    halved = run.before > run_data.limit("hp.02.rest") * run.level
    halved = halved and run.own.gain >= (1 - run_data.limit("hp.02.halved")) * run.before
    halved = halved or _quartered(run_data, run)
    # a loss that has a floor well above 0, as that of a VAE
    as_much = run.own.steps <= run_data.limit("hp.02.as_long") * run.steps and not run_data.loads
    as_much = as_much and run.own.gain >= run_data.limit("hp.02.as_much") * run.gained
    as_much = as_much and run.own.gain >= run_data.limit("hp.02.falling") * run.level
    few = (epochs_of(run_data) or 0) < run_data.limit("hp.02.epochs")
    return run if goes_on or (few and (halved or as_much)) else None


def _stays_above_constant(run_data: RunData, run: Further) -> bool:
    """Whether a whole training learnt nothing, and as it goes on it does not come below a constant prediction either: more of the
    same is not what is missing."""
    outcome, own = learning_outcome(run_data), run.own
    nothing = outcome.verdict == "nothing" and whole_training(run_data, outcome.steps)
    return nothing and own is not None and run.before - own.gain >= outcome.constant_value


def _much_left(run_data: RunData, run: Further) -> bool:
    """Whether hp.02.quartered of what there was to learn is left, and training on brings the loss of batches that were kept back
    down to such a part of it."""
    part = run_data.limit("hp.02.quartered")
    enough = run.own is not None and run.apart and run.own.gain >= (1 - part) * run.before
    return enough and run.before >= part * run.level


def _quartered(run_data: RunData, run: Further) -> bool:
    """Whether hp.02.least of what there was to learn is left, and hp.02.as_long as many steps as the run had bring it down to
    hp.02.quartered."""
    if run.own is None or not run.apart:
        return False
    short = run.own.steps <= run_data.limit("hp.02.as_long") * run.steps
    left = run.before >= run_data.limit("hp.02.least") * run.level
    return short and left and run.own.gain >= (1 - run_data.limit("hp.02.quartered")) * run.before


def leads_nowhere(run_data: RunData) -> Optional[tuple]:
    """``(run, trial)`` of a run whose last weights, trained on for hp.02.told steps at its own rate, gain nothing on batches that
    were kept back; None of any other."""
    run = run_data.once(further_training)
    own = run.own if run is not None and run.apart else None
    return (run, own) if own is not None and own.steps >= run_data.limit("hp.02.told") and own.gain <= 0 else None


def little_ahead(run_data: RunData) -> Optional[tuple]:
    """``(run, trial)`` of a run of which no sample came again and whose last weights, trained on at its own rate, gain less than
    hp.02.onward of what there was to learn on batches that were kept back; None of any other."""
    run, sets = run_data.once(further_training), run_data.datasets_of("train")
    own = run.own if run is not None and run.apart else None
    if run is None or own is None or any(one.samples_per_pass is not None for one in sets):
        return None
    return (run, own) if own.gain < run_data.limit("hp.02.onward") * run.level else None


def _by_heart_alone(run_data: RunData) -> bool:
    """Whether the last weights, trained on, learn the batches of those steps and gain nothing on those kept back."""
    if leads_nowhere(run_data) is None:
        return False
    losses = np.asarray(run_data.probes.further.trials[0].losses, float)
    tenth = max(3, len(losses) // 10)
    return bool(losses[-tenth:].mean() < (1 - run_data.limit("hp.01.learnt")) * losses[:tenth].mean())


def _share_of_the_way(run_data: RunData, majority: Optional[float]) -> float:
    """How far the best of the last validation scores is from the share of the most frequent class to 1; -inf where not known."""
    if majority is None or majority >= 1:
        return -math.inf
    scores = validation_scores(run_data, ACCURACY.pattern)
    return max([(score - majority) / (1 - majority) for score in scores], default=-math.inf)


def held_out_share(run_data: RunData) -> float:
    """The same of the last scores on data that no training step was fed with; -inf where none is known."""
    constant = learning_outcome(run_data).constant or run_data.once(constant_loss)
    if constant is None or constant.majority is None or constant.majority >= 1:
        return -math.inf
    trained = {one.id for one in run_data.datasets_of("train")}
    last = {
        (name, one.dataset): as_share(value)
        for one in last_evaluations(run_data)
        for name, value in one.metrics.items()
        if one.dataset not in trained and ACCURACY.search(name) and 0 <= value <= 100
    }
    return min([(score - constant.majority) / (1 - constant.majority) for score in last.values()], default=-math.inf)


def classified_share(run_data: RunData) -> float:
    """The same of the training samples that were held, by the last weights; -inf where these give no classes."""
    labels = run_data.probes.labels
    if labels.accuracy is None or labels.majority is None or labels.majority >= 1:
        return -math.inf
    return (labels.accuracy - labels.majority) / (1 - labels.majority)


def _slope(values: np.ndarray) -> float:
    """The slope of the least-squares line, in its standard errors (Draper and Smith 1998, section 1.4)."""
    x = np.arange(len(values)) - (len(values) - 1) / 2
    slope = float((x * values).sum() / (x * x).sum())
    rest = values - values.mean() - slope * x
    error = float(np.sqrt((rest * rest).sum() / (len(values) - 2) / (x * x).sum()))
    return slope / max(error, 1e-12)


def _whole_passes(run_data: RunData, arrays: bool = False) -> bool:
    """Whether the training went over whole passes of its data, and was not cut off within one; ``arrays``: also where nothing but
    its length tells that the last pass over plain arrays has ended, or of the only one loops that nothing leaves early."""
    each = [list(dataset.order.passes) for dataset in run_data.datasets_of("train") if dataset.order.passes]
    return bool(each) and all(
        one.complete is not False
        or (
            arrays
            and one is passes[-1]
            and (_runs_out(run_data) if len(passes) == 1 else one.samples == passes[0].samples)
        )
        for passes in each
        for one in passes
    )


def _runs_out(run_data: RunData) -> bool:
    """Whether gradients are taken in loops within loops alone, of which the outer goes round hp.02.few_passes times at the most,
    and no statement leaves one before its end."""
    calls = list(run_data.source.calls_anywhere(run_data.source.gradient_functions()))
    for file, call in calls:
        loops = [node for node in run_data.source.enclosing(file, call.lineno) if isinstance(node, ast.For)]
        if len(loops) < 2 or any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(loops[0])):
            return False
        ends = last_of_range(loops[0])
        given = run_data.source.only_value(file, ends.id) if isinstance(ends, ast.Name) else ends
        times = given.value if isinstance(given, ast.Constant) else None
        if not isinstance(times, int) or times > run_data.limit("hp.02.few_passes"):
            return False
    return bool(calls)


def still_better(curves: list, turned: list) -> bool:
    """Whether a score went on improving after the loss had turned, by more than its standard error: an overconfident
    network, not a worse one."""
    if any(not curve.low for curve in turned):
        return False
    when = turned[0].steps[turned[0].best]
    for curve in curves:
        if not curve.low and (curve.steps <= when).any():
            then = float(curve.values[curve.steps <= when][-2:].min())
            if then - curve.end > max(0.005 * score_unit(then), curve.noise, curve.error):
                return True
    return False


def validation_flat(curves: list) -> bool:
    """Whether no metric got better over the last third of the evaluations, beyond its noise."""
    for curve in curves:
        third = max(1, len(curve.values) // 3)
        before, last = curve.values[:-third], curve.values[-third:]
        whole = float(curve.values[0] - min(before.min(), last.min()))
        gained = float(before.min() - last.mean())
        if gained > max(2 * curve.noise / third**0.5, 0.05 * abs(whole)):
            return False
    return bool(curves)


def decayed(run_data: RunData) -> bool:
    """Whether the schedule had lowered the learning rate by the end: what fell last may have fallen for that."""
    rates = rates_of(run_data)
    if len(rates) <= 10 or not np.isfinite(rates).all():
        return False
    return float(rates[-3:].mean()) <= run_data.limit("hp.02.decayed") * float(rates.max())


def nearly_done(run_data: RunData, training: TrainingCurve) -> bool:
    """Whether at most hp.02.rest of what there was to learn is left (twice that where units are dropped at random, which keeps a
    training's loss up), and the last fifth of the steps did not halve that; or it ended at hp.02.gone of it, however steeply it
    came down."""
    outcome = learning_outcome(run_data)
    constant = outcome.constant or run_data.once(constant_loss)
    level = min(training.first, constant.value) if constant is not None and constant.value > 0 else training.first
    gone = outcome.end is not None and 0 <= outcome.end <= run_data.limit("hp.02.gone") * level
    rest = run_data.limit("hp.02.rest") * (2 if _drops_units(run_data) else 1)
    return gone or (training.relative < 1 and 0 <= training.last <= rest * level)


def _drops_units(run_data: RunData) -> bool:
    cells = [cell for network in run_data.networks if network.role == "train" for cell in network.cells]
    return any("Dropout" in (cell.class_ or "") for cell in cells) or bool(run_data.find_lines(_DROPOUT, 1))
