"""Which runs are made, and what is said of them: the runs themselves are given."""

import pytest
from small_run import write_run

from msprec.experiment import present
from msprec.experiment.case import Case
from msprec.experiment.plan import make_plan
from msprec.experiment.trials import BaselineFailed, BudgetSpent, Trials


class Given:
    """In place of a `Runner`: the accuracy of a set of remedies is what a function says."""

    jobs = 1

    def __init__(self, accuracy):
        self._accuracy, self.asked = accuracy, []

    def run(self, tasks):
        return [self._one(task) for task in tasks]

    def known(self, task):
        return None

    def seconds(self):
        return 10.0

    def _one(self, task):
        ids = frozenset(one.id for one in task.remedies)
        self.asked.append((ids, task.seed))
        value = self._accuracy(ids)
        value = value[min(task.seed, len(value) - 1)] if isinstance(value, tuple) else value
        curve = {"steps": [1, 2], "losses": [2.0, 1.0]}
        if value is None:
            return {**curve, "status": 1, "said": ["ValueError: no"], "metrics": {}}
        return {**curve, "status": 0, "said": [], "metrics": {"accuracy": [[2, value + 0.002 * task.seed]]}}


@pytest.fixture
def plan(tmp_path):
    return make_plan(Case(write_run(tmp_path)), ("shuffle", "standardise", "lr_lower"))


@pytest.fixture
def rates(tmp_path):
    return make_plan(
        Case(write_run(tmp_path)), ("lr_lower", "lr_much_lower", "lr_higher", "lr_much_higher", "lr_far_higher")
    )


def carry_out(plan, accuracy, budget=None):
    given = Given(accuracy)
    return Trials(plan, given, budget).carry_out(), given


def test_of_two_faults_the_one_that_matters_comes_first(plan):
    facts, given = carry_out(plan, lambda ids: 0.9 if "standardise" in ids else 0.3)
    assert facts["remedies"][0]["id"] == "standardise"
    assert facts["together"]["ids"] == ["standardise"]
    assert [one["verdict"] for one in facts["remedies"]] == ["helps", "none", "none"]
    lines = [present.sentence(one, facts, "en") for one in facts["remedies"]]
    assert lines[0] == "inputs standardised: accuracy 0.302 ± 0.002 → 0.902 ± 0.002"
    assert lines[1] == "training set shuffled: no effect within the spread"
    # one run decided each that has no effect
    assert given.asked.count((frozenset({"shuffle"}), 1)) == 0


def test_what_helps_only_with_another_is_found(plan):
    facts, _ = carry_out(
        plan, lambda ids: {0: 0.3, 1: 0.6, 2: 0.9}[len(ids & {"standardise"}) * (1 + len(ids & {"shuffle"}))]
    )
    assert facts["together"]["ids"] == ["shuffle", "standardise"] or facts["together"]["ids"] == [
        "standardise",
        "shuffle",
    ]
    shuffle = next(one for one in facts["remedies"] if one["id"] == "shuffle")
    assert shuffle["verdict"] == "none" and shuffle["used"]
    assert present.verdict(shuffle).render("en") == "helps together with standardise"


def test_what_helps_only_all_together_is_found(plan):
    facts, _ = carry_out(plan, lambda ids: 0.9 if {"standardise", "shuffle"} <= ids else 0.3)
    assert sorted(facts["together"]["ids"]) == ["shuffle", "standardise"]


def test_what_changes_nothing_together_is_not_tried_one_by_one(tmp_path):
    others = ("shuffle", "all_parameters", "initial_weights", "more_epochs")
    plan = make_plan(Case(write_run(tmp_path)), ("standardise", *others))
    facts, given = carry_out(plan, lambda ids: 0.9 if "standardise" in ids else 0.3)
    assert facts["together"]["ids"] == ["standardise"]
    assert {ids for ids, _ in given.asked if len(ids) > 1} == {frozenset(("standardise", *others))}
    # one of them helps on top: it is found, though another one harms
    worth = {"initial_weights": 0.05, "more_epochs": -0.02}
    facts, _ = carry_out(
        plan, lambda ids: 0.85 + sum(worth.get(one, 0) for one in ids) if "standardise" in ids else 0.3
    )
    assert facts["together"]["ids"] == ["standardise", "initial_weights"]


