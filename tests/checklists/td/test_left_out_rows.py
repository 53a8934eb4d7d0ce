"""Rows that neither part of a split holds (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches import left_out_rows as judged
from msprec.checklists.td.received_batches.left_out_rows import left_out_rows


@pytest.mark.parametrize(
    ("code", "well", "lines"),
    [
        ("N = 50\nx_test = x[1500:]\nx_train = x[:N]\n", True, [1, 3]),
        ("train, test = x[:40], x[900:]\n", True, [1]),
        ("N = 50\nx_test = x[1500:]\nx_train = x[:N]\n", False, None),  # something else keeps it from learning
        ("train, test = x[:900], x[900:]\n", True, None),
        ("train, test = x[:800], x[9000:]\n", True, None),  # enough rows
        ("train, test = x[:40], x[900:]\npool = x[40:900]\n", True, None),  # without labels, for something else
        ("train, test = x[:40], x[900:]\nmean = x[:].mean()\n", True, None),
        ("train, test = x[:40], y[900:]\n", True, None),
        ("head, end = x[:5], x[900:]\nfor rows in order:\n    step(x[rows])\n", True, None),
        ("head, end = x[:5], x[900:]\ndata = NumpySlicesDataset((x, y))\n", True, None),
        ("n = len(x)\nx = x.astype(float)\ntrain, test = x[:40], x[900:]\n", True, [3]),
        ("head = x[:5]\nprint(head)\n", True, None),
        ("train, test = x[:n], x[900:]\n", True, None),
    ],
)
def test_parts(tmp_path, monkeypatch, code, well, lines):
    monkeypatch.setattr(judged, "learnt_well", lambda _: well)
    told = left_out_rows(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in told.locations] if told else None) == lines
