"""hp.01 on trainings that diverge or learn nothing, and on what only looks like it."""

import math

import numpy as np
import pytest
from building import STILL, ZERO, Run, column, dataset, optimizer, parameter, run_data

from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.hp.learning_rate import learning_rate
from msprec.engine import conclude


def training(loss, steps=135, builtin=True, **changes):
    losses = [{"class": "CrossEntropyLoss" if builtin else "Own", "builtin": builtin, "args": "", "place": None}]
    rows = [{"step": n, "loss": loss(n), "lr": 0.1, "batch": 32} for n in range(1, steps + 1)]
    return Run(steps=rows, loss=losses, **changes)


def swept(run, low, high):
    """With a range test that comes down to 0.4 between two rates."""
    rates = np.geomspace(1e-7, 10, 100)
    where = np.log10(rates)
    down = np.clip((where - math.log10(low)) / (math.log10(high) - math.log10(low)), 0, 1)
    losses = 2.3 - 1.9 * down + np.expm1(4 * np.clip(where - math.log10(high), 0, 1.5))
    facts = {"rates": rates.tolist(), "losses": losses.tolist(), "low": 1e-7, "high": 10.0, "batches": 8}
    run.facts["range_test"] = facts
    return run


@pytest.mark.parametrize(
    ("loss", "steps", "builtin", "conclusion"),
    [
        (lambda n: 2.3 * 1.04**n, 135, True, "problem"),
        (lambda n: 2.3 * 10.0**n, 7, True, "problem"),  # few steps, beyond doubt
        (lambda n: 2.3 * 1.5**n, 7, True, "undecided"),  # few steps
        (lambda n: 2.3 * 3.0**n if n < 9 else math.nan, 60, True, "problem"),
        (lambda n: 2.3 if n < 9 else math.nan, 60, True, "undecided"),  # out of nothing: mp.01
        (lambda n: math.nan, 60, True, "undecided"),
        (lambda n: 2.3 * 1.2**n, 135, False, "problem"),  # no constant, but beyond any measure
        (lambda n: 0.01 * n, 135, False, "undecided"),  # the error of a value function grows with the rewards
        (lambda n: 3.0 - n / 100 if n > 3 else 40.0, 135, True, "undecided"),  # leaps at first, and comes down
        (lambda n: 2.3026, 135, True, "undecided"),
    ],
)
def test_divergence(verdict, loss, steps, builtin, conclusion):
    entry = verdict("hp.01", training(loss, steps, builtin))
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert "diverges" in entry["summary"] and entry["locations"] == [{"file": "train.py", "line": 8}]


def level(n):
    """Falls from a bad start to the level of ln 10, where it stays."""
    return 2.31 + 3 * math.exp(-n / 10)


def test_learnt_nothing_at_a_rate_outside_the_bounds(verdict):
    entry = verdict("hp.01", swept(training(level), 1e-5, 1e-3))
    assert entry["conclusion"] == "problem", entry["summary"]


@pytest.mark.parametrize(
    ("before", "after", "conclusion"), [(1.3, 2.31, "problem"), (2.3, 2.31, "undecided"), (1.3, 1.2, "undecided")]
)
def test_one_leap_out_of_what_was_learnt(verdict, before, after, conclusion):
    """An infinite loss in one step, after which a training that had learnt is a constant again."""
    steps = {1: 2.3, 60: math.inf}
    run = training(lambda n: steps.get(n, before if n < 60 else after))
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion != "problem" or "leapt" in entry["summary"]


@pytest.mark.parametrize(
    ("rate", "leap", "after", "conclusion"),
    [
        (0.02, 350.0, 1.1, "problem"),
        (0.001, 350.0, 1.1, "undecided"),  # a sample far out may do that
        (0.02, 20.0, 1.1, "undecided"),
        (0.02, 350.0, 0.05, "undecided"),  # it recovered
    ],
)
def test_one_leap_that_spoils_what_was_learnt(verdict, rate, leap, after, conclusion):
    """The first tenth is low on average, as the loss had fallen at once: it ends above that, and below a constant prediction."""
    run = training(lambda n: 2.3 if n == 1 else 0.05 if n < 90 else leap if n == 90 else after, steps=200)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Adam"})]
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion != "problem" or "leapt from 0.05 to as much as 350" in entry["summary"]


