"""The first rows of predictions beside targets of drawn rows (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.first_rows import first_rows_beside_drawn

SPLIT = "order = rng.permutation(400)\ntrain, test = order[:80], order[80:]\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (SPLIT + "t = Tensor(y[train])\nout = net(a, x)\nloss = ce(out[:len(train)], t)\n", 5),
        (SPLIT + "loss = ce(net(x)[:len(train)], y[train])\n", 3),
        (SPLIT + "t = Tensor(y[train])\nloss = ce(net(x)[train], t)\n", None),
        (SPLIT + "xb = pad(x[train])\nout = net(xb)\nloss = ce(out[:len(train)], y[train])\n", None),  # padded rows
        (SPLIT + "t = y[:len(train)]\nloss = ce(net(x)[:len(train)], t)\n", None),
        ("train = np.arange(80)\nloss = ce(net(x)[:len(train)], y[train])\n", None),
        ("a = rng.permutation(3)\ntrain = np.arange(80)\nloss = ce(net(x)[:len(train)], y[train])\n", None),
    ],
)
def test_rows(tmp_path, body, line):
    told = first_rows_beside_drawn(run_data(tmp_path, Run(source={"train.py": body})))
    assert (told and [one["line"] for one in told.locations]) == (line and [line])
