"""ds.02: one column of an output for several classes that is compared with the numbers of the classes."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.compared_predictions import one_column_as_class

NET = "net = Net()\nlogits = net(Tensor(x))\n"


@pytest.mark.parametrize(
    ("code", "classes", "line"),
    [
        ("hits = np.round(nn.Softmax(axis=1)(logits).asnumpy()[:, 1]) == y\n", 10, 3),
        ("print(np.mean(y == logits.asnumpy()[:, 0]))\n", 3, 3),
        ("hits = np.round(softmax(logits).asnumpy()[:, 1]) == y\n", 2, None),
        ("hits = (softmax(logits).asnumpy()[:, 1] > 0.5) == y\n", 10, None),
        ("hits = logits.asnumpy()[:, :5].argmax(1) == y\n", 10, None),
        ("hits = logits[:, 1] == logits.max(1)\n", 10, None),
        ("hits = table[:, 1] == y\n", 10, None),
        ("hits = logits.argmax(1) == y[:, 1]\n", 10, None),
    ],
)
def test_a_column_for_the_class(tmp_path, code, classes, line):
    run = Run(source={"train.py": NET + code})
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": [{"path": "", "class": "Net"}]}])
    loss = {"kind": "softmax_cross_entropy", "predicted": {"shape": [32, classes]}}
    run.facts["probes"] = {"losses": [loss]}
    found = one_column_as_class(run_data(tmp_path, run), None, None)
    assert (found[2].line if found else None) == line
