"""Which remedies are tried, and how long that takes: made before anything runs."""

from typing import NamedTuple, Optional

from msprec.experiment.case import CannotExperiment, Case
from msprec.experiment.remedies import REMEDIES
from msprec.experiment.remedies.base import Remedy

#: Runs of the baseline, and the most of a remedy: with fewer than three there is hardly a spread to compare with.
SEEDS = 3
#: The most of a remedy that was better with every seed, yet not beyond the spread.
MOST_SEEDS = 5


class Plan(NamedTuple):
    """What is to be done.

    Attributes:
        case: The recorded run.
        remedies: Those that are tried out.
        described: Those that are only described: nothing is known that could be patched or edited.
        unanswered: The problems that no remedy answers.
    """

    case: Case
    remedies: tuple
    described: tuple
    unanswered: tuple

    def runs(self) -> tuple:
        """The fewest and the most runs: every remedy alone, and on top of the others."""
        count = len(self.remedies)
        if not count:
            return 0, 0
        return SEEDS + count, MOST_SEEDS * (1 + 2 * count) + SEEDS

    def as_json(self, lang: str) -> dict:
        """The plan for ``--dry-run``: times in seconds."""
        seconds, (fewest, most) = self.case.seconds(), self.runs()
        return {
            "script": str(self.case.script),
            "args": self.case.args,
            "remedies": [_entry(remedy, lang) for remedy in self.remedies],
            "described": [{**_entry(remedy, lang), "code": remedy.code()} for remedy in self.described],
            "unanswered": [{"item": one.item, "summary": one.summary} for one in self.unanswered],
            "seconds_a_run": round(seconds, 1),
            "runs": [fewest, most],
            "seconds": [round(seconds * fewest), round(seconds * most)],
        }


def make_plan(case: Case, only: Optional[tuple] = None) -> Plan:
    """The remedies whose findings the run has; with ``only`` exactly these, whether or not a finding asks for them.

    Raises:
        CannotExperiment: A remedy of ``only`` does not exist or does not fit the run.
    """
    known = {kind.id: kind for kind in REMEDIES}
    unknown = [name for name in only or () if name not in known]
    if unknown:
        raise CannotExperiment(f"there is no remedy {', '.join(unknown)}; there are {', '.join(known)}")
    made = [known[name](case) for name in only] if only else [kind(case) for kind in REMEDIES]
    made = [remedy for remedy in made if only or remedy.problems]
    unfit = [remedy.id for remedy in made if only and not remedy.fits()]
    if unfit:
        raise CannotExperiment(f"{', '.join(unfit)}: the run has nothing that this could change")
    fitting = [remedy for remedy in made if remedy.fits()]
    remedies = tuple(remedy for remedy in fitting if remedy.hook() is not None or remedy.can_edit())
    answered = {one.item for remedy in fitting for one in remedy.problems}
    unanswered = tuple(one for one in case.problems if one.item not in answered)
    return Plan(case, remedies, tuple(one for one in fitting if one not in remedies), unanswered)


def _entry(remedy: Remedy, lang: str) -> dict:
    return {
        "id": remedy.id,
        "title": remedy.title.render(lang),
        "items": [one.item for one in remedy.problems],
        "how": "hook" if remedy.hook() is not None else "edit",
        "patch": remedy.can_edit(),
    }
