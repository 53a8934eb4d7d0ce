"""ds.02: logits that are held against the bound of probabilities."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.logits_threshold import (
    amounts_held_against_zero,
    logits_held_against_half,
    logits_rounded,
)

NET = "net = nn.SequentialCell(nn.Dense(4, 1))\n"
MODEL = "class M:\n    def fit(self):\n        self.net = nn.SequentialCell(nn.Dense(4, 1))\n"
SCORES = "    def scores(self, x):\n        return self.net(x).asnumpy()[:, 0]\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (NET + "pred = net(x).asnumpy() > 0.5\n", 2),
        (NET + "out = net(x)\npred = (out.asnumpy()[:, 0] >= 0.5).astype(int)\n", 3),
        (MODEL + SCORES + "    def predict(self, x):\n        return self.scores(x) > 0.5\n", 7),
        (NET + "pred = net(x).asnumpy() > 0\n", None),
        (NET + "pred = ops.sigmoid(net(x)).asnumpy() > 0.5\n", None),
        (NET + "out = net(x)\nout = ops.sigmoid(out)\npred = out > 0.5\n", None),
        (NET + "whole = nn.SequentialCell(net, nn.Sigmoid())\npred = whole(x) > 0.5\n", None),
        (NET + "whole = Predictor(net)\npred = whole(x) > 0.5\n", None),
        (NET + "def f(x):\n    return net(x) * 2\npred = f(x) > 0.5\n", None),
        (NET + "pred = rng.random(4) > 0.5\n", None),
    ],
)
@pytest.mark.parametrize("linear", [True, False])
def test_bounds(tmp_path, code, line, linear):
    run = Run(source={"train.py": code})
    output = {"low": None, "high": None, "operator": "Dense", "linear": linear}
    losses = [{"name": "BCEWithLogitsLoss", "kind": "bce_with_logits", "output": output}]
    run.facts["probes"] = {"losses": losses, "skipped": {}}
    run.facts["network"] = {
        "networks": [
            {"id": 0, "class": "SequentialCell", "role": "train", "cells": [{"path": "", "class": "SequentialCell"}]}
        ]
    }
    found = logits_held_against_half(run_data(tmp_path, run), None, None)
    assert (found[2].line if found is not None else None) == (line if linear else None)


@pytest.mark.parametrize(
    ("kind", "ends", "code", "found"),
    [
        ("mse", (0, 1, 2), "pred = net(x).asnumpy() > 0\n", True),
        ("huber", (0, 1, 2), "out = net(x)\npred = (out.asnumpy()[:, 0] >= 0).astype(int)\n", True),
        ("mse", (0, 1, 2), "pred = net(x).asnumpy() > 0.5\n", False),
        ("mse", (0, 1, 2), "pred = ops.sigmoid(net(x)).asnumpy() > 0.5\n", True),
        ("mse", (-1, 1, 2), "pred = net(x).asnumpy() > 0\n", False),
        ("mse", (0, 1, 40), "pred = net(x).asnumpy() > 0\n", False),
        ("bce_with_logits", (0, 1, 2), "pred = net(x).asnumpy() > 0\n", False),
    ],
)
def test_amounts_against_zero(tmp_path, kind, ends, code, found):
    run = Run(source={"train.py": NET + code})
    targets = dict(zip(("min", "max", "distinct"), ends))
    run.facts["probes"] = {"losses": [{"name": "loss", "kind": kind, "targets": targets}], "skipped": {}}
    cells = [{"path": "", "class": "SequentialCell"}]
    run.set("network", [{"id": 0, "class": "SequentialCell", "role": "train", "cells": cells}])
    assert (amounts_held_against_zero(run_data(tmp_path, run), None, None) is not None) is found


@pytest.mark.parametrize(
    ("code", "linear", "line"),
    [
        (NET + "hits = np.round(net(x).asnumpy()) == y\n", True, 2),
        (NET + "out = net(x)\nhits = out.asnumpy().round() == y\n", True, 3),
        (NET + "model = Model(net, loss)\nguess = np.round(model.predict(x).asnumpy())\n", True, 3),
        (NET + "model = Forest(net)\nguess = np.round(model.predict(x))\n", True, None),
        (NET + "hits = np.round(net(x).asnumpy()) == y\n", False, None),
        (NET + "hits = np.round(ops.sigmoid(net(x)).asnumpy()) == y\n", True, None),
        (NET + "print(round(loss, 3), np.round(table, 2))\n", True, None),
    ],
)
def test_rounded(tmp_path, code, linear, line):
    run = Run(source={"train.py": code})
    losses = [{"name": "BCEWithLogitsLoss", "kind": "bce_with_logits", "output": {"linear": linear}}]
    run.facts["probes"] = {"losses": losses, "skipped": {}}
    cells = [{"path": "", "class": "SequentialCell"}]
    run.set("network", [{"id": 0, "class": "SequentialCell", "role": "train", "cells": cells}])
    found = logits_rounded(run_data(tmp_path, run), None, None)
    assert (found[2].line if found is not None else None) == line
