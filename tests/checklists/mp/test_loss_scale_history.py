"""mp.01 on facts, with the near misses."""

import pytest
from building import DYNAMIC, HALF, ZERO, Run, fixed, parameter, simulate, train_step


def trained(steps, scale=DYNAMIC, **changes):
    return Run(steps=steps, train_step=[train_step(scale, overflow_flag=True)], precision=HALF, **changes)


@pytest.mark.parametrize(
    "steps",
    [
        simulate(100, lambda step, scale: False),
        simulate(100, lambda step, scale: scale > 2**10, start=2.0**24),  # its own search
        simulate(400, lambda step, scale: scale > 2**16, window=50),  # a probe after each growth
        simulate(400, lambda step, scale: scale > 2**16, window=10),
        simulate(400, lambda step, scale: step in (100, 300)),  # two chance overflows
        simulate(2000, lambda step, scale: scale > 2 ** (16 if step < 1000 else 13), window=400),  # gradients grew once
    ],
)
def test_the_search_of_the_scale_is_ok(verdict, steps):
    entry = verdict("mp.01", trained(steps))
    assert entry["conclusion"] == "ok", entry["summary"]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (simulate(300, lambda step, scale: step % 7 == 0, start=2.0**60), "keeps returning"),
        (simulate(200, lambda step, scale: step % 20 == 0), "keeps returning"),
        (simulate(200, lambda step, scale: step > 30), "floor"),
        (simulate(60, lambda step, scale: step > 50), "last 10 of 60"),
        (simulate(20, lambda step, scale: True, start=2.0**60), "not a single update"),
        (simulate(30, lambda step, scale: scale > 2**10, start=2.0**35), "initial scale search took 25 of 30"),
        (simulate(300, lambda step, scale: scale > 2**16, window=2), "too many updates"),
    ],
)
def test_overflow_that_harms(verdict, steps, said):
    entry = verdict("mp.01", trained(steps, parameters=[]))
    assert entry["conclusion"] == "problem" and said in entry["summary"], entry["summary"]
    assert {"loss_scale", "loss"} <= {piece.get("figure") for piece in entry["evidence"]}
    assert entry["locations"] == [{"file": "train.py", "line": 10}]


def test_too_few_steps_of_the_search_are_undecided(verdict):
    steps = simulate(3, lambda step, scale: True, start=2.0**60)
    assert verdict("mp.01", trained(steps, parameters=[]))["conclusion"] == "undecided"


def test_flags_that_the_weights_contradict_are_undecided(verdict):
    entry = verdict(
        "mp.01", trained([{**step, "next_scale": 1024.0} for step in simulate(20, lambda step, scale: True)])
    )
    assert entry["conclusion"] == "undecided" and "weights were updated" in entry["summary"]


def test_an_infinite_scale_is_a_problem(verdict):
    steps = simulate(40, lambda step, scale: False)
    steps[-1]["next_scale"] = "inf"
    entry = verdict("mp.01", trained(steps))
    assert entry["conclusion"] == "problem" and "step 40" in entry["summary"]


def test_a_fixed_scale_that_overflows_is_a_problem(verdict):
    steps = [
        {"step": step, "loss": 1.0, "overflow": int(step == 7), "scale": 1024, "next_scale": 1024}
        for step in range(1, 50)
    ]
    entry = verdict("mp.01", trained(steps, fixed(1024.0, True)))
    assert entry["conclusion"] == "problem" and "1 of 49 steps" in entry["summary"]
    clean = [{**step, "overflow": 0} for step in steps]
    assert verdict("mp.01", trained(clean, fixed(1024.0, True)))["conclusion"] == "ok"


@pytest.mark.parametrize("loss", ["nan", "inf"])
def test_a_loss_that_is_not_finite_is_a_problem_in_float32_too(verdict, loss):
    steps = [{"step": step, "loss": loss if step >= 12 else 1.0} for step in range(1, 30)]
    entry = verdict("mp.01", Run(steps=steps))
    assert entry["conclusion"] == "problem" and "18 of 29" in entry["summary"] and "step 12" in entry["summary"]


def test_an_infinite_loss_in_a_skipped_step_is_part_of_the_search(verdict):
    steps = simulate(60, lambda step, scale: step <= 3)
    steps[0]["loss"] = "inf"
    assert verdict("mp.01", trained(steps))["conclusion"] == "ok"


def test_weights_that_are_not_finite_are_a_problem(verdict):
    poisoned = parameter("fc.weight", [10, 8], final={**ZERO, "nonfinite": 80})
    entry = verdict("mp.01", Run(parameters=[poisoned]))
    assert entry["conclusion"] == "problem" and "fc.weight" in entry["summary"]


def test_a_crash_on_nan_is_a_problem_with_its_place(verdict):
    place = {"file": "train.py", "line": 9}
    crash = {
        "exit": {
            "kind": "exception",
            "code": 1,
            "exception": {
                "type": "ValueError",
                "message": "epoch: 1 step: 3. Invalid loss: nan, terminating training.",
                "place": place,
            },
        }
    }
    entry = verdict("mp.01", Run(run=crash))
    assert entry["conclusion"] == "problem" and entry["locations"] == [place]


@pytest.mark.parametrize(
    "message", ["name 'nan' is not defined", "could not convert string to float: 'inf'", "banana train"]
)
def test_other_crashes_are_no_overflow(verdict, message):
    crash = {
        "exit": {"kind": "exception", "code": 1, "exception": {"type": "NameError", "message": message, "place": None}}
    }
    assert verdict("mp.01", Run(run=crash))["conclusion"] == "ok"


def test_float16_without_flags_rests_on_losses_and_weights(verdict):
    assert verdict("mp.01", Run(precision=HALF))["conclusion"] == "ok"
    assert verdict("mp.01", Run(precision=HALF, parameters=[]))["conclusion"] == "undecided"


def test_no_steps_are_undecided(verdict):
    assert verdict("mp.01", Run(steps=[]))["conclusion"] == "undecided"


def test_the_scale_kind_is_guessed_from_the_steps_of_a_callback(verdict):
    run = trained(simulate(100, lambda step, scale: scale > 2**10, start=2.0**20)).set("train_step", None)
    assert verdict("mp.01", run)["conclusion"] == "ok"


def test_a_scale_at_the_edge_that_falls_back_some_steps_after_growing_is_ok(verdict):
    late = {31, 51, 61, 143, 152, 244, 334}  # as a real run of digits in float16 with a window of 40 had them
    steps = simulate(352, lambda step, scale: step <= 5 or step in late, start=2.0**24, window=40)
    assert verdict("mp.01", trained(steps))["conclusion"] == "ok"
