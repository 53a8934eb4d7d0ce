"""ds.02: an argmax over the places, of as many places as classes."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.training.generalization_gap import generalization_gap
from msprec.checklists.ds.label_validity.compared_predictions import class_over_places

NET = "net = Net()\nscores, _ = net(Tensor(x))\n"


def run(code, rows=320, classes=10, places=10, batch=32):
    made = Run(source={"train.py": NET + code})
    made.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": [{"path": "", "class": "Net"}]}])
    made.facts["probes"] = {"losses": [{"kind": "softmax_cross_entropy", "predicted": {"shape": [rows, classes]}}]}
    made.set(
        "datasets", [dataset([column("strip", shape=[8, 80]), column("digits", shape=[places])], batch_size=batch)]
    )
    return made


@pytest.mark.parametrize(
    ("code", "shapes", "line"),
    [
        ("read = scores.argmax(axis=1)\n", {}, 3),
        ("read = ops.argmax(scores, dim=1).asnumpy()\n", {}, 3),
        ("read = scores.asnumpy().argmax(-2)\n", {}, 3),
        ("read = scores.argmax(axis=2)\n", {}, None),
        ("read = scores.argmax(-1)\n", {}, None),
        ("read = table.argmax(1)\n", {}, None),
        ("read = scores.argmax(1)\n", {"rows": 32}, None),  # one class a sample
        ("read = scores.argmax(1)\n", {"places": 12, "rows": 384}, None),  # other shapes than the labels'
    ],
)
def test_argmax(tmp_path, code, shapes, line):
    read = run_data(tmp_path, run(code, **shapes))
    found = class_over_places(read, read.datasets[0], None)
    assert (found[2].line if found else None) == line
    assert line is None or generalization_gap(read, 2.3) is None
