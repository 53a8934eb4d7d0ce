"""Embedding tables that start too wide (td.03)."""

import pytest
from building import Run, parameter, run_data

from msprec.checklists.td.units.wide_tables import wide_tables

CODE = "def table(n, dim, spread=5.0):\n    return nn.Embedding(n, dim, embedding_table=Normal(sigma=spread))\n"


@pytest.mark.parametrize(
    ("std", "start", "end", "loaded", "found"),
    [
        (5.0, 2500.0, 56.0, False, True),
        (0.02, 2500.0, 56.0, False, False),
        (5.0, 2500.0, 0.01, False, False),  # it was learnt all the same
        (5.0, 2.0, 1.5, False, False),
        (5.0, 2500.0, 56.0, True, False),
    ],
)
def test_wide_tables(tmp_path, std, start, end, loaded, found):
    made = Run(source={"train.py": CODE}, loss=[{"class": "Objective", "builtin": False, "args": "", "place": None}])
    table = parameter("user.embedding_table", [120, 4], cell_class="Embedding")
    table["initial"]["std"] = std
    made.set("parameters", [table])
    fit = {"kind": "mse", "start": start, "end": end, "constant": 0.66, "samples": 400}
    made.facts["probes"] = {"skipped": {}, "terms": [{"place": None, "start": start, "end": end, "fits": [fit]}]}
    if loaded:
        made.set("weights_loaded", [{"file": "a.ckpt", "load": {"count": 3}}])
    told = wide_tables(run_data(tmp_path, made))
    assert (told is not None) is found
    assert not found or {1, 2} <= {one["line"] for one in told.locations}
