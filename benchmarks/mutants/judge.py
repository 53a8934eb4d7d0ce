"""What msprec's conclusions on originals and mutants are worth."""

from __future__ import annotations

import re
from dataclasses import dataclass

from measure import Concluded, Harm, Problem
from operators import Mutant

Place = tuple[str, int, int]


@dataclass(frozen=True)
class Judged:
    """One mutant: its harm, whether it was found and where, what was accused beside it."""

    mutant: Mutant
    harm: Harm | None
    concluded: Concluded
    found: bool
    localised: bool
    at_use: bool
    false: tuple[Problem, ...]
    other: tuple[Problem, ...]

    @property
    def accused_otherwise(self) -> bool:
        """Whether a problem that is false names another item than the one whose fault is there."""
        return any(not expected(problem.item, self.mutant.items) for problem in self.false)

    @property
    def inside(self) -> bool:
        """Whether one of the guide's items is expected to find it, not the family beyond alone."""
        return any(item != "td" for item in self.mutant.items)


def expected(item: str, items: tuple[str, ...]) -> bool:
    """Whether an item, or its family where only that is named, should find the mutant."""
    return item in items or item.split(".")[0] in items


def near(problem: Problem, places: tuple[Place, ...], margin: int = 1) -> bool:
    """Whether the problem names one of the places, or a line next to it."""
    return any(
        file == name and first - margin <= line <= last + margin
        for file, line in problem.locations
        for name, first, last in places
    )


def said(problem: Problem) -> tuple[str, str]:
    """The item and its words without the numbers, which differ from run to run."""
    return problem.item, re.sub(r"[-+]?\d[\d.,e+-]*", "", problem.summary)


def judge(mutant: Mutant, harm: Harm | None, concluded: Concluded, original: Concluded) -> Judged:
    """Found: an expected item is a problem that the original does not have, or names the place. Localised: it names the place.

    A mutant that does no harm must not be accused: the expected item, or any item at the place, is then a false problem.
    """
    known = {said(problem) for problem in original.problems}
    hits = [problem for problem in concluded.problems if expected(problem.item, mutant.items)]
    hits = [problem for problem in hits if said(problem) not in known or near(problem, mutant.places)]
    others = [problem for problem in concluded.problems if problem not in hits and said(problem) not in known]
    localised = any(near(problem, mutant.places) for problem in hits)
    at_use = localised or any(near(problem, mutant.used) for problem in hits)
    false = [problem for problem in others if near(problem, mutant.places)] + hits
    harmless = harm is not None and harm.verdict == "harmless"
    false = tuple(false) if harmless else ()
    return Judged(mutant, harm, concluded, bool(hits), localised, at_use, false, tuple(others))


def totals(judged: list[Judged]) -> dict[str, int]:
    """The counts of the table."""
    harmful = [one for one in judged if one.harm is None or one.harm.verdict == "harmful"]
    inside = [one for one in harmful if one.inside]
    harmless = [one for one in judged if one.harm is not None and one.harm.verdict == "harmless"]
    return {
        "mutants": len(judged),
        "harmful": len(harmful),
        "harmful inside the items": len(inside),
        "found": sum(one.found for one in inside),
        "localised": sum(one.localised for one in inside),
        "localised at the place or at its use": sum(one.at_use for one in inside),
        "beyond": len(harmful) - len(inside),
        "beyond, found": sum(one.found for one in harmful if not one.inside),
        "harmless": len(harmless),
        "harmless, accused": sum(bool(one.false) for one in harmless),
        "harmless, accused of another fault": sum(one.accused_otherwise for one in harmless),
        "unclear": len(judged) - len(harmful) - len(harmless),
    }
