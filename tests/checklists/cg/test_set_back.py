"""cg.02: weights that are given their first values again."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.frozen_weights.set_back import set_back

SYNC = """
def sync(src, dst):
    for p, q in zip(src.get_parameters(), dst.get_parameters()):
        q.set_data(p)

sync(net, target)
{}for step in range(900):
    train(net)
    {}
"""


@pytest.mark.parametrize(
    ("called", "norm", "found"),
    [
        ("sync(target, net)", 0.4, [9, 4]),
        ("sync(target, net)", 0.0, None),  # no gradient came: that is why they stay
        ("pass", 0.4, None),
    ],
)
def test_a_loop_that_writes_them(tmp_path, called, norm, found):
    run = Run(source={"train.py": SYNC.format("", called)})
    run.gradients = [{"step": n, "parameter": "w", "size": 8, "norm": norm} for n in (2, 50)]
    run.facts["parameters"]["parameters"] = [{"name": "w", "cell": "w", "kind": "weight", "shape": [4, 2]}]
    data = run_data(tmp_path, run)
    seen = set_back(data, list(data.parameters), 900, [])
    assert (seen and [one["line"] for one in seen.locations]) == found
