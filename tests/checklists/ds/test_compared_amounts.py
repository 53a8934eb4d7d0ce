"""Amounts that are scored as classes are (ds.02)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.ds.label_validity.compared_amounts import scored_as_classes


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("acc = np.mean(np.round(pred, 2) == np.round(y_test, 2))", 1),
        ("acc = (pred == y_test).mean()", 1),
        ("hits = (net(x).asnumpy().round() == y_test).astype(float).sum()", 1),
        ("model = ms.Model(net, loss, opt, metrics={'acc'})", 1),
        ("print(accuracy_score(y_test, pred))", 1),
        ("acc = np.mean(np.sign(pred) == np.sign(y_test))", None),
        ("acc = np.mean((pred > 0.5) == (y_test > 0.5))", None),
        ("model = ms.Model(net, loss, opt, metrics={'mae'})", None),
        ("empty = (counts == 0).sum()", None),
        ("mae = np.mean(np.abs(pred - y_test))", None),
    ],
)
def test_scores(tmp_path, code, line):
    found = scored(tmp_path, code, column("y", shape=[1], min=-2.4871, max=2.9931, mean=0.0, std=1.0))
    assert (found[2].line if found else None) == line


@pytest.mark.parametrize(
    "changes",
    [
        {"min": 0.0, "max": 9.0, "values": {str(n): 30 for n in range(10)}},  # counts
        {"shape": [64]},  # pixels
    ],
)
def test_other_targets(tmp_path, changes):
    column_y = column("y", **{"shape": [1], "min": -2.4871, "max": 2.9931, "mean": 0.0, "std": 1.0, **changes})
    assert scored(tmp_path, "acc = (pred == y_test).mean()", column_y) is None


def scored(folder, code, target):
    data = dataset([column("x", shape=[8]), target], label={"column": "y", "kind": "regression"})
    made = Run(datasets=[data], source={"train.py": code + "\n"})
    made.facts["probes"] = {"losses": [{"kind": "mse", "name": "MSELoss"}], "skipped": {}}
    return scored_as_classes(run_data(folder, made), None, None)
