"""Which runs are made and in which order: baseline, each remedy alone, the best together. What came of it are the facts."""

import time
from typing import Optional

from msprec.bilingual import LANGUAGES
from msprec.experiment import effect
from msprec.experiment.effect import Compared, Score
from msprec.experiment.plan import SEEDS, Plan
from msprec.experiment.runner import Runner, Task

#: Remedies of one of these groups take each other's place.
_INSTEAD = (("lr_range_test", "lr_lower", "lr_higher", "lr_much_lower", "lr_much_higher"), ("loss_scale", "float32"))


class BudgetSpent(Exception):
    """The next run would not end within the budget."""


class BaselineFailed(Exception):
    """The script failed without any remedy; the message is what it said last."""


class Trials:
    """Carries out a plan.

    Args:
        plan: What is tried.
        runner: Starts the runs.
        budget: Seconds that runs may take; None: as long as they need.
    """

    def __init__(self, plan: Plan, runner: Runner, budget: Optional[float] = None) -> None:
        self.plan, self.runner, self.budget = plan, runner, budget
        self._began = time.monotonic()
        self._results, self._compared, self.spent = {(): []}, {}, False
        self.score = Score(None, False)

    # --- runs ---------------------------------------------------------------------------------------------------
    def carry_out(self) -> dict:
        """Runs what the budget allows; the facts ``remedies`` (without the patch).

        Raises:
            BaselineFailed: The script failed in the copy, without any remedy.
        """
        together = ()
        try:
            self.baseline()
            for remedy in self.plan.remedies:
                self.attempt((remedy,))
            together = self._together()
        except BudgetSpent:
            self.spent = True
        return self._facts(together)

    def baseline(self) -> None:
        """Runs the script as it is, over `SEEDS` seeds, and chooses the score.

        Raises:
            BaselineFailed: It failed.
            BudgetSpent: There is no time for it.
        """
        first = self._more((), 1)[0]
        if first["status"] != 0:
            raise BaselineFailed(first["said"][-1] if first["said"] else f"exit status {first['status']}")
        self._more((), SEEDS)
        self.score = effect.choose_score(self._results[()])

    def _more(self, remedies: tuple, count: int) -> list:
        """The results of a set of remedies, over at least so many seeds."""
        have = self._results.setdefault(remedies, [])
        tasks = [Task(remedies, seed) for seed in range(len(have), count)]
        for start in range(0, len(tasks), self.runner.jobs):
            some = tasks[start : start + self.runner.jobs]
            self._require_time(some)
            have += self.runner.run(some)
        return have

    def _require_time(self, tasks: list) -> None:
        if self.budget is None or all(self.runner.known(task) is not None for task in tasks):
            return
        if time.monotonic() - self._began + self.runner.seconds() > self.budget:
            raise BudgetSpent

    def attempt(self, remedies: tuple, against: tuple = ()) -> Compared:
        """Compares a set of remedies with another one: with one seed where that decides it, else with more."""
        for count in range(1, SEEDS + 1):
            self._more(remedies, count)
            found = self._compare(remedies, against)
            if found.verdict != "open":
                break
        if found.verdict == "open":
            found = found._replace(verdict="none")
        self._compared[remedies, against] = found
        return found

    def _compare(self, remedies: tuple, against: tuple) -> Compared:
        tried, base = self._results[remedies], self._results[against]
        steps = effect.common_steps([tried, base])
        same_loss = all(one.same_loss for one in remedies)
        sides = [effect.measure(results, self.score, steps) for results in (base, tried)]
        return effect.compare(*sides, self.score, same_loss)

    # --- together -----------------------------------------------------------------------------------------------
    def _together(self) -> tuple:
        """The fewest remedies that do as well as any: those that help, each on top of the ones before it."""
        alone = {one: self._compared[(one,), ()] for one in self.plan.remedies}
        helping = [one for one, found in alone.items() if found.verdict == "helps"]
        helping.sort(key=lambda one: -self._rank(alone[one]))
        chosen = (helping[0],) if helping else self._only_together()
        if not chosen:
            return ()
        for more in (True, False):  # those that help alone first, then those that may help once others are in
            for one in [one for one in self.plan.remedies if (one in helping) == more]:
                chosen = self._with(chosen, one) if one not in chosen else chosen
        self._more(chosen, SEEDS)
        self._compared[chosen, ()] = self._compare(chosen, ())
        return chosen

    def _with(self, chosen: tuple, one) -> tuple:
        if any(one.id in group and any(other.id in group for other in chosen) for group in _INSTEAD):
            return chosen
        together = self._sorted((*chosen, one))
        return together if self.attempt(together, chosen).verdict == "helps" else chosen

    def _only_together(self) -> tuple:
        """Where no remedy helps alone: all of them, less those that can be left out."""
        everything = ()
        for one in self.plan.remedies:
            harms = self._compared[(one,), ()].verdict == "harms"
            if not harms and not any(one.id in group and {x.id for x in everything} & set(group) for group in _INSTEAD):
                everything = self._sorted((*everything, one))
        if len(everything) < 2 or self.attempt(everything).verdict != "helps":
            return ()
        for one in everything:
            fewer = tuple(other for other in everything if other is not one)
            if len(fewer) > 1 and self.attempt(fewer, everything).verdict != "harms":
                everything = fewer
        self.attempt(everything)
        return everything

    def _sorted(self, remedies: tuple) -> tuple:
        return tuple(one for one in self.plan.remedies if one in remedies)

    @staticmethod
    def _rank(found: Compared) -> float:
        return float("inf") if found.gain is None else found.gain

    # --- facts --------------------------------------------------------------------------------------------------
    def _facts(self, together: tuple) -> dict:
        tried = [one for one in self.plan.remedies if ((one,), ()) in self._compared]
        entries = [self._remedy(one, together) for one in tried]
        order = {"helps": 0, "none": 1, "harms": 2}
        entries.sort(
            key=lambda one: (order[one["verdict"]], -(one["gain"] if one["gain"] is not None else float("inf")))
        )
        everything = [self._results[()], *([self._results[together]] if together else [])]
        steps = effect.common_steps([group for group in everything if group])
        return {
            "score": self.score.name,
            "higher": self.score.higher if self.score.name else False,
            "seeds": SEEDS,
            "baseline": self.measured((), steps),
            "remedies": entries,
            "together": self._set(together, steps) if together else None,
            "left_out": [one.id for one in self.plan.remedies if one not in tried],
            "described": [{"id": one.id, "title": both(one.title), "code": one.code()} for one in self.plan.described],
            "unanswered": [one.item for one in self.plan.unanswered],
            "budget_spent": self.spent,
        }

    def _remedy(self, one, together: tuple) -> dict:
        found = self._compared[(one,), ()]
        steps = effect.common_steps([self._results[()], self._results[(one,)]])
        added = [
            {"to": [other.id for other in against], **as_facts(compared)}
            for (remedies, against), compared in self._compared.items()
            if against and set(remedies) - set(against) == {one}
        ]
        return {
            "id": one.id,
            "title": both(one.title),
            "items": [problem.item for problem in one.problems],
            **as_facts(found),
            **self.measured((one,), steps),
            "same_loss": one.same_loss,
            "added": added,
            "used": one in together,
            "code": one.code(),
        }

    def _set(self, together: tuple, steps: Optional[int]) -> dict:
        return {
            "ids": [one.id for one in together],
            **as_facts(self._compared[together, ()]),
            **self.measured(together, steps),
        }

    def measured(self, remedies: tuple, steps: Optional[int]) -> dict:
        results = self._results[remedies]
        found = effect.measure(results, self.score, steps)
        return {
            "scores": list(found.scores) if self.score.name else [],
            "losses": list(found.losses),
            "failed": found.failed,
            "said": next((one["said"][-1] for one in results if one["status"] != 0 and one["said"]), None),
            "curve": {"steps": results[0]["steps"], "losses": results[0]["losses"]} if results else None,
        }


def both(title) -> dict:
    """A title in both languages."""
    return {lang: title.render(lang) for lang in LANGUAGES}


def as_facts(found: Compared) -> dict:
    """A comparison as it stands in a facts file."""
    finite = found.spread is not None and found.spread != float("inf")
    return {"verdict": found.verdict, "gain": found.gain, "spread": found.spread if finite else None}