SUMS = "sums = params.clone('sum')\nfor s, g in zip(sums, grads):\n    ops.assign_add(s, g)\noptimizer(sums)\n"


@pytest.mark.parametrize(
    ("after", "conclusion"), [("", "undecided"), ("for s in sums:\n    s.set_data(0)\n", "problem")]
)
def test_sums_of_gradients_that_are_never_cleared_come_first(verdict, after, conclusion):
    """The loss grows as the updates do."""
    run = training(lambda n: 2.3 * 1.04**n)
    run.source["train.py"] += SUMS + after
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion and ("td.04" in entry["summary"]) is (conclusion == "undecided")


def test_of_rewards_a_range_test_tells_nothing(verdict):
    run = swept(training(level), 1e-5, 1e-3)
    run.source["train.py"] += "\nrewards = [1.0]\n"
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == "undecided"
    assert "reinforcement learning" in entry["summary"] and entry["locations"]


def test_learnt_nothing_inside_the_bounds_is_not_the_rate(verdict):
    entry = verdict("hp.01", swept(training(level), 1e-3, 1.0))
    assert entry["conclusion"] == "undecided" and "learnt nothing" in entry["summary"]


@pytest.mark.parametrize(
    ("name", "rate", "still", "conclusion"),
    [
        ("SGD", 1e-6, True, "problem"),
        ("SGD", 1e-1, True, "undecided"),  # something else holds them, and the rate may be right
        ("SGD", 1e-6, False, "problem"),  # all rates together are next to nothing
        ("Adam", 1e-6, True, "problem"),
        ("Adam", 1e-6, False, "problem"),  # its steps are of one size, whatever the loss is
        ("Adam", 1e-3, True, "undecided"),
    ],
)
def test_weights_that_stay_and_could_not_have_moved(verdict, name, rate, still, conclusion):
    run = training(level)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": name, "momentum": 0.9})]
    for one in run.facts["parameters"]["parameters"]:
        size = 0.0 if still else 1e-4
        one["moved"] = {"relative": size, "max_abs": size, "any": not still, "proportional": False}
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("whatever else" in entry["summary"]) == (conclusion == "problem")


@pytest.mark.parametrize(("cell_class", "conclusion"), [("Embedding", "problem"), ("Dense", "undecided")])
def test_a_table_of_embeddings_may_be_drawn_small(verdict, cell_class, conclusion):
    """135 steps of Adam at 1e-5 are a seventh of a table's values, and next to nothing of the layers' weights."""
    run = training(level)
    for row in run.steps:
        row["lr"] = 1e-5
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Adam"})]
    table = parameter("emb.embedding_table", [50, 8], cell_class=cell_class, initial={**ZERO, "std": 0.004})
    run.facts["parameters"]["parameters"].append(table)
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {"relative": 0.02, "max_abs": 1e-4, "any": True, "proportional": False}
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("name", "momentum", "rate", "loss", "large"),
    [
        ("Momentum", 0.9, 5.0, level, True),
        ("SGD", 0.0, 1.0, level, False),  # something else may keep it from learning
        ("Adam", 0.0, 0.5, lambda n: 0.1 + 2.2 * math.exp(-n / 20), False),  # it learns
    ],
)
def test_rates_hundreds_of_times_above_what_is_usual(verdict, name, momentum, rate, loss, large):
    run = training(loss)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": name, "momentum": momentum})]
    entry = verdict("hp.01", run)
    assert ("too large, whatever else" in entry["summary"]) == large, entry["summary"]


def test_a_number_stands_where_it_belongs(verdict):
    entry = verdict("hp.01", swept(training(lambda n: 0.1 + 2.2 * math.exp(-n / 20)), 1e-5, 1e-3))
    assert entry["conclusion"] == "ok" and "above the bounds of this range test (" in entry["summary"]
    assert "), yet the loss fell from" in entry["summary"]


def tried(run, **ends):
    """With trials of 30 steps from 2.3 towards the loss that is given for a rate; that of the run comes first."""
    rates = {"used": 0.1, "tenth": 0.01, "tenfold": 1.0}
    run.facts["range_test"]["trials"] = [
        {"rate": rates[name], "losses": [2.3 + (end - 2.3) * min(1.0, n / 20) for n in range(30)]}
        for name, end in ends.items()
    ]
    return run


