"""The first rows of predictions beside targets of drawn rows (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.first_rows import first_rows_beside_drawn, plain_rows_beside_drawn

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


BATCHES = "def batches(n):\n    order = rng.permutation(n)\n    for k in range(0, n, 32):\n        yield k, order[k:k + 32]\n\n\n"
LOOP = "for k, idx in batches(400):\n    step(x[idx], y[idx], {0})\n"
OWN = "order = rng.permutation(400)\nfor i in range(0, 400, 32):\n    idx = order[i:i + 32]\n    step(x[idx], {0})\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (BATCHES + LOOP.format("soft[k:k + 32]"), 8),
        (BATCHES + LOOP.format("soft[idx]"), None),
        (BATCHES.replace("rng.permutation", "np.arange") + LOOP.format("soft[k:k + 32]"), None),
        (BATCHES + LOOP.format("rates[k]"), None),
        (OWN.format("y[i:i + 32]"), 4),
        (OWN.format("y[idx]"), None),
        (OWN.format("noise[:32]"), None),
        (OWN.format("order[i:i + 32]"), None),
        ("mixed = soft[order]\n" + OWN.format("mixed[i:i + 32]"), None),
    ],
)
def test_rows_by_where_they_stand(tmp_path, code, line):
    told = plain_rows_beside_drawn(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told and [one["line"] for one in told.locations]) == (line and [line])
