"""td.05: inputs that hold one value throughout."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.check import _constant

_CONSTANT = {"min": 0.0, "max": 0.0, "mean": 0.0, "std": 0.0}
_VARIED = {"min": -1.0, "max": 1.0, "mean": 0.0, "std": 0.6}
_CODE = "ids = make()\nids = (ids / 400).astype(np.int32)\nd = NumpySlicesDataset((ids, y), ['x', 'y'])\n"


@pytest.mark.parametrize(
    ("name", "inputs", "label", "samples", "lines"),
    [
        ("x", [_CONSTANT], _VARIED, 800, [2, 1, 3]),
        ("ids", [_CONSTANT], _VARIED, 800, [2, 1, 3]),
        ("x", [_VARIED], _VARIED, 800, None),
        ("ids", [_VARIED, _CONSTANT], _VARIED, 800, None),  # segments beside tokens
        ("x", [_CONSTANT], _CONSTANT, 800, None),
        ("x", [_CONSTANT], _VARIED, 4, None),  # as where one picture is fitted
    ],
)
def test_columns(tmp_path, name, inputs, label, samples, lines):
    kind = {"kind": "int", "dtype": "int32", "shape": [10]} if name == "ids" else {"shape": [10]}
    columns = [column(one, **values, **kind) for one, values in zip((name, "s"), inputs)]
    made = dataset()
    made["columns"] = [*columns, column("y", **label)]
    made["label"] = {"column": "y", "kind": "class"}
    made["scanned"] = {"samples": samples}
    made["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 3}}]
    found = _constant(run_data(tmp_path, Run(source={"train.py": _CODE}, datasets=[made])))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
