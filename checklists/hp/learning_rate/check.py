"""hp.01: The course of the training loss beside a range test (Smith 2017) of the same network from its first weights."""

from msprec.checklists.common.findings import no_training
from msprec.checklists.common.reference.reference_findings import judged_with_reference
from msprec.checklists.hp.learning_rate.learning_rate import judge_rate
from msprec.checklists.hp.learning_rate.reference_rate import judge_reference_rate
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("hp.01", after=judged_with_reference(judge_reference_rate))
def learning_rate(run_data: RunData) -> Finding:
    """The course of the training loss beside a range test (Smith 2017) of the same network from its first weights.

    Problem: the loss grows beyond doubt (hp.01.diverged, hp.01.exploded); the run diverges, swings, makes no progress or learns
    nothing (hp.01.constant) while the largest rate lies outside the range test's bounds, and the test shows a rate that learns
    (hp.01.learns); or it lies more than hp.01.far_below times below them; or above them, and the test outdoes the run at lower
    rates (hp.01.outdone, hp.01.outdone_steps). Inside, or with a loss that falls: ok; without a range test the loss has to fall
    to hp.01.converged of its start. Also a problem: a loss that leapt hp.01.grew times above its
    start and came down to a constant's; a run that did next to nothing, whose last weights a higher rate moves on
    (hp.01.moves_on), and a momentum that outlasts the training (hp.01.forgets). Never ok: an end at the level of the best
    constant prediction. Whatever else: undecided.
    """
    return no_training() if run_data.trains_nothing else judge_rate(run_data)
