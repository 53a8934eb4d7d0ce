"""Rows that are looked for before a new order (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.index_before_order import index_before_order

ORDER = "def sampler(self, x, y):\n    order = np.random.permutation(len(y))\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    self.rows = {c: np.where(y == c)[0] for c in set(y)}\n    self.x, self.y = x[order], y[order]\n", 3),
        ("    self.x, self.y = x[order], y[order]\n    self.rows = np.flatnonzero(y == 1)\n", 4),
        ("    self.x, self.y = x[order], y[order]\n    self.rows = np.where(self.y == 1)[0]\n", None),
        ("    x, y = x[order], y[order]\n    self.rows = np.where(y == 1)[0]\n", None),
        ("    self.x = x[order]\n    self.rows = np.where(y == 1)[0]\n", None),  # the labels are not kept in that order
    ],
)
def test_rows(tmp_path, body, line):
    made = Run(source={"train.py": ORDER + body})
    told = index_before_order(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == ([line] if line else None)
