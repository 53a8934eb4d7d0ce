"""The parts of a split under each other's names (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.exchanged_parts import exchanged_parts

CUT = "def split(x, y, part=0.9):\n    k = int(len(x) * part)\n    return (x[:k], y[:k]), (x[k:], y[k:])\n\n"
NAMED = "def load():\n    return (x_train, y_train), (x_test, y_test)\n\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x_test, x_train, y_test, y_train = train_test_split(x, y)\n", 1),
        ("x_train, x_test, y_train, y_test = train_test_split(x, y)\n", None),
        ("x_test, x_val, y_test, y_val = train_test_split(x_rest, y_rest)\n", None),
        ("x_rest, x_test = train_test_split(x)\n", None),
        (CUT + "(x_val, y_val), (x_train, y_train) = split(x, y)\n", 5),
        (CUT + "(x_train, y_train), (x_val, y_val) = split(x, y)\n", None),
        (CUT.replace("0.9", "0.1") + "(x_val, y_val), (x_train, y_train) = split(x, y)\n", None),
        (CUT + "first, second = split(x, y)\n", None),
        (NAMED + "(x_test, y_test), (x_train, y_train) = load()\n", 4),
        (NAMED + "(x_train, y_train), (x_test, y_test) = load()\n", None),
        ("(x_test, y_test), (x_train, y_train) = load()\n", None),  # what it returns is not known
    ],
)
def test_splits(tmp_path, code, line):
    told = exchanged_parts(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in told.locations] if told else None) == ([line] if line else None)
