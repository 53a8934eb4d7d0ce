"""ds.02: right answers among some samples, divided by the number of all."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.counted_share import counted_among_all

_RIGHT = "hidden = ~known\nright = (pred[hidden] == y[hidden]).sum()\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_RIGHT + "print(right / len(y))\n", 3),
        (_RIGHT + "print(100 * (right / y.size))\n", 3),
        ("acc = np.sum(pred[:80] == y[:80]) / y.shape[0]\n", 1),
        (_RIGHT + "print(right / hidden.sum())\n", None),
        (_RIGHT + "print(right / len(y[hidden]))\n", None),
        ("right = (pred == y).sum()\nprint(right / len(y))\n", None),
        ("order = rng.permutation(9)\nright = (pred[order] == y[order]).sum()\nprint(right / len(y))\n", None),
        ("right = 0\nfor part in parts:\n    right += (net(x[part]) == y[part]).sum()\nprint(right / len(y))\n", None),
        (_RIGHT + "right = right + more\nprint(right / len(y))\n", None),
    ],
)
def test_shares(tmp_path, code, line):
    data = run_data(tmp_path, Run(source={"train.py": code}))
    found = counted_among_all(data, data.datasets[0], data.datasets[0].columns[0])
    assert (found[2].line if found is not None else None) == line
