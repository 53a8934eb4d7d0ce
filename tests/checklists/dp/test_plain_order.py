"""Where a loop makes the order of its rows (dp.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.shuffling.plain_order import plain_orders
from msprec.engine.run_data import place


@pytest.mark.parametrize(
    ("code", "line", "lines"),
    [
        ("order = np.arange(n)\nfor i in range(0, n, 8):\n    j = order[i:i + 8]\n    step(x[j], y[j])\n", 4, [1]),
        ("idx = list(range(n))\nstep(x[idx[:8]], y[idx[:8]])\n", 2, [1]),
        ("order = rng.permutation(n)\nstep(x[order[:8]], y[order[:8]])\n", 2, []),
        ("step(x, y)\n", 1, []),
    ],
)
def test_orders(tmp_path, code, line, lines):
    data = run_data(tmp_path, Run(source={"train.py": code}))
    assert [one.line for one in plain_orders(data, place("train.py", line))] == lines
