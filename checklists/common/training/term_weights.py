"""Terms of a loss whose weight is trained, and goes to nothing in place of what they measure (td.08, hp.02)."""

from typing import NamedTuple, Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


class LostWeight(NamedTuple):
    """The weight of ``term``, its value over what it measures, at the start and at the end."""

    term: Fact
    start: float
    end: float


def lost_weight(run_data: RunData) -> Optional[LostWeight]:
    """The term whose weight fell most, where the loss comes down by its weights and not by what is learnt; else None.

    A loss with trained weights can do so: ``exp(-s) * task - s``. A term that compares with targets ends at td.08.unweighted of
    its weight, the terms without targets have come down with it (``+ s`` would have grown), and no fit in the loss is
    td.08.half_way below its constant: an auxiliary term may fade out beside one that is learnt.
    """
    terms = run_data.probes.terms
    held = [one for one in terms if not one.fits]
    if not held or any(None in (one.start, one.end) for one in held) or sum(one.end - one.start for one in held) >= 0:
        return None
    fits = [fit for term in terms for fit in term.fits]
    found = [one for term in terms if (one := _weights(term)) is not None]
    found = [one for one in found if one.end <= run_data.limit("td.08.unweighted") * one.start]
    if not found or not all(_far_from_learnt(run_data, fit) for fit in fits):
        return None
    return min(found, key=lambda one: one.end / one.start)


def _weights(term: Fact) -> Optional[LostWeight]:
    pairs = [(one.start, one.end) for one in term.fits]
    if not pairs or any(None in one for one in (*pairs, (term.start, term.end))):
        return None
    first, last = (sum(one[at] for one in pairs) for at in (0, 1))
    if min(first, last, term.start, term.end) <= 0:
        return None
    return LostWeight(term, term.start / first, term.end / last)


def _far_from_learnt(run_data: RunData, fit: Fact) -> bool:
    known = fit.end is not None and fit.constant is not None and fit.constant > 0
    return known and fit.end >= (1 - run_data.limit("td.08.half_way")) * fit.constant
