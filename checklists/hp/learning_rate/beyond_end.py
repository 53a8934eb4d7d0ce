"""A rate at which the whole training did next to nothing, where a higher one moves its last weights on (hp.01)."""

from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.further_training import Further, Trial, further_training
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


class Beyond(NamedTuple):
    """The run, and what a ``better`` rate does from its last weights."""

    run: Further
    better: Trial


def outdone_beyond_end(run_data: RunData) -> Optional[Beyond]:
    """The higher rate that, in no more steps than the run had, gains most, and hp.01.beyond times what the whole run did.

    The run has gained less than hp.01.learnt of what there was to lose, and has as much as hp.01.open of it left; the other rate
    gains hp.01.moves_on of it beyond chance, on batches that it was not trained on. Where there is but one batch, or the loss of
    a constant prediction is not known and weights were loaded, nothing follows from less than half of the loss.
    """
    run = run_data.once(further_training)
    if run is None or run.before < run_data.limit("hp.01.open") * run.level:
        return None
    if run.gained >= run_data.limit("hp.01.learnt") * run.level:
        return None
    doubtful = not run.apart or not (run.constant or not run_data.loads)
    least = 0.5 * run.before if doubtful else run_data.limit("hp.01.moves_on") * run.level
    least = max(least, run_data.limit("hp.01.beyond") * run.gained)
    found = [one for one in run.trials if one.rate > run.rate and one.gain >= least and one.steps <= run.steps]
    return Beyond(run, max(found, key=lambda one: one.gain)) if found else None


def learnt_by_heart(run_data: RunData) -> bool:
    """Whether higher rates brought down the loss of the batches that they were trained on, and of no others: then a fall of the
    range test, which goes over the same batches several times, tells nothing of the rate."""
    run = run_data.once(further_training)
    higher = [one for one in run.trials if one.rate > run.rate] if run is not None and run.apart else []
    if run is None or not higher or any(one.gain > 0 for one in higher):
        return False
    return any(one.end < (1 - run_data.limit("hp.01.learnt")) * run.before for one in higher)


def too_small_beyond_end(used: float, beyond: Beyond, evidence: list, places: list) -> Finding:
    """The problem, at the rate."""
    run, better = beyond
    return problem(
        Text(
            "学习率 {used} 过小：整个训练的 {all} 步使 loss 变化了 {gained}；从结束时的权重继续训练 {steps} 步，学习率 {rate} "
            "把未参与这些步的 batch 上的 loss 从 {before} 降到 {after}。",
            "The learning rate of {used} is too small: the {all} steps of the training changed the loss by {gained}; trained on "
            "from its last weights, {steps} steps at {rate} bring the loss of batches kept back from {before} to {after}.",
            used=used,
            all=run.steps,
            gained=-run.gained,
            steps=better.steps,
            rate=float(f"{better.rate:.2g}"),
            before=run.before,
            after=better.after,
        ),
        Text(
            "把学习率提高到约 {rate} 再运行。",
            "Raise it to about {rate} and run again.",
            rate=float(f"{better.rate:.2g}"),
        ),
        evidence,
        places,
    )
