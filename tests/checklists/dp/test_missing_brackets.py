"""Brackets that are missing where inputs are standardised (dp.01)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.normalization.missing_brackets import missing_brackets


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("mid, spread = x[:9].mean(), x[:9].std()\nz = (x - mid / spread).astype(int)\n", 2),
        ("z = x - x.mean(0) / x.std(0)\n", 1),
        ("m = np.mean(x, axis=0)\ns = np.std(x, axis=0)\nz = x - m / s\n", 3),
        ("lo, top = x.min(), x.max()\nz = x - lo / top\n", 2),
        ("mid, spread = x.mean(), x.std()\nz = (x - mid) / spread\n", None),
        ("mid, spread = x.mean(), x.std()\nz = x / spread - mid / spread\n", None),
        ("mid, spread = x.mean(), y.std()\nz = x - mid / spread\n", None),  # of two arrays
        ("mid = x.mean()\nspread = x.std()\nspread = 2\nz = x - mid / spread\n", None),
    ],
)
def test_brackets(tmp_path, code, line):
    found = missing_brackets(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line
