"""A learning rate that still rises when the training ends, far from done (hp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.further_training import Further, further_training
from msprec.checklists.common.training_curves import epochs_of
from msprec.checklists.hp.learning_rate.loss_course import still_rising
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def warm_up_without_end(run_data: RunData) -> Optional[Further]:
    """The last weights trained on at the last rate, where that gains hp.01.rising of the loss (in an eighth of the run's steps
    hp.01.rising_soon), of a run of hp.02.epochs or more whose rate rose to the end; None of any other."""
    if not still_rising(run_data) or (epochs_of(run_data) or 0) < run_data.limit("hp.02.epochs"):
        return None
    run = run_data.once(further_training)
    own = run.own if run is not None and run.apart else None
    if run is None or own is None:
        return None
    # a few steps that gain a little show the same as many that gain much
    soon = 8 * own.steps <= run.steps and own.gain >= run_data.limit("hp.01.rising_soon") * run.before
    return run if soon or own.gain >= run_data.limit("hp.01.rising") * run.before else None


def never_warm(run_data: RunData, run: Further, evidence: list, places: list) -> Finding:
    """The problem, at the lines that compute a length of a warm-up, and at ``places``."""
    rates, own = run_data.steps().observed("lr"), run.own
    places = [*run_data.find_lines(r"(?i)\b\w*warm\w*\s*=[^=].*[*/]", 2), *places]
    assert own is not None
    return problem(
        Text(
            "学习率从 {first} 一直升到最后一步的 {last}，预热没有结束，训练就已结束：从结束时的权重以 {last} 再训练 {steps} 步，"
            "未参与这些步的 batch 上的 loss 从 {before} 降到 {after}。",
            "The learning rate rises from {first} to {last} at the last step, and the training ends before its warm-up does: "
            "trained on from its last weights at {last}, {steps} steps bring the loss of batches kept back from {before} to "
            "{after}.",
            first=float(f"{rates[0]:.4g}"),
            last=float(f"{rates[-1]:.4g}"),
            steps=own.steps,
            before=run.before,
            after=own.after,
        ),
        Text(
            "核对调度的单位：按步生成的学习率列表要用步数作下标，而不是 epoch；预热的步数应远少于总步数。",
            "Check the unit of the schedule: a list with a rate for each step is indexed by the step, not by the epoch; a "
            "warm-up takes far fewer steps than the training.",
        ),
        evidence,
        places,
    )
