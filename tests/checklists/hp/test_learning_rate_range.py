"""hp.01 on losses and on facts of the range test."""

import math

import numpy as np
import pytest
from building import Run, column, dataset, optimizer

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import BesideConstant, ConstantLoss
from msprec.checklists.hp.learning_rate.loss_course import Course, lost_again

RATES = [1e-7 * 1.3**n for n in range(70)]


def sweep(lower=1e-3, upper=1.0, used=0.1):
    """A range test whose loss falls from ``lower`` on and blows up beyond ``upper``."""
    losses = []
    for rate in RATES:
        fallen = max(0.0, math.log10(rate / lower)) if rate > lower else 0.0
        losses.append(2.0 - 0.5 * fallen if rate < upper else 40.0 * rate / upper)
    return {
        "low": RATES[0],
        "high": 10.0,
        "steps": len(RATES),
        "rates": RATES,
        "losses": losses,
        "used": used,
        "by": "probe",
    }


def run(losses, rate, **changes):
    made = Run(
        optimizer=[optimizer(learning_rate={"kind": "constant", "first": rate, "last": rate, "value": rate})], **changes
    )
    made.facts["range_test"] = changes.pop("range_test", sweep())
    made.steps = [{"step": n + 1, "loss": loss, "lr": rate} for n, loss in enumerate(losses)]
    return made


def test_a_warm_up_that_never_ends_is_told(verdict):
    made = run(FLAT, 1e-6)
    for step in made.steps:
        step["lr"] = 1e-8 * step["step"]
    entry = verdict("hp.01", made)
    assert entry["conclusion"] == "problem" and "warm-up never ended" in entry["summary"]
    assert "warm-up" not in verdict("hp.01", run(FLAT, 1e-6))["summary"]


def test_a_loss_that_is_all_but_gone_needs_no_range_test(verdict):
    gone = run([2.0 * 0.93**n for n in range(100)], 0.05).set("range_test", None)
    entry = verdict("hp.01", gone)
    assert entry["conclusion"] == "ok" and "no bounds of a range test" in entry["summary"]
    half = run([1.0 + 0.93**n for n in range(100)], 0.05).set("range_test", None)
    assert verdict("hp.01", half)["conclusion"] == "undecided"


def test_a_run_that_a_few_steps_at_lower_rates_outdo(verdict):
    """The sweep comes from 2 to 0.5 or so in 70 steps, and diverges at 1."""
    slow = [2.0 - 0.4 * n / 300 for n in range(300)]
    assert verdict("hp.01", run(slow, 30.0))["conclusion"] == "problem"
    assert "came to" in verdict("hp.01", run(slow, 30.0))["summary"]
    # a run that is shorter, that gets as far, or whose rate the sweep bears
    assert verdict("hp.01", run(slow[:60], 30.0))["conclusion"] == "ok"
    # the sweep's loss falls within 27 of its steps only
    assert verdict("hp.01", run(slow[:150], 30.0))["conclusion"] == "problem"
    assert verdict("hp.01", run([2.0 - 1.6 * n / 300 for n in range(300)], 30.0))["conclusion"] == "ok"
    assert verdict("hp.01", run(slow, 0.3))["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("end", "rate", "conclusion"), [(1.9, 0.01, "problem"), (1.15, 0.01, "ok"), (1.9, 1.0, "undecided")]
)
def test_a_run_that_falls_back_behind_its_own_first_steps(verdict, end, rate, conclusion):
    """Ten times less reaches what the run's rate reached at first, and the run lost."""
    losses = [*np.linspace(2.0, 1.0, 60), *np.linspace(1.0, end, 60), *[end + 0.01 * (-1) ** n for n in range(180)]]
    made = run(losses, 0.1)
    trials = [{"rate": at, "losses": list(np.linspace(2.0, 0.9, 64))} for at in (0.1, rate)]
    made.facts["range_test"] = {**sweep(), "trials": trials}
    assert verdict("hp.01", made)["conclusion"] == conclusion


def test_the_largest_rate_is_that_of_any_group(verdict):
    made = run(EXPLODED, 0.05)
    made.facts["optimizer"]["optimizers"][0]["learning_rate"].update(kind="groups", groups=[[0.05, 0.05], [5.0, 5.0]])
    assert verdict("hp.01", made)["conclusion"] == "problem"


FALLING = [2.0 * 0.97**n for n in range(100)]
SLOWER = [2.0 * 0.99**n for n in range(100)]
FLAT = [2.0 + 0.01 * (-1) ** n for n in range(100)]
EXPLODED = [2.0] + [70.0 - 0.3 * n for n in range(99)]


