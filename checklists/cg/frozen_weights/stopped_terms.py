"""A term of the loss that changes with the trained weights and gives none of them a gradient (cg.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.cg.frozen_weights.penalised_alone import STOPS
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def term_stopped(run_data: RunData) -> Optional[Finding]:
    """A problem where one of the terms that a loss is the sum of has no gradient for any weight, at the start and at the end,
    though its value on the same batch changed by cg.02.term between the two, in a script that stops a gradient."""
    terms = run_data.probes.terms
    term = next((one for one in terms if _stopped(one, run_data.limit("cg.02.term"))), None)
    # where another term that was not zero has no gradient either, all of them may have been lost in computing them again
    if any(_is_silent(one) and (one.start or one.end) for one in terms if one is not term):
        return None
    stops = run_data.find_lines(STOPS, 4) if term is not None else []
    if term is None or not stops:
        return None
    places = [*stops, *([term.place] if term.place else [])]
    return problem(
        Text(
            "损失的一项（{where}）对任何权重都没有梯度，尽管它的值随权重变化（同一个 batch 上由 {start} 到 {end}）："
            "它的梯度被阻断，这一项不起作用。",
            "One term of the loss ({where}) gives no weight a gradient, though its value changes with the weights ({start} to "
            "{end} on one batch): its gradient is stopped, and nothing is learnt from it.",
            where=at(term.place),
            start=term.start,
            end=term.end,
        ),
        Text(
            "让这一项的预测值带梯度，stop_gradient 只用在作为目标的一侧（如教师网络的输出）。",
            "Let the gradient of its prediction through; stop that of the side which is the target, as what a teacher gives.",
        ),
        [run_data.code_at(places, Text("阻断梯度处与这一项", "Where gradients end, and the term"))],
        places,
    )


def _stopped(term: Fact, change: float) -> bool:
    """Whether a term has no gradient at either end of the training, and another value."""
    start, end = term.start, term.end
    if not _is_silent(term) or not start or not end:
        return False
    return abs(end - start) >= change * max(abs(start), abs(end))


def _is_silent(term: Fact) -> bool:
    return term.gradient_start == 0 and term.gradient_end == 0
