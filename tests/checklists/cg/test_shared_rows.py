"""Fields whose ids take the same rows of one table (cg.03)."""

import types

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity import unsolved
from msprec.checklists.cg.connectivity.shared_rows import judge_shared_rows

CODE = "deep = {0}\nds = NumpySlicesDataset((deep, y), ['deep', 'y'])\n"
STACKED = "np.stack([cols[f] for f in FIELDS], 1)"


@pytest.mark.parametrize(
    ("made", "least", "most", "rows", "gain", "found"),
    [
        (STACKED, [0, 0, 0], [39, 59, 4], 60, 0.3, True),
        ("np.column_stack((site, ad, hour))", [0, 0, 0], [39, 59, 4], 64, 0.3, True),
        (STACKED, [0, 40, 100], [39, 99, 104], 105, 0.3, False),  # each with its offset
        (STACKED, [0, 0, 0], [39, 59, 4], 105, 0.3, False),  # rows enough: what comes is not known
        (STACKED, [0, 0, 0], [39, 59, 4], 60, 0.95, False),
        (STACKED, [0, 0, 0], [50, 59, 44], 60, 0.3, False),  # places of one kind
        (STACKED, [0, 0, 0], [59, 40, 4], 60, 0.3, False),  # texts that end early
        ("numbered(texts)", [0, 0, 0], [39, 59, 4], 60, 0.3, False),
    ],
)
def test_fields(tmp_path, monkeypatch, made, least, most, rows, gain, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    seen = {"axis": 1, "mean": [1.0] * 3, "std": [1.0] * 3, "min": least, "max": most, "histograms": None}
    ids = column("deep", dtype="int32", kind="int", shape=[3], min=0, max=max(most), channels=seen)
    step = {"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}
    run = Run(datasets=[dataset([ids], pipeline=[step])], source={"train.py": CODE.format(made)})
    look = {"table": "table", "rows": rows, "input": 0, "inputs": 2, "place": {"file": "train.py", "line": 2}}
    run.facts["probes"] = {"lookups": [look]}
    told = judge_shared_rows(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([1, 2] if found else None)
