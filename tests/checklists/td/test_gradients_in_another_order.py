"""td.04: gradients in another order than the optimizer's parameters."""

import pytest
from building import Run

_CODE = """def fit(net, opt):
    weights = net.trainable_params()
    grad = ms.value_and_grad(forward, None, weights)
    for x, y in data:
        opt(grad(x, y)[1])
print(len(net.trainable_params()))
"""


@pytest.mark.parametrize(
    ("pairs", "lines"), [([["a.weight", "b.weight"], ["b.weight", "a.weight"]], [2, 5]), ([], None), (None, None)]
)
def test_pairs(verdict, pairs, lines):
    update = {"update": 1, "parts": 1, "factor": 0.1, "left": 0.0, "rest": 0.9, "given_norm": 1.0, "computed_norm": 1.0}
    run = Run(source={"train.py": _CODE})
    place = {"file": "train.py", "line": 5}
    gradients = {"optimizer": "Adam", "place": place, "of_others": [], "exchanged": pairs, "updates": [update]}
    run.facts["probes"] = {"gradients": {**gradients, "loss_divided": False}}
    entry = verdict("td.04", run)
    assert (entry["conclusion"] == "problem") == (lines is not None), entry["summary"]
    if lines:
        assert [one["line"] for one in entry["locations"]] == lines and "a.weight is given that of b.weight" in entry[
            "summary"
        ]
