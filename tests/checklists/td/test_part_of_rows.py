"""An order that is drawn over a part of the rows (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.part_of_rows import part_of_rows

LOOP = """for epoch in range(9):
    order = rng.permutation({count})
    for s in range(0, len(order), 32):
        i = order[s:s + 32]
        step(Tensor(x[i]), Tensor(y[i]))
"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (LOOP.format(count="len(x) // 2"), 2),
        (LOOP.format(count="x.shape[0] // 4"), 2),
        (LOOP.format(count="int(0.5 * len(x))"), 2),
        ("order = np.arange(len(x) // 2)\nfor k in order:\n    step(x[k])\nxb = x[order]\n", 1),
        (LOOP.format(count="len(x) // 2") + "x[:, 3] += 2.0\n", 2),
        (LOOP.format(count="len(x)"), None),
        (LOOP.format(count="len(x) * 2"), None),
        (LOOP.format(count="len(table) // 2"), None),
        (LOOP.format(count="len(x) // 2") + "test(x[len(x) // 2:])\n", None),
        (LOOP.format(count="len(x) // 32").replace("x[i]", "batches[0]"), None),
    ],
)
def test_half_of_the_rows(tmp_path, code, line):
    told = part_of_rows(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line
