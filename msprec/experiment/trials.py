"""Which runs are made and in which order: baseline, each remedy alone, the best together. What came of it are the facts."""

import time
from typing import Optional

from msprec.experiment import effect
from msprec.experiment.effect import Compared, Score
from msprec.experiment.plan import MOST_SEEDS, SEEDS, Plan
from msprec.experiment.present import both
from msprec.experiment.runner import Runner, Task

#: Remedies of one of these groups take each other's place.
_INSTEAD = (
    (
        "lr_range_test",
        "lr_range_middle",
        "lr_range_upper",
        "lr_lower",
        "lr_much_lower",
        "lr_higher",
        "lr_much_higher",
        "lr_far_higher",
    ),
    ("output_activation", "output_range"),
    ("loss_scale", "float32"),
    ("more_epochs", "many_epochs", "most_epochs"),
)


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
        self._chosen: tuple = ()
        self.score, self._scored = Score(None, False), False

    # --- runs ---------------------------------------------------------------------------------------------------
    def carry_out(self) -> dict:
        """Runs what the budget allows; the facts ``remedies`` (without the patch).

        Raises:
            BaselineFailed: The script failed in the copy, without any remedy.
        """
        try:
            self.alone()
            self._together()
        except BudgetSpent:
            self.spent = True
        return self._facts(self._chosen or self._best_alone())

    def alone(self) -> None:
        """Runs the script as it is and each remedy alone.

        Raises:
            BaselineFailed, BudgetSpent: As `baseline` does.
        """
        self.baseline()
        self._first_runs()
        for remedy in self.plan.remedies:
            if self._worth_trying(remedy):
                self.attempt((remedy,))

    def _first_runs(self) -> None:
        """The first run of each remedy, as many at a time as there may be."""
        if self.runner.jobs > 1:
            tasks = [Task((one,), 0) for one in self.plan.remedies if one.after is None]
            for start in range(0, len(tasks), self.runner.jobs):
                self._require_time(tasks[start : start + self.runner.jobs])
                self.runner.run(tasks[start : start + self.runner.jobs])

    def _worth_trying(self, remedy) -> bool:
        """Whether what goes less far the same way did no harm, and did as well as what goes less far still."""
        before = next((one for one in self.tried() if one.id == remedy.after), None)
        if before is None:
            return all(one.id != remedy.after for one in self.plan.remedies)
        earlier = next((one for one in self.tried() if one.id == before.after), None)
        found = self._compared[(before,), ()].verdict
        wanted = found == "helps" or (found == "none" and (not remedy.must_help or self._lowers_loss(before)))
        return wanted and (earlier is None or self._rank(before) >= self._rank(earlier))

    def _lowers_loss(self, one) -> bool:
        """Whether the training loss ends lower with it, beyond the baseline's spread: the score may not have moved yet."""
        found = self._compare((one,), (), Score(None, False))
        return None not in (found.gain, found.spread) and found.gain > found.spread and found.verdict != "none"

    def tried(self) -> list:
        """The remedies that were tried alone: those that help before others, and by their effect."""
        order = {"helps": 2, "none": 1, "harms": 0}
        found = [one for one in self.plan.remedies if ((one,), ()) in self._compared]
        by_effect = {one: (order[self._compared[(one,), ()].verdict], *self._rank(one)) for one in found}
        return sorted(found, key=by_effect.get, reverse=True)

    def baseline(self) -> None:
        """Runs the script as it is, over `SEEDS` seeds, and chooses the score. A script that trained and then ended by an
        exception, such as that of a loss that is not finite, may end by it again: that is what remedies are tried against.

        Raises:
            BaselineFailed: It failed, and not as it did when it was recorded.
            BudgetSpent: There is no time for it.
        """
        first = self.more((), 1)[0]
        if first["status"] != 0 and not self._ended_as_recorded(first):
            raise BaselineFailed(first["said"][-1] if first["said"] else f"exit status {first['status']}")
        self.more((), SEEDS)
        self._choose_score(self._results[()])

    def _ended_as_recorded(self, result: dict) -> bool:
        kind = self.plan.case.ended_by
        return kind is not None and bool(result["steps"]) and any(kind in line for line in result["said"])

    def _choose_score(self, results: list) -> None:
        """Of runs that ended well; where the script as it is never does, the first remedy with which it does decides."""
        ended_well = [one for one in results if one["status"] == 0]
        if not self._scored and ended_well:
            unbalanced = any(one.item == "ds.03" for one in self.plan.case.problems)
            self.score, self._scored = effect.choose_score(ended_well, unbalanced), True

    def more(self, remedies: tuple, count: int) -> list:
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

    def attempt(self, remedies: tuple, against: tuple = (), worse: bool = False) -> Compared:
        """Compares a set of remedies with another one: with one seed where that decides it, else with more.

        ``worse``: whether it matters that it is worse; otherwise what looks worse at first is not looked into.
        """
        for count in range(1, MOST_SEEDS + 1):
            self.more(remedies, count)
            if count > SEEDS:
                self.more(against, count)
            self._choose_score(self._results[remedies])
            found = self._compare(remedies, against)
            if found.verdict != "open" or (found.gain < 0 and not worse) or (count >= SEEDS and not found.steady):
                break
            if not against and self._is_outdone(remedies, found.gain):
                break
        if found.verdict == "open":
            found = found._replace(verdict="none")
        self._compared[remedies, against] = found
        return found

    def _is_outdone(self, remedies: tuple, gain: float) -> bool:
        """Whether another one that would take its place, such as another learning rate, is known to help and gains more."""
        known = {one[0]: found for (one, against), found in self._compared.items() if len(one) == 1 and not against}
        better = [one for one, found in known.items() if found.verdict == "helps" and (found.gain or 0) > gain]
        return len(remedies) == 1 and _instead(remedies[0], [one for one in better if one is not remedies[0]])

    def _compare(self, remedies: tuple, against: tuple, score: Optional[Score] = None) -> Compared:
        tried, base = self._results[remedies], self._results[against]
        steps = self._steps(remedies, against)
        same_loss = all(one.same_loss for one in remedies)
        sides = [effect.measure(results, score or self.score, steps) for results in (base, tried)]
        return effect.compare(*sides, score or self.score, same_loss)

    def _steps(self, remedies: tuple, against: tuple = ()) -> Optional[int]:
        """The last step that all runs of both have; None, the end of each, where a remedy changes the number of steps."""
        if not all(one.same_steps for one in (*remedies, *against)):
            return None
        return effect.common_steps([self._results[remedies], self._results[against]])

    # --- together -----------------------------------------------------------------------------------------------
    def _together(self) -> None:
        """Chooses the fewest remedies that do as well as any: those that help, each on top of the ones before it."""
        helping = self._confirmed()
        self._chosen = (helping[0],) if helping else self._only_together()
        if not self._chosen:
            return
        for one in helping[1:]:
            self._chosen = self._with(self._chosen, one)
        # those that may help once others are in
        rest = [one for one in self.tried() if self._compared[(one,), ()].verdict == "none"]
        rest = [one for one in rest if one not in self._chosen]
        if self._some_may_help(rest):
            for one in rest:
                self._chosen = self._with(self._chosen, one)
        self.more(self._chosen, SEEDS)

    def _some_may_help(self, rest: list) -> bool:
        """Whether it is worth while to try each on top of what is chosen: not where all of them together change nothing. Where
        they make it worse, though within the spread, one of them may hide what another gains."""
        together = self._chosen
        for one in rest:
            together = together if _instead(one, together) else self._sorted((*together, one))
        if len(together) - len(self._chosen) < 3:
            return True
        if self.attempt(together, self._chosen).verdict != "none":
            return True
        found = self._compare(together, self._chosen)
        return found.verdict == "open" and found.gain < 0

    def _confirmed(self) -> list:
        """The remedies that help alone; the best of them, which all else is built on, with as many seeds as the baseline."""
        while True:
            helping = self.helping()
            if not helping or len(self._results[(helping[0],)]) >= SEEDS:
                return helping
            best = (helping[0],)
            self.more(best, SEEDS)
            found = self._compare(best, ())
            self._compared[best, ()] = found._replace(verdict="none") if found.verdict == "open" else found

    def helping(self) -> list:
        """The remedies that help alone, the best first."""
        return [one for one in self.tried() if self._compared[(one,), ()].verdict == "helps"]

    def _best_alone(self) -> tuple:
        return tuple(self.helping()[:1])

    def _with(self, chosen: tuple, one) -> tuple:
        if _instead(one, chosen):
            return chosen
        together = self._sorted((*chosen, one))
        return together if self.attempt(together, chosen).verdict == "helps" else chosen

    def _only_together(self) -> tuple:
        """Where no remedy helps alone: all of them, less those that can be left out."""
        everything = ()
        for one in self.tried():
            harms = self._compared[(one,), ()].verdict == "harms"
            if not harms and not _instead(one, everything):
                everything = self._sorted((*everything, one))
        if len(everything) < 2 or self.attempt(everything).verdict != "helps":
            return ()
        for one in everything:
            fewer = tuple(other for other in everything if other is not one)
            self.more(everything, SEEDS)
            if self._compare(everything, ()).verdict != "helps":
                return ()
            if len(fewer) > 1 and self.attempt(fewer, everything, worse=True).verdict != "harms":
                everything = fewer
        return everything

    def _sorted(self, remedies: tuple) -> tuple:
        return tuple(one for one in self.plan.remedies if one in remedies)

    def _rank(self, one) -> tuple:
        """By gain, and where the script as it is has no result to compare with, by the result itself."""
        gain = self._compared[(one,), ()].gain
        if gain is not None:
            return gain, 0.0
        found = effect.measure(self._results[(one,)], self.score)
        known = [value for value in (found.scores if self.score.name else found.losses) if value is not None]
        mean = sum(known) / len(known) if known else float("inf") * (-1 if self.score.higher else 1)
        return float("inf"), mean if self.score.name and self.score.higher else -mean

    # --- facts --------------------------------------------------------------------------------------------------
    def _facts(self, together: tuple) -> dict:
        tried = self.tried()
        if together:
            self._compared[together, ()] = self._compare(together, ())
        entries = [self._remedy(one, together) for one in tried]
        steps = self._steps(together)
        return {
            "score": self.score.name,
            "higher": self.score.higher if self.score.name else False,
            "seeds": SEEDS,
            "baseline": self.measured((), steps),
            "remedies": entries,
            "together": self._set(together, steps) if together else None,
            "left_out": [one.id for one in self.plan.remedies if one not in tried] if self.spent else [],
            "described": [{"id": one.id, "title": both(one.title), "code": one.code()} for one in self.plan.described],
            "unanswered": [one.item for one in self.plan.unanswered],
            "budget_spent": self.spent,
        }

    def _remedy(self, one, together: tuple) -> dict:
        found = self._compared[(one,), ()]
        steps = self._steps((one,))
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


def _instead(one, others: tuple) -> bool:
    """Whether one of the others takes its place."""
    return any(one.id in group and any(other.id in group for other in others) for group in _INSTEAD)


def as_facts(found: Compared) -> dict:
    """A comparison as it stands in a facts file."""
    finite = found.spread is not None and found.spread != float("inf")
    return {"verdict": found.verdict, "gain": found.gain, "spread": found.spread if finite else None}