def test_what_helps_is_found_though_all_together_is_worse_within_the_spread(tmp_path):
    others = ("shuffle", "all_parameters", "initial_weights", "more_epochs")
    plan = make_plan(Case(write_run(tmp_path)), ("standardise", *others))

    def accuracy(ids):
        if "standardise" not in ids:
            return 0.3
        worth = 0.1 * ("initial_weights" in ids) - 0.25 * ("more_epochs" in ids)
        return tuple(one + worth for one in (0.7, 0.8, 0.85))

    facts, _ = carry_out(plan, accuracy)
    assert facts["together"]["ids"] == ["standardise", "initial_weights"]


def test_of_two_cures_for_one_fault_one_is_taken(plan):
    facts, _ = carry_out(plan, lambda ids: 0.9 if ids & {"standardise", "shuffle"} else 0.3)
    assert len(facts["together"]["ids"]) == 1


def test_a_sound_program(plan):
    facts, _ = carry_out(plan, lambda ids: 0.9)
    assert facts["together"] is None
    assert present.closing(facts, "en") == ["No remedy helps; there is no patch."]


def test_a_remedy_that_fails_harms(plan):
    facts, _ = carry_out(plan, lambda ids: None if "shuffle" in ids else 0.3)
    shuffle = facts["remedies"][-1]
    assert (shuffle["id"], shuffle["verdict"], shuffle["failed"]) == ("shuffle", "harms", 1)


def test_the_budget_is_kept(plan):
    facts, given = carry_out(plan, lambda ids: 0.3, budget=1.0)
    assert facts["budget_spent"] and not given.asked and len(facts["left_out"]) == 3


@pytest.mark.parametrize("lucky", [(0.9, 0.2, 0.1), (0.9, 0.29, 0.3)])
def test_what_helped_with_one_seed_only_is_no_remedy(plan, lucky):
    """By chance: what comes first is run with as many seeds as the script as it is, before anything is built on it."""
    facts, _ = carry_out(plan, lambda ids: lucky if "shuffle" in ids else 0.3)
    assert facts["together"] is None
    shuffle = next(one for one in facts["remedies"] if one["id"] == "shuffle")
    assert shuffle["verdict"] == "none" and len(shuffle["scores"]) >= 3
    facts, _ = carry_out(plan, lambda ids: 0.8 if "standardise" in ids else lucky if "shuffle" in ids else 0.3)
    assert facts["together"]["ids"] == ["standardise"]


def test_results_without_spread_do_not_decide_with_one_seed(plan):
    values = {"shuffle": (0.33, 0.298, 0.296)}
    facts, given = carry_out(plan, lambda ids: values.get(next(iter(ids), None), (0.3, 0.298, 0.296)))
    assert facts["together"] is None and (frozenset({"shuffle"}), 1) in given.asked


def test_what_the_budget_left_time_for_counts(plan):
    trials = Trials(plan, Given(lambda ids: 0.9 if "shuffle" in ids else 0.3), 1e9)
    steps = iter(range(100))
    trials._require_time = lambda tasks: None if next(steps) < 4 else trials_spent()
    facts = trials.carry_out()
    assert facts["together"]["ids"] == ["shuffle"] and facts["left_out"] == ["standardise", "lr_lower"]
    assert present.closing(facts, "en")[-1].startswith("The budget is spent")


def trials_spent():
    raise BudgetSpent


def test_several_at_a_time_come_to_the_same(plan):
    def accuracy(ids):
        return 0.9 if "standardise" in ids else 0.3

    given = Given(accuracy)
    given.jobs = 3
    assert Trials(plan, given).carry_out() == carry_out(plan, accuracy)[0]


@pytest.mark.parametrize(
    ("results", "best", "left"),
    [
        ({"lr_higher": 0.3, "lr_much_higher": 0.5, "lr_far_higher": 0.9}, "lr_far_higher", set()),
        ({"lr_higher": 0.8, "lr_much_higher": 0.6}, "lr_higher", {"lr_far_higher"}),  # too far already
        (
            {"lr_higher": 0.1, "lr_lower": 0.5, "lr_much_lower": 0.9},
            "lr_much_lower",
            {"lr_much_higher", "lr_far_higher"},
        ),
    ],
)
def test_rates_are_followed_as_far_as_it_gets_better(rates, results, best, left):
    facts, given = carry_out(rates, lambda ids: max([results.get(one, 0.1) for one in ids], default=0.3))
    assert facts["remedies"][0]["id"] == best and facts["together"]["ids"] == [best]
    asked = {one for ids, _ in given.asked for one in ids}
    assert asked.isdisjoint(left) and facts["left_out"] == []