@pytest.mark.parametrize(
    ("ends", "way"),
    [
        ({"used": 2.3, "tenth": 0.6, "tenfold": 2.3}, "large"),
        ({"used": 2.25, "tenth": 2.3, "tenfold": 0.6}, "small"),
        ({"used": 0.7, "tenth": 0.6}, None),  # the run's rate does as well in as many steps: what held it up came later
        ({"used": 2.3, "tenth": 2.2}, "large"),  # a little, and beyond chance
        ({"used": 2.3, "tenth": 2.28}, None),  # no rate learns
    ],
)
def test_another_rate_in_the_same_steps(verdict, ends, way):
    entry = verdict("hp.01", tried(swept(training(level), 1e-3, 1.0), **ends))
    assert (entry["conclusion"] == "problem") == (way is not None), entry["summary"]
    assert way is None or f"too {way}" in entry["summary"]


NEIGHBOURS = {"samples": 600, "agreement": 0.99, "shuffled": 0.1, "spread": 0.02}


@pytest.mark.parametrize(
    ("steps", "agreement", "own", "small"),
    [
        (200, 0.99, 2.2, True),  # a run that stays far behind nearest neighbours
        (200, 0.3, 2.2, False),
        (100, 0.99, 2.2, False),  # not five times the steps
        (200, 0.99, 1.7, False),  # its rate does nearly as well at first
    ],
)
def test_a_higher_rate_comes_below_the_end_of_a_slow_run(verdict, steps, agreement, own, small):
    run = tried(swept(training(lambda n: 2.3 - 0.5 * n / steps, steps), 1e-3, 1.0), used=own, tenfold=1.7)
    run.facts["probes"] = {
        "losses": [{"kind": "softmax_cross_entropy", "predicted": {"shape": [32, 10]}}],
        "label_control": {**NEIGHBOURS, "agreement": agreement},
    }
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem" and "too small" in entry["summary"]) == small, entry["summary"]


@pytest.mark.parametrize(
    ("rate", "momentum", "agreement", "small"),
    [
        (5e-5, 0.9, 0.99, True),
        (5e-5, 0.9, 0.3, False),  # neighbours tell as little
        (5e-4, 0.9, 0.99, False),  # below the bounds by less, and half of the usual one
        (5e-5, 0.999, 0.99, False),  # a long momentum makes up for it
    ],
)
def test_a_rate_below_the_bounds_and_the_usual_one_of_a_run_that_stays_behind(
    verdict, rate, momentum, agreement, small
):
    run = swept(training(lambda n: 2.3 - 0.4 * n / 600, 600), 5e-4, 0.5)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"][0].update(
        {"class": "Momentum", "momentum": momentum, "learning_rate": {"kind": "constant", "value": rate}}
    )
    run.facts["probes"] = {
        "losses": [{"kind": "softmax_cross_entropy", "predicted": {"shape": [32, 10]}}],
        "label_control": {**NEIGHBOURS, "agreement": agreement},
    }
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem" and "too small" in entry["summary"]) == small, entry["summary"]


def test_another_rate_does_not_outdo_a_run_that_ends_lower(verdict):
    learnt = training(lambda n: 0.1 + 2.2 * math.exp(-n / 20))
    assert verdict("hp.01", tried(swept(learnt, 1e-3, 1.0), used=2.2, tenfold=0.6))["conclusion"] == "ok"


@pytest.mark.parametrize(("tenth", "large"), [(0.45, True), (0.75, False), (1.2, False)])
def test_a_tenth_of_the_rate_comes_further_than_the_whole_run(verdict, tenth, large):
    falls = training(lambda n: 0.9 + 1.4 * math.exp(-n / 20), 300)
    entry = verdict("hp.01", tried(swept(falls, 1e-3, 1.0), used=1.05, tenth=tenth))
    assert (entry["conclusion"] == "problem" and "too large" in entry["summary"]) == large, entry["summary"]


