"""Inputs that a division of whole numbers has left with next to nothing (dp.01)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.normalization import floored

BINARY = {"min": 0.0, "max": 1.0, "mean": 0.2, "std": 0.4}
SPREAD = {"min": 0.0, "max": 1.0, "mean": 0.3, "std": 0.37}
CONSTANT = {"min": -3.0, "max": 3.0, "mean": 0.0, "std": 0.8, "channels": {"std": [0.0, 0.0, 1.0]}}


@pytest.mark.parametrize(
    ("facts", "made", "well", "found"),
    [
        (BINARY, "images // 16", False, True),
        (CONSTANT, "np.sin(2 * np.pi * (hour // 24))", False, True),
        (BINARY, "images // 16", True, False),
        (SPREAD, "images // 16", False, False),
        (BINARY, "images / 16", False, False),
        (BINARY, "images[len(images) // 2:]", False, False),
        (BINARY, "images[rows // 2]", False, False),
    ],
)
def test_what_is_left(tmp_path, monkeypatch, facts, made, well, found):
    monkeypatch.setattr(floored, "learnt_well", lambda _: well)
    data = dataset([column("x", shape=[3], **facts)])
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    code = f"x = {made}\nds = NumpySlicesDataset((x, y))\n"
    made_of = run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))
    told = floored.floored_inputs(made_of, made_of.datasets[0])
    assert ([one["line"] for one in told.locations] if told else None) == ([1] if found else None)
