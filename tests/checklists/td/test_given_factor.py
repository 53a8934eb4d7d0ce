"""td.04: where gradients are changed that the optimizer is given next to nothing of."""

import pytest
from building import Run, run_data

from msprec.checklists.td.update_gradients.check import update_gradients

UPDATE = {"parts": 1, "last_alone": False, "left": 0.0, "rest": 0.0, "given_norm": 2e-6, "computed_norm": 2.0}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("l, g = f(x)\ng = s.unscale(s.unscale(g))\nopt(g)\n", [3, 2]),
        ("l, g = f(x)\nl = s.unscale(l)\nopt(g)\n", [3]),
    ],
)
def test_places(tmp_path, code, lines):
    made = Run(source={"train.py": code})
    for parameter in made.facts["parameters"]["parameters"]:
        parameter["moved"] = {"max_abs": 1e-5, "relative": 1e-7, "any": True}
    updates = [{**UPDATE, "update": number, "factor": 1e-6} for number in (2, 60)]
    given = {"optimizer": "SGD", "place": {"file": "train.py", "line": 3}, "loss_divided": False, "of_others": []}
    made.facts["probes"] = {"gradients": {**given, "updates": updates}, "skipped": {}}
    found = update_gradients(run_data(tmp_path / "run", made))
    assert found.conclusion == "problem" and [one["line"] for one in found.locations] == lines


@pytest.mark.parametrize(
    ("given", "end", "steps", "told"),
    [
        ((1e-3, 1e-3), 2.23, 300, True),
        ((1e-3, 3e-3), 2.23, 300, False),  # not brought to one norm
        ((1e-3, 1e-3), 0.9, 300, False),  # it learns
        ((1e-3, 1e-3), 2.23, 60, False),  # few updates
    ],
)
def test_clipped_to_one_small_norm_at_every_update(tmp_path, given, end, steps, told):
    losses = [2.3 - (2.3 - end) * n / steps for n in range(steps)]
    made = Run(steps=[{"step": n + 1, "epoch": 1, "loss": loss, "lr": 0.3} for n, loss in enumerate(losses)])
    for optimizer in made.facts["optimizer"]["optimizers"]:
        optimizer["updates"] = steps
    for parameter in made.facts["parameters"]["parameters"]:
        parameter["moved"] = {"max_abs": 0.1, "relative": 0.3, "any": True}
    both = zip((2, 200), given, (0.05, 0.08))
    updates = [
        {**UPDATE, "update": n, "factor": norm / whole, "given_norm": norm, "computed_norm": whole}
        for n, norm, whole in both
    ]
    facts = {"optimizer": "SGD", "place": {"file": "train.py", "line": 1}, "loss_divided": False, "of_others": []}
    made.facts["probes"] = {"gradients": {**facts, "updates": updates}, "skipped": {}}
    found = update_gradients(run_data(tmp_path / "run", made))
    assert (found.conclusion == "problem") == told, found.summary


LOOP = "acc = zeros()\nfor x in b:\n    l, g = grad_fn(x)\n    acc = [a + d for a, d in zip(acc, g)]\n    opt(acc)\n"


@pytest.mark.parametrize(("code", "told"), [(LOOP, True), (LOOP + "    acc = zeros()\n", False)])
def test_sums_never_cleared_of_a_training_that_diverges(tmp_path, code, told):
    """The last update explains nothing any more: all gradients point the same way."""
    made = Run(source={"train.py": code})
    first = {**UPDATE, "update": 2, "factor": 1.0, "left": 1.0, "given_norm": 0.6, "computed_norm": 0.06}
    last = {**UPDATE, "update": 64, "factor": -235.0, "given_norm": 7773.0, "computed_norm": 33.0}
    facts = {"optimizer": "SGD", "place": {"file": "train.py", "line": 5}, "loss_divided": False, "of_others": []}
    made.facts["probes"] = {"gradients": {**facts, "updates": [first, last]}, "skipped": {}}
    found = update_gradients(run_data(tmp_path / "run", made))
    assert (found.conclusion == "problem" and "clears them" in str(found.summary)) == told, found.summary