@pytest.mark.parametrize(
    ("end", "batches", "steps", "small"),
    [
        (2.0, 100, 400, True),
        (1.0, 100, 400, False),  # it came down nearly as far
        (2.0, 8, 400, False),  # the test saw each batch a dozen times, the run did not
        (2.0, 100, 200, False),  # hardly more steps than the test had
    ],
)
def test_the_range_test_comes_far_below_a_run_of_many_steps(verdict, end, batches, steps, small):
    run = swept(training(lambda n: 2.3 - (2.3 - end) * n / steps, steps, builtin=False), 0.2, 5.0)
    run.facts["range_test"]["batches"] = batches
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem" and "too small" in entry["summary"]) == small, entry["summary"]


@pytest.mark.parametrize(("grouped", "conclusion"), [(True, "undecided"), (False, "problem")])
def test_rates_compared_on_batches_of_one_class(verdict, monkeypatch, grouped, conclusion):
    monkeypatch.setattr(learning_rate, "grouped_by_label", lambda _: grouped)
    run = swept(training(lambda n: 2.3 - 0.1 * n / 400, 400, builtin=False), 0.2, 5.0)
    run.facts["range_test"]["batches"] = 100
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion and ("dp.03" in entry["summary"]) == grouped, entry["summary"]


def test_batches_that_are_easier_than_the_rest(verdict):
    """Of one class, as data in the order of the labels begin: the run's own loss on them was as low."""
    run = swept(training(lambda n: 2.3 - 0.015 * n if n <= 100 else 1.7, 400, builtin=False), 0.2, 5.0)
    run.facts["range_test"]["batches"] = 100
    assert verdict("hp.01", run)["conclusion"] != "problem"


def test_a_run_that_ends_in_nan_where_a_lower_rate_learns(verdict):
    run = tried(swept(training(lambda n: 2.3 if n < 3 else math.nan, 4), 1e-3, 1.0), used=math.nan, tenth=0.6)
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == "problem" and "NaN or infinity" in entry["summary"], entry["summary"]


def test_a_run_that_learnt_before_it_ended_in_nan(verdict):
    falls = training(lambda n: 2.3 - 0.05 * n if n < 20 else math.nan, 26)
    run = tried(swept(falls, 1e-3, 1.0), used=math.nan, tenth=0.6)
    assert verdict("hp.01", run)["conclusion"] == "undecided"


@pytest.mark.parametrize(("moved", "conclusion"), [(0.003, "problem"), (0.6, "undecided")])
def test_a_loss_that_advantages_weigh_tells_nothing_by_its_course(verdict, moved, conclusion):
    """It falls to 0, and below, whether the policy gets better or not; weights that stay where they were learn nothing."""
    run = swept(training(lambda n: 0.05 - n / 2000, builtin=False), 1e-3, 1.0)
    run.facts["probes"] = {"own_losses": [{"name": "loss_fn", "final": True, "weighed": True}], "skipped": {}}
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {**one["moved"], "relative": moved}
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("moved", "norms", "conclusion"),
    [
        (20.0, [0.1, 0.2, 0.05, 1e-4, 1e-4, 1e-3, 1e-5], "problem"),
        (20.0, [0.1, 0.2, 0.05, 1e-4, 0.1, 0.2, 0.1], "undecided"),  # once only
        (20.0, [0.1, 0.2, 0.05, 0.1, 0.1, 1e-4, 1e-4], "undecided"),  # late: it has learnt
        (3.0, [0.1, 0.2, 0.05, 1e-4, 1e-4, 1e-3, 1e-5], "undecided"),
    ],
)
def test_a_policy_whose_gradients_fade_at_once(verdict, moved, norms, conclusion):
    sampled = [1, 2, 3, 8, 40, 80, 120]
    rows = [{"step": step, "parameter": "fc.weight", "norm": norm} for step, norm in zip(sampled, norms)]
    run = swept(training(lambda n: 0.05 - n / 2000, builtin=False, gradients=rows), 1e-3, 1.0)
    run.facts["probes"] = {"own_losses": [{"name": "loss_fn", "final": True, "weighed": True}], "skipped": {}}
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {**one["moved"], "relative": moved}
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or "less than 3 %" in entry["summary"]


