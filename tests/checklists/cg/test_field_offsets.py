"""cg.03: offsets that do not keep the ids of several fields apart."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity.field_offsets import judge_field_offsets

_CODE = """
class Net(nn.Cell):
    def __init__(self, sizes):
        starts = {starts}
        self.offset = Tensor(starts)
        self.table = nn.Embedding(sum(sizes), 8)

    def construct(self, ids):
        return self.table(ids + self.offset)
"""


@pytest.mark.parametrize(
    ("most", "rows", "last", "found"),
    [
        ([29, 19, 11, 39], 102, 42.0, True),
        ([29, 19, 11, 39], 105, 39.0, True),  # nothing was added
        ([29, 19, 11, 39], 102, 101.0, False),
        ([29, 19, 11, 39], 102, 95.0, False),  # the last ids are rare
        ([29, 19, 11, 39], 400, 42.0, False),  # a table of something else
        ([29, 29, 28, 27], 116, 33.0, False),  # the places of texts
    ],
)
def test_fields(tmp_path, most, rows, last, found):
    seen = {"axis": 1, "mean": [1.0] * 4, "std": [1.0] * 4, "min": [0.0] * 4, "max": most, "histograms": None}
    ids = column("ids", dtype="int32", kind="int", shape=[4], min=0, max=max(most), channels=seen)
    run = Run(datasets=[dataset([ids])], source={"train.py": _CODE.format(starts="np.arange(4)")})
    where = {"file": "train.py", "line": 9}
    cell = {"path": "table", "class": "Embedding", "builtin": True, "args": "", "parameters": ["table.embedding_table"]}
    run.facts["network"] = {"networks": [{"id": 0, "class": "Net", "role": "train", "cells": [cell]}]}
    run.facts["parameters"] = {"parameters": [{"name": "table.embedding_table", "shape": [rows, 8]}]}
    layer = {"operator": "Embedding", "place": where, "normalizes": False, "normalized": False, "min": 0.0, "max": last}
    run.facts["probes"] = {"first_layers": [{"layers": [layer]}, {"layers": []}]}
    told = judge_field_offsets(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([4, 5, 9] if found else None)
