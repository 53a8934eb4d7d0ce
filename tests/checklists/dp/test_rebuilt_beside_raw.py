"""dp.02: samples given back on another scale than they are compared on."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.preprocessing_consistency.rebuilt_beside_raw import rebuilt_beside_raw

CODE = """mu, sd = raw.mean(0), raw.std(0)
train, test = (raw - mu) / sd, (other - mu) / sd
trainer = Trainer(Net())
net = Net()
"""
ATTRIBUTE = "back = trainer.net(ms.Tensor(test)).asnumpy()\n"
PLAIN = "back = net(Tensor(test)).asnumpy()\n"


@pytest.mark.parametrize(
    ("code", "columns", "kind", "lines"),
    [
        (CODE + ATTRIBUTE + "e = ((back - other) ** 2).sum()\n", 1, "mse", [6, 2, 5]),
        (CODE + PLAIN + "e = np.abs(other - back).mean()\n", 1, "l1", [6, 2, 5]),
        (CODE + PLAIN + "e = ((back - test) ** 2).sum()\n", 1, "mse", None),
        (CODE + PLAIN.strip() + " * sd + mu\ne = ((back - other) ** 2).sum()\n", 1, "mse", None),
        (CODE + PLAIN + "back = back * sd + mu\ne = ((back - other) ** 2).sum()\n", 1, "mse", None),
        (CODE + PLAIN + "back = back * sd + mu\nback2 = back\ne = ((back2 - other) ** 2).sum()\n", 1, "mse", None),
        (CODE + PLAIN.replace("(test)", "(other)") + "e = ((back - other) ** 2).sum()\n", 1, "mse", None),
        (CODE + PLAIN + "e = ((back - other) ** 2).sum()\n", 2, "mse", None),
        (CODE + PLAIN + "e = ((back - other) ** 2).sum()\n", 1, "bce", None),
    ],
)
def test_units(tmp_path, code, columns, kind, lines):
    run = Run(source={"train.py": code}, datasets=[dataset()])
    run.facts["datasets"]["datasets"][0]["columns"] = [column("s", shape=[80])] * columns
    run.facts["probes"] = {"losses": [{"name": "MSELoss", "kind": kind}]}
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": []}])
    told = rebuilt_beside_raw(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == lines