def test_a_rate_that_another_one_outdoes_is_not_looked_into(rates):
    """What it may gain lies within the spread with one seed; five would tell, but another rate is known to gain more."""
    worth = {"lr_lower": 0.9, "lr_higher": 0.35}
    scattered = (0.3, 0.38, 0.2)
    facts, given = carry_out(rates, lambda ids: worth.get(next(iter(ids), None), scattered if not ids else 0.1))
    assert facts["together"]["ids"] == ["lr_lower"]
    assert [seed for ids, seed in given.asked if ids == {"lr_higher"}] == [0]


def test_a_training_that_ended_by_an_error_is_what_remedies_are_tried_against(rates):
    """A loss that is not finite ends the script: the best result of the remedies with which it does not comes first."""
    rates.case.ended_by = "ValueError"
    worth = {"lr_lower": 0.6, "lr_much_lower": 0.9}
    facts, _ = carry_out(rates, lambda ids: worth.get(next(iter(ids), None)))
    assert facts["score"] == "accuracy" and facts["baseline"]["failed"] == 3
    assert [one["id"] for one in facts["remedies"][:2]] == ["lr_much_lower", "lr_lower"]
    assert facts["together"]["ids"] == ["lr_much_lower"]
    _, rows = present.rows(facts, "en")
    assert rows[0][-1] == "ends by an error: ValueError: no"
    # another error is the copy's
    rates.case.ended_by = "RuntimeError"
    with pytest.raises(BaselineFailed):
        carry_out(rates, lambda ids: None)


def test_a_script_that_fails_by_itself(plan):
    with pytest.raises(BaselineFailed, match="ValueError: no"):
        carry_out(plan, lambda ids: None)


class OfLosses(Given):
    """Runs without a score: as many steps as epochs, and a loss that halves at each."""

    def _one(self, task):
        steps = list(range(1, 9 if any(one.id == "more_epochs" for one in task.remedies) else 5))
        losses = [2.0**-step * (1 + 0.01 * task.seed) for step in steps]
        return {"steps": steps, "losses": losses, "status": 0, "said": [], "metrics": {}}


def test_more_epochs_are_seen_at_their_end(tmp_path):
    plan = make_plan(Case(write_run(tmp_path, ("hp.02", "dp.03"))), ("more_epochs", "shuffle"))
    facts = Trials(plan, OfLosses(None)).carry_out()
    longer, shuffled = facts["remedies"]
    assert (longer["id"], longer["verdict"], longer["losses"][0]) == ("more_epochs", "helps", 2.0**-8)
    assert (shuffled["id"], shuffled["verdict"], shuffled["losses"][0]) == ("shuffle", "none", 2.0**-4)
    assert facts["together"]["ids"] == ["more_epochs"] and facts["together"]["losses"][0] == 2.0**-8


class StuckAccuracy(OfLosses):
    """The loss falls with more epochs, by steps that are the same; the accuracy moves with the last of them alone."""

    def __init__(self, fall):
        super().__init__(None)
        self._fall = fall

    def _one(self, task):
        count = {"more_epochs": 8, "many_epochs": 32, "most_epochs": 128}.get(
            next((r.id for r in task.remedies), ""), 4
        )
        losses = [1.4 - self._fall * step + 0.0001 * task.seed for step in range(count)]
        accuracy = [[count, 0.9 if count > 100 else 0.25]]
        steps = list(range(1, count + 1))
        return {"steps": steps, "losses": losses, "status": 0, "said": [], "metrics": {"accuracy": accuracy}}


@pytest.mark.parametrize(
    ("fall", "tried"), [(0.01, ["most_epochs", "many_epochs", "more_epochs"]), (0.0, ["more_epochs"])]
)
def test_epochs_that_lower_the_loss_are_gone_on_with(tmp_path, fall, tried):
    plan = make_plan(Case(write_run(tmp_path, ("hp.02",))), ("more_epochs", "many_epochs", "most_epochs"))
    facts = Trials(plan, StuckAccuracy(fall)).carry_out()
    assert sorted(one["id"] for one in facts["remedies"]) == sorted(tried)
    assert facts["remedies"][0]["verdict"] == ("helps" if fall else "none")
