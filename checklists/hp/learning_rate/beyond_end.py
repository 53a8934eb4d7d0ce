"""A rate at which the whole training did next to nothing, where a higher one moves its last weights on (hp.01)."""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.training.further_training import Further, Trial, further_training
from msprec.engine.finding import Finding, ok, problem, undecided
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


def moves_in_time(run_data: RunData) -> Optional[Beyond]:
    """The run's own rate, where the run gained less than hp.01.learnt of what there was to lose, and the rate brings the last
    weights' loss on batches kept back down to hp.01.in_time of it in more steps than the run had: the training ended too early
    (hp.02); None of any other run."""
    run = run_data.once(further_training)
    if run is None or not run.apart or run.gained >= run_data.limit("hp.01.learnt") * run.level:
        return None
    own = run.own
    if own is None or own.steps <= run.steps or own.gain < (1 - run_data.limit("hp.01.in_time")) * run.before:
        return None
    return Beyond(run, own)


def ended_too_early(used: float, found: Beyond, evidence: list) -> Finding:
    """No problem of the rate."""
    run, own = found
    return ok(
        Text(
            "学习率 {used} 本身可行：从结束时的权重以同一学习率继续训练 {steps} 步，未参与这些步的 batch 上的 loss 从 {before} "
            "降到 {after}；整个训练只有 {all} 步（见 hp.02）。",
            "A learning rate of {used} will do: trained on from its last weights at that rate, {steps} steps bring the loss of "
            "batches kept back from {before} to {after}; the training has {all} steps (hp.02).",
            used=used,
            steps=own.steps,
            before=run.before,
            after=own.after,
            all=run.steps,
        ),
        evidence,
    )


def finite_at_lower(run_data: RunData) -> Optional[tuple]:
    """``(trial at the run's rate, trial at a lower one)`` of the first steps made again, where the loss is not finite or has
    grown hp.01.exploded times in the one, and in the other comes below its start; None of any other run."""
    facts = run_data.probes.further
    if facts.before or len(facts.trials) < 2:
        return None
    own, *lower = [(one.rate, np.asarray(one.losses, float)) for one in facts.trials]
    burst = not np.isfinite(own[1]).all() or own[1][-1] >= run_data.limit("hp.01.exploded") * own[1][0]
    kept = [one for one in lower if np.isfinite(one[1]).all() and one[1][-3:].mean() <= one[1][0]]
    return (own, kept[0]) if burst and kept else None


def bursts(run_data: RunData, found: tuple, evidence: list, places: list) -> Finding:
    """The problem, at the rate."""
    (used, own), (rate, losses) = found
    return problem(
        Text(
            "学习率 {used} 过大：loss 在 {n} 步内从 {first} 变为 {last}；从同样的初始权重、在同样的 batch 上，"
            "学习率 {rate} 的 loss 在 {count} 步内始终有限，为 {reached}。",
            "The learning rate of {used} is too large: within {n} steps the loss goes from {first} to {last}; from the same "
            "first weights and on the same batches it stays finite at {rate}, and is {reached} after {count} steps.",
            used=float(f"{used:.4g}"),
            n=len(own),
            first=float(own[0]),
            last=float(own[-1]) if math.isfinite(own[-1]) else Text("NaN/Inf", "NaN or infinity"),
            rate=float(f"{rate:.2g}"),
            count=len(losses),
            reached=float(losses[-3:].mean()),
        ),
        Text("把学习率降到约 {rate} 再运行。", "Lower it to about {rate} and run again.", rate=float(f"{rate:.2g}")),
        evidence,
        places,
    )


def learnt_by_heart(run_data: RunData) -> bool:
    """Whether higher rates brought down the loss of the batches that they were trained on, and of no others: then a fall of the
    range test, which goes over the same batches several times, tells nothing of the rate."""
    run = run_data.once(further_training)
    higher = [one for one in run.trials if one.rate > run.rate] if run is not None and run.apart else []
    if run is None or not higher or any(one.gain > 0 for one in higher):
        return False
    return any(one.end < (1 - run_data.limit("hp.01.learnt")) * run.before for one in higher)


def only_by_heart(used: float, evidence: list, places: list) -> Finding:
    """Undecided: what higher rates gain is learnt by heart."""
    return undecided(
        Text(
            "学习率 {used} 下训练没有进展；从结束时的权重继续训练，更高的学习率只使参与训练的 batch 的 loss 下降，"
            "未参与的没有下降：那只是记住样本，不说明学习率过小。",
            "At a learning rate of {used} the training makes no progress; trained on from its last weights, higher rates bring "
            "down the loss of the batches that they see and of no others, which is learnt by heart and does not show "
            "the rate to be too small.",
            used=used,
        ),
        Text(
            "先看数据、标签、网络与 loss 的检查项（ds、dp、cg、wi）。",
            "See the items on data, labels, network and loss (ds, dp, cg, wi) first.",
        ),
        evidence,
        places,
    )


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
