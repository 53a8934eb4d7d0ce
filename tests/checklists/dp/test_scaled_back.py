"""dp.02: predictions brought back to the unit of the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.scaled_back import scaled_back

_MADE = "y_mean, y_std = y.mean(), y.std()\nt = (y - y_mean) / y_std\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_MADE + "p = net(x) * y_mean + y_std\n", [3, 2]),
        (_MADE + "p = self.std + self.mean * net(x)\n", None),
        ("t = (y - s.mean) / (s.std + 1e-8)\np = s.std + s.mean * net(x)\n", [2, 1]),
        (_MADE + "p = net(x) * y_std + y_mean\n", None),
        (_MADE + "p = y_mean + y_std * net(x)\n", None),
        (_MADE + "u = (z - y_std) / y_mean\np = net(x) * y_mean + y_std\n", None),  # the reverse of another one
        ("t = (y - 0.5) / 0.2\np = net(x) * 0.5 + 0.2\n", None),
        ("p = net(x) * y_mean + y_std\n", None),
    ],
)
def test_mean_and_deviation_exchanged(tmp_path, code, lines):
    found = scaled_back(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