@pytest.mark.parametrize(
    ("losses", "rate", "conclusion"),
    [
        (FALLING, 0.05, "ok"),
        (EXPLODED, 5.0, "problem"),
        (FLAT, 5.0, "problem"),
        ([2.0, 9.0, "nan", *["nan"] * 40], 5.0, "problem"),
        (FLAT, 1e-6, "problem"),
        (FALLING, 1e-6, "problem"),  # falls, and yet thirty times below where it begins to fall well
        (FALLING, 5e-4, "ok"),  # a little below
        (FALLING, 5.0, "ok"),  # above, and it works all the same
        (FLAT, 0.05, "undecided"),  # the rate is good: something else is wrong
        (FALLING[:4], 0.05, "undecided"),  # too short
        (FLAT, 0.0, "problem"),
    ],
)
def test_rate(verdict, losses, rate, conclusion):
    entry = verdict("hp.01", run(losses, rate))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_a_rate_of_zero_from_a_loaded_state_is_told(verdict):
    made = run(FLAT, 0.0)
    made.facts["weights_loaded"] = {"loads": [{"optimizer": True, "place": {"file": "train.py", "line": 7}}]}
    entry = verdict("hp.01", made)
    assert "train.py:7" in entry["summary"] and entry["locations"][0]["line"] == 7


def test_a_loss_that_leaps_at_the_first_update_does_not_fall(verdict):
    entry = verdict("hp.01", run([1.4, *[75 - 0.4 * n for n in range(60)]], 5.0))
    assert entry["conclusion"] == "problem" and "diverges" in entry["summary"]


@pytest.mark.parametrize("why", ["batch", "ranks", "accumulation", "slow", "gradients", "failed: ValueError: x", None])
def test_without_a_range_test_it_says_why(verdict, why):
    made = run(SLOWER, 0.05)
    del made.facts["range_test"]
    if why is not None:
        made.facts["probes"] = {"skipped": {"range_test": why}}
    entry = verdict("hp.01", made)
    assert entry["conclusion"] == "undecided" and "probe" in entry["would_decide"] + entry["summary"] + "probe"


def test_a_rate_below_the_bounds_of_a_short_test(verdict):
    """A network that is slow to start: the sweep falls late, the run itself falls well."""
    for last, conclusion in ((0.45, "ok"), (0.63, "problem")):
        losses = [0.7 - (0.7 - last) * n / 60 for n in range(60)]
        made = run(losses, 1e-3)
        made.facts["range_test"] = sweep(lower=5e-2, upper=3.0, used=1e-3)
        assert verdict("hp.01", made)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("optimizer_class", "given", "conclusion"),
    [("Momentum", 0.02, "undecided"), ("Momentum", 3.0, "problem"), ("Adam", 0.02, "problem"), ("", 0.02, "problem")],
)
def test_a_small_rate_beside_gradients_that_do_not_arrive(verdict, optimizer_class, given, conclusion):
    """A clipping before the loss scale is divided out leaves hardly anything of them."""
    made = run(FLAT, 1e-6)
    update = {"update": 4, "parts": 1, "factor": given / 4, "left": 0.0, "rest": 0.0}
    updates = [{**update, "given_norm": given, "computed_norm": 4.0}]
    made.facts["probes"] = {"skipped": {}, "gradients": {"optimizer": optimizer_class, "updates": updates}}
    entry = verdict("hp.01", made)
    assert entry["conclusion"] == conclusion
    assert ("td.04" in entry["summary"]) == (conclusion == "undecided")


class Losses:
    """What `lost_again` asks of a run."""

    def __init__(self, losses):
        self.losses = np.array(losses)

    def once(self, _):
        return np.arange(1, len(self.losses) + 1), self.losses

    def limit(self, _):
        return 0.5


@pytest.mark.parametrize(
    ("lowest", "end", "verdict", "lost"),
    [(0.8, 2.35, "nothing", True), (1.6, 2.35, "nothing", False), (0.8, 1.0, "learnt", False)],
)
def test_a_training_that_loses_what_it_has_learnt(lowest, end, verdict, lost) -> None:
    """Down to the lowest in a quarter of its steps, there for a quarter, and up to the end."""
    losses = [*np.linspace(2.3, lowest, 50), *[lowest] * 50, *np.linspace(lowest, end, 20), *[end] * 80]
    constant = ConstantLoss(2.3, Text("", ""), "softmax_cross_entropy", "label")
    outcome = BesideConstant(verdict, end=end, constant=constant, steps=len(losses))
    found = lost_again(Losses(losses), Course("still", losses[0], end, 0.01, len(losses)), outcome)
    assert (found is not None) is lost
    if lost:
        assert 50 < found[0] <= 101 and found[1] == pytest.approx(lowest, rel=0.01)


@pytest.mark.parametrize(
    ("losses", "conclusion"),
    [
        ([0.7 + 0.1 * (-1) ** n for n in range(3)], "problem"),  # of many steps these are the losses that were seen
        ([2.0 * 0.99**n for n in range(300)], "ok"),
    ],
)
def test_a_rate_above_all_that_are_tried(verdict, losses, conclusion):
    bearable = sweep(lower=0.5, upper=100.0, used=20.0)
    rates = [one for one in RATES if one <= 10.0]
    bearable.update(rates=rates, losses=bearable["losses"][: len(rates)], steps=len(rates))
    entry = verdict("hp.01", run(losses, 20.0, range_test=bearable))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("above all that the range test tries" in entry["summary"]) == (conclusion == "problem")