@pytest.mark.parametrize(
    ("gain", "accuracy", "state", "conclusion"),
    [
        (0.15, None, "hardly", "undecided"),
        (0.15, 0.3, "hardly", "undecided"),
        (0.15, 0.7, "learnt", "ok"),
        (0.4, None, "learnt", "ok"),
    ],
)
def test_a_training_that_learnt_a_little_is_no_good_end(tmp_path, gain, accuracy, state, conclusion):
    scores = [{"step": 135, "epoch": 3, "metrics": {"acc": accuracy}, "samples": 300, "via": "Model.eval"}]
    run = training(lambda n: 2.3 * (1 - gain * min(1, n / 40)), evaluation=scores if accuracy else [])
    found = conclude(run.write(tmp_path), "en")
    first = next(entry for entry in found["beyond"] if entry["id"] == "td.01")
    assert (found["outcome"]["state"], first["conclusion"]) == (state, conclusion), found["outcome"]["text"]
    assert ("a little" in found["outcome"]["text"]) == (state == "hardly")


@pytest.mark.parametrize(("tested", "conclusion"), [("Momentum", "problem"), ("Adam", "undecided")])
def test_a_range_test_of_an_earlier_training_speaks_for_that_alone(verdict, tested, conclusion):
    """A pre-training with Adam, and then a training with Momentum whose rate is far below the bounds."""
    falls = training(lambda n: 2.3 - n / 150 if n < 200 else 2.3 - (n - 200) / 1500, 400, builtin=False)
    run = swept(falls, 5.0, 8.0)
    run.facts["range_test"]["optimizer"] = tested
    spans = {"Adam": [1, 199], "Momentum": [200, 400]}
    run.facts["optimizer"]["optimizers"] = [
        optimizer(id=n, **{"class": name}, steps=span, updates=200) for n, (name, span) in enumerate(spans.items())
    ]
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("earlier training (Adam)" in entry["summary"]) == (tested == "Adam")


@pytest.mark.parametrize(
    ("dead", "rate", "conclusion"),
    [
        ([0, 60, 63], 0.1, "problem"),
        ([63, 63, 63], 0.1, None),  # dead as they were drawn
        ([0, 5, 8], 0.1, None),
        ([0, 60, 63], 0.001, None),  # steps of a fiftieth of a weight
    ],
)
def test_units_that_die_under_steps_as_large_as_weights(verdict, dead, rate, conclusion):
    """Though the loss comes down, as that of the mean picture does."""
    run = training(lambda n: 0.4 + 1.1 / n)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Adam", "momentum": None})]
    relu = {"kind": "relu", "operator": "ReLU", "cell": "relu", "units": 64, "hidden": True, "input_alike": False}
    layers = {"kind": "layer", "operator": "Dense", "units": 10, "alike": 0, "hidden": False, "input_alike": False}
    moments = [
        {"moment": name, "samples": 64, "entries": [{**relu, "dead": count}, layers]}
        for name, count in zip(("start", "middle", "end"), dead)
    ]
    run.facts["probes"] = {"units": {"moments": moments}}
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem") == (conclusion == "problem"), entry["summary"]
    if conclusion:
        assert "too large" in entry["summary"] and "(dead)" in entry["summary"]


@pytest.mark.parametrize(
    ("name", "rate", "moved", "problem"),
    [
        ("SGD", 0.001, 0.005, True),
        ("SGD", 0.01, 0.005, True),  # 135 of them add up to 1.35
        ("SGD", 0.001, 0.2, False),  # gradients that are far larger than usual
        ("Adagrad", 0.001, 0.005, True),
        ("Adagrad", 0.01, 0.005, False),
        ("Adagrad", 0.001, 0.2, False),
    ],
)
def test_a_tenth_of_the_usual_rate_as_float32_has_it(verdict, name, rate, moved, problem):
    run = training(lambda n: 2.31)
    for row in run.steps:
        row["lr"] = float(np.float32(rate))
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": name, "momentum": 0.0})]
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {"relative": moved, "max_abs": moved / 10, "any": True, "proportional": False}
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem") == problem, entry["summary"]


