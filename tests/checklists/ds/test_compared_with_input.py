"""ds.02: outputs that are compared with what the network was given."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.ds.label_validity.compared_with_input import compared_with_input

NET = "net = Net()\nback = net(Tensor(noisy)).asnumpy()\n"
NOISY, CLEAN = column("a", shape=[64]), column("b", shape=[64], mean=0.2, std=0.3)


@pytest.mark.parametrize(
    ("code", "columns", "kind", "line"),
    [
        ("after = np.mean((back - noisy) ** 2)\n", (NOISY, CLEAN), "mse", 3),
        ("before = np.mean((noisy - clean) ** 2)\nprint(np.abs(noisy - back).mean())\n", (NOISY, CLEAN), "l1", 4),
        ("after = np.mean((back - clean) ** 2)\n", (NOISY, CLEAN), "mse", None),
        ("a = np.mean((back - noisy) ** 2)\nb = np.mean((back - clean) ** 2)\n", (NOISY, CLEAN), "mse", None),
        ("change = back - noisy\n", (NOISY, CLEAN), "mse", None),
        ("after = np.mean((back - noisy) ** 2)\n", (NOISY, {**NOISY, "name": "b"}), "mse", None),
        ("after = np.mean((back - noisy) ** 2)\n", (NOISY, {**CLEAN, "shape": [1]}), "mse", None),
        ("after = np.mean((back - noisy) ** 2)\n", (NOISY, CLEAN), "softmax_cross_entropy", None),
    ],
)
def test_restored_pictures(tmp_path, code, columns, kind, line):
    run = Run(source={"train.py": NET + code}, datasets=[dataset(columns=list(columns))])
    run.facts["datasets"]["datasets"][0]["columns"] = list(columns)
    run.facts["probes"] = {"losses": [{"name": "MSELoss", "kind": kind}]}
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": []}])
    data = run_data(tmp_path, run)
    found = compared_with_input(data, data.datasets_of("train")[0], None)
    assert (found[2].line if found else None) == line


def test_an_input_that_is_made_of_what_it_is_compared_with(tmp_path):
    code = "net = Net()\nback = net(Tensor(corrupt(clean))).asnumpy()\nprint(np.mean((back - clean) ** 2))\n"
    run = Run(source={"train.py": code}, datasets=[dataset()])
    run.facts["datasets"]["datasets"][0]["columns"] = [NOISY, CLEAN]
    run.facts["probes"] = {"losses": [{"name": "MSELoss", "kind": "mse"}]}
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": []}])
    data = run_data(tmp_path, run)
    assert compared_with_input(data, data.datasets_of("train")[0], None) is None
