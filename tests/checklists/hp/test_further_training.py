"""hp.01 and hp.02 on what training on from the last weights brought, and the momentum that outlasts a training."""

import math

import pytest
from building import Run, optimizer, train_step

BEFORE = [2.0, 2.1, 1.9, 2.0]


def ended(loss, steps, rate, after, apart=True, **changes):
    """A run whose last weights were trained on at ``rate``, 0.001 being its own."""
    losses = [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    rows = [{"step": n, "epoch": 1 + n // 20, "loss": loss(n), "lr": 0.001, "batch": 32} for n in range(1, steps + 1)]
    run = Run(steps=rows, loss=losses, **changes)
    trial = {"rate": rate, "losses": [2.0] * 20, "after": after}
    further = {"rate": 0.001, "batches": 12, "apart": apart, "before": BEFORE, "trials": [trial]}
    run.facts["probes"] = {"further": further, "skipped": {}}
    return run


def flat(n):
    return 2.02 + 0.05 * math.sin(7 * n)


@pytest.mark.parametrize(
    ("rate", "after", "apart", "source", "conclusion"),
    [
        (0.1, [1.0, 1.1, 0.9, 1.0], True, "", "problem"),
        (0.1, [2.0, 2.1, 1.9, 2.0], True, "", "undecided"),  # what it learnt, it learnt by heart
        (0.1, [1.0, 3.0, 1.9, 2.0], True, "", "undecided"),  # within chance
        (0.1, [math.inf, 1.0, 1.0, 1.0], True, "", "undecided"),
        (0.1, [1.5, 1.6, 1.4, 1.5], False, "", "undecided"),  # the very batch that it was trained on
        (0.1, [0.5, 0.6, 0.4, 0.5], False, "", "problem"),
        (0.001, [1.0, 1.1, 0.9, 1.0], True, "", "undecided"),
        (0.1, [1.0, 1.1, 0.9, 1.0], True, "\nrewards = [1.0]\n", "undecided"),
    ],
)
def test_a_rate_at_which_nothing_moved(verdict, rate, after, apart, source, conclusion):
    run = ended(flat, 60, rate, after, apart)
    run.source["train.py"] += source
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert "from its last weights" in entry["summary"] and entry["locations"] == [{"file": "train.py", "line": 8}]


def test_weights_that_are_not_those_of_the_end_tell_nothing(verdict):
    run = ended(lambda n: 8.0 + 0.1 * math.sin(7 * n), 60, 0.1, [1.0, 1.1, 0.9, 1.0])
    assert verdict("hp.01", run)["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("after", "command", "conclusion"),
    [
        ([1.0, 1.1, 0.9, 1.0], ["python", "train.py"], "problem"),
        ([1.95, 2.05, 1.85, 1.95], ["python", "train.py"], "undecided"),
        ([1.8, 1.9, 1.7, 1.8], ["python", "train.py"], "problem"),
        ([1.0, 1.1, 0.9, 1.0], ["python", "train.py", "--max_epoch", "1"], "undecided"),
        ([1.0, 1.1, 0.9, 1.0], ["python", "train.py", "train.steps=12"], "undecided"),
    ],
)
def test_a_training_that_ended_when_it_had_begun(verdict, after, command, conclusion):
    entry = verdict("hp.02", ended(lambda n: 2.3 - 0.015 * n, 12, 0.001, after, run={"command": command}))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or "20 steps more" in entry["summary"]


@pytest.mark.parametrize(
    ("after", "end", "conclusion"), [(0.05, 0.25, "problem"), (0.15, 0.25, "ok"), (0.01, 0.06, "ok")]
)
def test_a_short_training_whose_rest_quarters(verdict, after, end, conclusion):
    """It came a good way, and as many steps again bring what is left down to a fifth."""
    phases = [{"phase": "train", "steps": 40}, {"phase": "eval", "calls": 1}]
    run = ended(
        lambda n: end + 2.1 * math.exp(-n / 4), 40, 0.001, [after, 0.9 * after, 1.1 * after, after], modes=phases
    )
    run.facts["probes"]["further"]["before"] = [end, 0.9 * end, 1.1 * end, end]
    entry = verdict("hp.02", run)
    assert (entry["conclusion"] == "problem") == (conclusion == "problem"), entry["summary"]


def scored(accuracy):
    return [{"step": 12, "epoch": 1, "metrics": {"acc": accuracy}, "samples": 300, "via": "Model.eval", "place": None}]


@pytest.mark.parametrize(
    ("accuracy", "after", "conclusion"),
    [
        (0.7, [0.3, 0.2, 0.25, 0.3], "problem"),  # well on its way, and most of what is left goes in 20 steps more
        (0.7, [0.9, 1.0, 1.1, 1.0], "problem"),  # most of the loss is left after a pass, and 20 steps more halve it
        (0.7, [1.7, 1.8, 1.6, 1.7], "undecided"),
        (0.9, [0.9, 1.0, 1.1, 1.0], "undecided"),
        (0.9, [0.3, 0.2, 0.25, 0.3], "undecided"),
    ],
)
def test_an_end_half_way(verdict, accuracy, after, conclusion):
    phases = [{"phase": "train", "steps": 12}, {"phase": "eval", "calls": 1}]
    changes = {"evaluation": scored(accuracy), "modes": phases}
    entry = verdict("hp.02", ended(lambda n: 2.3 - 0.015 * n, 12, 0.001, after, **changes))
    assert (entry["conclusion"] == "problem") == (conclusion == "problem"), entry["summary"]


@pytest.mark.parametrize(
    ("momentum", "updates", "conclusion"),
    [
        (0.999, 500, "problem"),
        (0.999, 2000, "ok"),
        (0.99, 60, "ok"),
        (0.9, 60, "ok"),
        (1.0, 60, "ok"),
        (0.999, 5, "ok"),
    ],
)
def test_a_momentum_that_outlasts_the_training(verdict, momentum, updates, conclusion):
    rows = [{"step": n, "loss": 0.05 + 2.2 * math.exp(-n / 8), "lr": 0.1, "batch": 32} for n in range(1, 101)]
    run = Run(steps=rows)
    run.facts["optimizer"]["optimizers"] = [optimizer(momentum=momentum, updates=updates)]
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or "momentum" in entry["summary"]


def went(loss, relative, max_abs, rate=0.001, steps=100, **changes):
    """A run under Adam, a weight of which moved so far."""
    rows = [{"step": n, "loss": loss(n), "lr": rate, "batch": 32} for n in range(1, steps + 1)]
    losses = [{"class": "Own", "builtin": False, "args": "", "place": None}]
    run = Run(steps=rows, loss=losses, **changes)
    run.facts["optimizer"]["optimizers"] = [optimizer(**{"class": "Adam"})]
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {"relative": relative, "max_abs": max_abs, "any": True, "proportional": False}
    return run


@pytest.mark.parametrize(
    ("relative", "max_abs", "conclusion"),
    [(0.01, 0.09, "problem"), (0.01, 0.01, "undecided"), (0.3, 0.09, "undecided"), (0.0, 0.0, "undecided")],
)
def test_steps_of_the_size_of_the_rate_that_moved_nothing(verdict, relative, max_abs, conclusion):
    entry = verdict("hp.01", went(flat, relative, max_abs))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or "straight on" in entry["summary"]


@pytest.mark.parametrize(
    ("end", "rate", "conclusion"), [(2.5, 0.5, "problem"), (2.5, 0.01, "undecided"), (0.9, 0.5, "undecided")]
)
def test_worse_than_untrained(verdict, end, rate, conclusion):
    entry = verdict("hp.01", went(lambda n: 2.0 if n == 1 else end + 30 * math.exp(-n / 10), 20.0, 5.0, rate))
    assert (entry["conclusion"] == "problem") == (conclusion == "problem"), entry["summary"]
    assert conclusion != "problem" or "worse than untrained" in entry["summary"]


@pytest.mark.parametrize(
    ("own", "lower", "conclusion"),
    [
        ([2.3, "inf"], [2.3, 2.2, 2.3, 2.1, 2.1, 2.0], "problem"),
        ([2.3, "nan"], [2.3, 2.2, "nan"], "undecided"),  # no rate helps
        ([2.3, 2.2, 2.3, 2.1, 2.1, 2.0], [2.3, 2.2, 2.3, 2.1, 2.1, 2.0], "undecided"),
        ([2.3, "inf"], [2.3, 2.9, 3.5, 4.5, 6.0, 9.0], "undecided"),
    ],
)
def test_the_first_steps_again_at_a_lower_rate(verdict, own, lower, conclusion):
    run = ended(lambda n: 2.3 if n == 1 else math.inf, 2, 0.001, [])
    trials = [{"rate": 0.2, "losses": own, "after": []}, {"rate": 0.002, "losses": lower, "after": []}]
    run.facts["probes"]["further"].update(before=[], trials=trials)
    entry = verdict("hp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or "stays finite at 0.002" in entry["summary"]


@pytest.mark.parametrize(("after", "conclusion"), [(BEFORE, "undecided"), ([0.9, 1.0, 0.8, 0.9], "problem")])
def test_a_fall_at_the_end_that_training_on_does_not_continue(verdict, after, conclusion):
    run = ended(lambda n: 4.0 - 2.0 * n / 400, 400, 0.001, after)
    run.facts["probes"]["further"]["trials"][0]["losses"] = [2.0] * 40
    entry = verdict("hp.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "problem" or "do not bring down the loss of batches kept back" in entry["summary"]


@pytest.mark.parametrize(
    ("steps", "loss", "command", "conclusion"),
    [
        (5, lambda n: 0.7 - 0.001 * n, ["python", "train.py"], "problem"),
        (5, lambda n: 0.7 - 0.1 * n, ["python", "train.py"], "undecided"),  # it came far
        (5, lambda n: 0.7 * n, ["python", "train.py"], "undecided"),  # it grew
        (9, lambda n: 0.7 - 0.001 * n, ["python", "train.py"], "problem"),  # three passes
        (9, lambda n: 0.7 - 0.02 * n, ["python", "train.py"], "undecided"),
        (5, lambda n: 0.7 - 0.001 * n, ["python", "train.py", "--steps", "5"], "undecided"),
    ],
)
def test_a_training_of_a_few_updates(verdict, steps, loss, command, conclusion):
    settings = {"command": command, "training_steps": steps}
    run = ended(loss, steps, 0.001, BEFORE, run=settings, train_step=[train_step(count=steps)])
    run.facts["probes"]["further"] = None
    entry = verdict("hp.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or f"{steps} updates in all" in entry["summary"]


@pytest.mark.parametrize(
    ("parameters", "missing", "kept", "conclusion"),
    [
        (1, 6, 1, "problem"),  # a table of words alone
        (6, 1, 6, "undecided"),  # all but a new head
        (7, 0, 7, "undecided"),
        (1, 0, 1, "problem"),  # read, and put into the network by the script
    ],
)
def test_a_few_updates_behind_a_file_of_weights(verdict, parameters, missing, kept, conclusion):
    settings = {"command": ["python", "train.py"], "training_steps": 5}
    run = ended(lambda n: 0.7 - 0.001 * n, 5, 0.001, BEFORE, run=settings, train_step=[train_step(count=5)])
    run.facts["probes"]["further"] = None
    load = {"parameters": parameters, "not_loaded": [f"layer.{n}" for n in range(missing)], "place": None}
    load.update(function="load_param_into_net", at_start={"kept": kept, "trained": 7})
    run.facts["weights_loaded"] = {"loads": [load]}
    assert verdict("hp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("tested", "end", "conclusion"), [(True, 0.9, "problem"), (False, 0.9, "undecided"), (True, 0.5, "undecided")]
)
def test_a_few_passes_of_a_loss_whose_constant_is_not_known(verdict, tested, end, conclusion):
    """It lost a tenth of its start in two passes, and the network is tested then."""
    phases = [{"phase": "train", "steps": 28}, *([{"phase": "eval", "calls": 1}] if tested else [])]
    settings = {"command": ["python", "train.py"], "training_steps": 28}
    run = ended(
        lambda n: 1.05 + (end - 1.05) * n / 28,
        28,
        0.001,
        BEFORE,
        run=settings,
        train_step=[train_step(count=28)],
        modes=phases,
    )
    run.facts["probes"]["further"] = None
    run.facts["loss"]["losses"] = [{"class": "Hinge", "builtin": False, "args": "", "place": None}]
    for step in run.steps:
        step["epoch"] = 1 + (step["step"] - 1) // 14
    entry = verdict("hp.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("samples_per_pass", "after", "conclusion"),
    [(None, 0.22, "undecided"), (None, 0.05, "problem"), (1440, 0.22, "problem")],
)
def test_samples_that_are_drawn_anew(verdict, samples_per_pass, after, conclusion):
    """A loss that still falls, of samples of which none came again: how far it comes from here decides."""
    run = ended(lambda n: 0.6 * math.exp(-n / 400), 300, 0.001, [after] * 4)
    run.facts["probes"]["further"]["before"] = [0.28, 0.29, 0.28, 0.29]
    run.facts["loss"]["losses"] = [{"class": "Contrastive", "builtin": False, "args": "", "place": None}]
    run.facts["datasets"]["datasets"][0].update(samples_per_pass=samples_per_pass, passes=1)
    assert verdict("hp.02", run)["conclusion"] == conclusion, verdict("hp.02", run)["summary"]