@pytest.mark.parametrize(
    ("rate", "end", "straight", "told"),
    [
        (2e-5, 2.4, 1.2, True),
        (2e-4, 2.4, 1.2, False),  # not far below the usual
        (2e-5, 2.4, 0.1, False),  # the weights go to and fro
        (2e-5, 3.49, 1.2, False),  # the loss has stopped
        (2e-5, 0.9, 1.2, False),  # below a constant prediction
    ],
)
def test_a_loss_that_falls_while_weights_go_straight_on(verdict, rate, end, straight, told):
    steps = 1200
    run = training(lambda n: 3.5 + (end - 3.5) * n / steps, steps)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Adam", "momentum": None})]
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {"relative": 0.4, "max_abs": straight * steps * rate, "any": True, "proportional": False}
    entry = verdict("hp.01", run)
    assert ("straight on" in entry["summary"]) == told, entry["summary"]


def test_a_momentum_and_a_rate_that_are_both_too_large(verdict):
    run = training(level)
    for row in run.steps:
        row["lr"] = 5.0
    run.source = {
        "train.py": "RATE = 5.0\n" + "\n" * 6 + "optimizer = nn.Momentum(net.trainable_params(), RATE, 0.9999)\n"
    }
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Momentum", "momentum": 0.9999, "updates": 135})]
    entry = verdict("hp.01", run)
    assert "The momentum of 0.9999 is too large" in entry["summary"] and "The learning rate of 5" in entry["summary"]
    assert [one["line"] for one in entry["locations"]] == [8, 1]


@pytest.mark.parametrize(
    ("settings", "high", "low", "told"),
    [
        ("reduction='sum'", 78.0, 73.0, True),
        ("reduction='sum'", 78.0, 78.2, False),  # a tenth of the rate does no better
        ("reduction='sum'", 73.8, 73.0, False),  # no higher than a constant prediction
        ("reduction='mean'", 78.0, 73.0, False),
    ],
)
def test_a_sum_over_the_batch_that_a_rate_drives_up(verdict, settings, high, low, told):
    run = training(lambda n: 74.0 + (n % 3))
    run.facts["loss"]["losses"][0]["args"] = settings
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "SGD", "momentum": 0.0})]
    for row in run.steps:
        row["lr"] = 0.05
    courses = {rate: [end + (n % 3 - 1) for n in range(32)] for rate, end in ((0.05, high), (0.005, low))}
    trials = [{"rate": rate, "losses": losses} for rate, losses in courses.items()]
    run.facts["range_test"] = {"low": 1e-7, "high": 10.0, "rates": [], "losses": [], "trials": trials, "by": "probe"}
    entry = verdict("hp.01", run)
    assert ("drives the loss up" in entry["summary"]) == told, entry["summary"]
    assert not told or (entry["conclusion"] == "problem" and "summed over the batch" in entry["summary"])


@pytest.mark.parametrize(
    ("settings", "kind", "told"),
    [("reduction='sum'", "SGD", True), ("reduction='mean'", "SGD", False), ("reduction='sum'", "Adam", False)],
)
def test_a_sum_over_the_batch_beside_a_rate_that_is_too_large(verdict, settings, kind, told):
    run = training(lambda n: 70 * 1.04**n)
    run.facts["loss"]["losses"][0]["args"] = settings
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": kind, "momentum": 0.0})]
    run.source = {"train.py": f"loss = nn.CrossEntropyLoss({settings})\n"}
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == "problem" and ("summed over the batch" in entry["summary"]) == told, entry["summary"]
    assert ({"file": "train.py", "line": 1} in entry["locations"]) == told


@pytest.mark.parametrize(("rate", "problem"), [(1e-4, True), (1e-1, False)])
def test_weights_of_zero_that_no_step_could_have_brought_to_a_usual_size(verdict, rate, problem):
    """Though that they are zero is for putting right first (wi.01)."""
    run = training(level)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "SGD", "momentum": 0.0})]
    run.facts["parameters"]["parameters"] = [
        parameter(name, shape, initial={**ZERO, "std": 0.0}, moved=STILL)
        for name, shape in (("0.weight", [16, 4]), ("1.weight", [3, 16]))
    ]
    entry = verdict("hp.01", run)
    assert (entry["conclusion"] == "problem") == problem, entry["summary"]


