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