def scheduled(rates, end=0.5):
    """13 epochs of 25 steps, whose loss goes from 2 to ``end``."""
    count = 13 * 25
    made = run([end + (2.0 - end) * 0.97**n for n in range(count)], 0.01).set("range_test", None)
    for number, step in enumerate(made.steps):
        step.update(epoch=1 + number // 25, lr=rates[min(number, len(rates) - 1)])
    return made


COSINE = [0.01 * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * n / 13))) for n in range(14)]


@pytest.mark.parametrize(
    ("rates", "end", "problem"),
    [
        (COSINE, 0.5, True),
        (COSINE[:1] * 8 + COSINE, 0.5, False),  # over after 21 steps
        (COSINE, 0.01, False),  # all is learnt
        ([0.01 * (n + 1) / 13 for n in range(13)], 0.5, False),  # a warm-up
        ([0.01] * 13 + [0.0005] * 20 + [0.0001], 0.5, False),  # goes on to fall
    ],
)
def test_a_schedule_of_as_many_steps_as_there_are_epochs(verdict, rates, end, problem):
    entry = verdict("hp.01", scheduled(rates, end))
    assert ("counted in epochs" in entry["summary"]) == problem, entry["summary"]
    assert not problem or entry["conclusion"] == "problem"


SHORT = [0.01 * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * min(1, n / 60)))) for n in range(325)]
STAGES = [0.01] * 25 + [0.0002] * 300


@pytest.mark.parametrize(
    ("rates", "code", "end", "problem"),
    [
        (SHORT, "", 0.5, True),
        (SHORT, "", 0.02, False),  # all but nothing is left
        (STAGES, "\nrate = nn.cosine_decay_lr(2e-4, 0.01, 325, 25, 1)\n", 0.5, True),
        (STAGES, "", 0.5, False),  # by stages, as it may be meant
        ([SHORT[n // 5] for n in range(325)], "", 0.5, False),  # to its end in most of the training
    ],
)
def test_a_schedule_that_is_over_after_a_part_of_the_training(verdict, rates, code, end, problem):
    made = scheduled(rates, end).set(
        "loss", [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    )
    made.source["train.py"] = made.source.get("train.py", "") + code
    entry = verdict("hp.01", made)
    assert ("too early" in entry["summary"]) == problem, entry["summary"]


@pytest.mark.parametrize(
    ("given", "factor", "problem"),
    [
        ("decay_steps=EPOCHS", 0.6, True),
        ("0.8, args.num_epochs", 0.6, True),
        ("decay_steps=EPOCHS * steps", 0.6, False),
        ("decay_steps=steps_of_epochs", 0.6, False),
        ("decay_steps=EPOCHS", 0.98, False),  # goes on to train
    ],
)
def test_a_schedule_that_is_given_epochs_as_steps(verdict, given, factor, problem):
    made = scheduled([0.01 * factor ** (n / 13) for n in range(325)], end=0.01)
    made.source = {"train.py": f"\nrate = nn.ExponentialDecayLR(0.01, {given})\n"}
    entry = verdict("hp.01", made)
    assert ("is a number of epochs" in entry["summary"]) == problem, entry["summary"]
    assert not problem or (entry["conclusion"], entry["locations"][0]["line"]) == ("problem", 2)


@pytest.mark.parametrize(
    ("values", "ranks", "last", "problem"),
    [
        (650, 2, 0.01, True),
        (648, 2, 0.01, True),  # a batch of each pass that was left out
        (650, 1, 0.01, False),
        (325, 2, 0.01, False),
        (650, 2, 0.0001, False),  # it has come to its end all the same
        (650, 4, 0.01, False),
    ],
)
def test_a_schedule_for_the_steps_of_all_ranks(verdict, values, ranks, last, problem):
    made = scheduled([0.01 * min(1.0, (n + 1) / 300) for n in range(324)] + [last]).set("run", {"rank_size": ranks})
    one = made.facts["optimizer"]["optimizers"][0]
    one["updates"], one["learning_rate"] = 325, {"kind": "list", "first": 0.0, "last": last, "values": values}
    entry = verdict("hp.01", made)
    assert ("as many times fewer" in entry["summary"]) == problem, entry["summary"]
    assert not problem or entry["conclusion"] == "problem"


@pytest.mark.parametrize(("explained", "conclusion"), [(0.98, "undecided"), (0.1, "ok")])
def test_what_learnt_hardly_anything_is_not_called_right(verdict, explained, conclusion):
    """Nearest neighbours tell the targets, and the training came a twentieth below a constant prediction."""
    losses = [*np.linspace(1.8, 0.95, 30), *[0.95 + 0.005 * (-1) ** n for n in range(170)]]
    targets = dataset(columns=[column("x"), column("y", shape=[1], min=-3.0, max=3.0, mean=0.0, std=1.0)])
    targets["label"] = {"column": "y", "kind": "continuous"}
    made = run(losses, 0.1, datasets=[targets])
    control = {"samples": 1000, "explained": explained, "by": "neighbours"}
    loss = {"kind": "mse", "targets": {"input": 1}, "place": None}
    made.facts["probes"] = {"losses": [loss], "target_control": control, "skipped": {}}
    assert verdict("hp.01", made)["conclusion"] == conclusion