@pytest.mark.parametrize(("rate", "conclusion"), [(1.0, "problem"), (1e-3, "undecided")])
def test_weights_of_zero_beside_a_rate_far_above_the_usual(verdict, rate, conclusion):
    run = training(level)
    for row in run.steps:
        row["lr"] = rate
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "RMSProp", "momentum": 0.0})]
    run.facts["parameters"]["parameters"] = [
        parameter(name, shape, initial={**ZERO, "std": 0.0})
        for name, shape in (("0.weight", [16, 4]), ("1.weight", [3, 16]))
    ]
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("plain", "standardised", "largest", "conclusion"),
    [
        (2.3, 0.7, 255.0, "undecided"),  # learns as soon as the inputs are standardised (dp.01)
        (2.3, 0.7, 1.0, "problem"),  # of which dp.01 says nothing
        (2.3, 2.2, 255.0, "problem"),  # and not then either
        (0.7, 0.7, 255.0, "problem"),  # standardising changes nothing, as before a normalisation
    ],
)
def test_a_rate_that_suits_inputs_of_unit_scale(verdict, plain, standardised, largest, conclusion):
    pictures = column(max=largest, mean=0.3 * largest, std=0.37 * largest)
    run = tried(swept(training(level, datasets=[dataset([pictures])]), 1e-3, 1.0), used=plain, tenth=0.05)
    run.facts["range_test"]["standardised"] = [
        {"rate": 0.1, "losses": [2.3 + (standardised - 2.3) * min(1.0, n / 20) for n in range(30)]}
    ]
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("dp.01" in entry["summary"]) == (conclusion == "undecided")


def test_standardised_targets_are_no_progress(verdict):
    """Of an autoencoder they are the inputs: its loss begins below what was a constant prediction's, and stays there."""
    pictures = column(max=255.0, mean=76.0, std=94.0)
    run = tried(swept(training(level, datasets=[dataset([pictures])]), 1e-3, 1.0), used=2.3, tenth=0.05)
    run.facts["range_test"]["standardised"] = [{"rate": 0.1, "losses": [0.9] * 30}]
    assert verdict("hp.01", run)["conclusion"] == "problem"


def _term(start, end, fits, constant=0.42):
    fit = {"kind": "bce_with_logits", "start": 0.7, "end": fits, "constant": constant, "samples": 256}
    return {"place": None, "start": start, "end": end, "fits": [fit] if fits else []}


@pytest.mark.parametrize(
    ("terms", "nothing"),
    [
        ([_term(44.0, 27.5, 0.43), _term(0.2, 0.1, None)], True),
        ([_term(44.0, 25.0, 0.39), _term(0.2, 0.1, None)], False),  # how much lower it can come is not known
        ([_term(10.0, 9.0, 0.43), _term(34.0, 0.1, None)], False),  # the smaller part
        ([_term(440.0, 275.0, 0.43), _term(2.0, 1.0, None)], False),  # no part of this loss
        ([_term(40.0, 27.5, 0.43), _term(4.0, 2.0, 0.43)], False),  # two that compare with targets
    ],
)
def test_the_main_term_of_a_loss(tmp_path, verdict, terms, nothing):
    run = training(lambda n: 27.9 + 16.0 * math.exp(-n / 4) + 0.1 * (n % 2), builtin=False)
    run.facts["probes"] = {"terms": terms, "skipped": {}}
    told = {one["id"]: one for one in conclude(run.write(tmp_path), "en")["beyond"]}["td.01"]
    assert (told["conclusion"] == "problem") is nothing, told["summary"]
    assert ("learnt nothing" in told["summary"]) is nothing


@pytest.mark.parametrize(
    ("losses", "loaded", "verdict", "nothing"),
    [
        ([0.0] * 60, False, "nothing", True),  # a cross entropy over one class
        ([0.0] * 60, True, "learnt", False),  # weights that were loaded may leave nothing to learn
        ([2.3] * 10 + [-0.3] * 50, False, "unknown", True),  # log-probabilities that are none
        ([2.3] * 10 + [0.1] * 50, False, "learnt", False),
    ],
)
def test_losses_that_tell_no_progress(tmp_path, losses, loaded, verdict, nothing):
    run = Run(steps=[{"step": n, "epoch": 1, "loss": loss, "lr": 0.1} for n, loss in enumerate(losses, 1)])
    if loaded:
        run.set("weights_loaded", [{"file": "a.ckpt", "load": {"count": 3}}])
    data = run_data(tmp_path, run)
    assert learning_outcome(data).verdict == verdict
    assert came_to_nothing(data) is nothing
