"""td.05: inputs that hold one value throughout."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.constant_inputs import constant_inputs

_CONSTANT = {"min": 0.0, "max": 0.0, "mean": 0.0, "std": 0.0}
_VARIED = {"min": -1.0, "max": 1.0, "mean": 0.0, "std": 0.6}
_CODE = "ids = make()\nids = (ids / 400).astype(np.int32)\nd = NumpySlicesDataset((ids, y), ['x', 'y'])\n"


@pytest.mark.parametrize(
    ("inputs", "label", "samples", "lines"),
    [
        ([_CONSTANT], _VARIED, 800, [2, 1, 3]),
        ([_VARIED], _VARIED, 800, None),
        ([_CONSTANT, _VARIED], _VARIED, 800, None),  # as segments beside tokens
        ([_CONSTANT], _CONSTANT, 800, None),
        ([_CONSTANT], _VARIED, 4, None),  # as where one picture is fitted
    ],
)
def test_columns(tmp_path, inputs, label, samples, lines):
    columns = [column(name, **values) for name, values in zip(("x", "s"), inputs)]
    made = dataset()
    made["columns"] = [*columns, column("y", **label)]
    made["label"] = {"column": "y", "kind": "class"}
    made["scanned"] = {"samples": samples}
    made["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 3}}]
    found = constant_inputs(run_data(tmp_path, Run(source={"train.py": _CODE}, datasets=[made])))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
