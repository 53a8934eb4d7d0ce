"""dp.02: predictions brought back to the unit of the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.scaled_back import scaled_back, scaled_back_twice

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


_PREDICT = _MADE + "def predict(x):\n    z = net(x)\n    return z * y_std + y_mean\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_PREDICT + "p = predict(x)\nerror = p * y_std + y_mean - y\n", [7, 5]),
        (_PREDICT + "error = y_mean + y_std * predict(x) - y\n", [6, 5]),
        (_MADE + "p = net(x) * y_std + y_mean\nq = p * y_std + y_mean\n", [4, 3]),
        (_PREDICT + "p = predict(x)\nerror = p - y\n", None),
        (_PREDICT.replace(" * y_std + y_mean", "") + "p = predict(x)\nerror = p * y_std + y_mean - y\n", None),
        (_PREDICT + "p = predict(x)\np = net(x)\nerror = p * y_std + y_mean - y\n", None),  # which one is not known
        (_PREDICT + "p = predict(x)\nerror = p * o_std + o_mean - y\n", None),
    ],
)
def test_brought_back_twice(tmp_path, code, lines):
    found = scaled_back_twice(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
