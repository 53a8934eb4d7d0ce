"""A graph's matrix in a new order along its rows alone (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.graph_rows import graph_rows

_ADJ = "adj = (up | up.T).astype(np.float32)\n"
_ORDER = "perm = rng.permutation(n)\n"
_FEATURES = "x, y = x[perm], y[perm]\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_ADJ + _ORDER + "adj = adj[perm]\n" + _FEATURES, 3),
        ("w = np.maximum(w, w.T)\n" + _ORDER + "w, x, y = w[perm], x[perm], y[perm]\n", 3),
        ("def mix(x, y):\n    adj = np.zeros((n, n))\n    p = rng.permutation(n)\n    return 0\n", None),
        (
            "def mix(x, y):\n    edges = np.zeros((n, n))\n    p = rng.permutation(n)\n    edges = edges[p]\n"
            "    x = x[p]\n    return edges, x\n",
            4,
        ),
        (_ADJ + _ORDER + "adj = adj[perm][:, perm]\n" + _FEATURES, None),
        (_ADJ + _ORDER + "adj = adj[np.ix_(perm, perm)]\n" + _FEATURES, None),
        (_ADJ + _ORDER + "adj = adj[perm]\nadj = adj[:, perm]\n" + _FEATURES, None),
        (_ADJ + _ORDER + "adj = adj[perm]\n", None),  # nothing else is in that order
        ("kernel = rbf(x, x)\n" + _ORDER + "kernel = kernel[perm]\n" + _FEATURES, None),
        ("adj = np.zeros((n, m))\n" + _ORDER + "adj = adj[perm]\n" + _FEATURES, None),
    ],
)
def test_rows_alone(tmp_path, code, line):
    found = graph_rows(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line
