"""A layer of one unit before several outputs, in trainings that came to nothing (cg.03)."""

import pytest
from building import Run, column, dataset, parameter, run_data

from msprec.checklists.cg.connectivity.narrow_layer import judge_narrow_layer

TARGET = {"column": "y", "kind": "regression"}


def network(units, level, classes=10, known=True):
    """Two Dense layers, of ``units`` and ``classes``, and a cross-entropy that stays at ``level``."""
    rows = [{"step": n, "epoch": 1 + n // 46, "loss": level + 0.001 * (-1) ** n, "lr": 0.1} for n in range(1, 136)]
    losses = [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    made = Run(steps=rows, loss=losses, datasets=[dataset()] if known else [])
    made.set("parameters", [parameter("0.weight", [units, 64]), parameter("2.weight", [classes, units])])
    cells = [
        {"path": path, "class": "Dense", "builtin": True, "calls": 1, "created": {"file": "train.py", "line": line}}
        for path, line in (("0", 3), ("2", 4))
    ]
    entry = {"kind": "softmax_cross_entropy", "name": "CrossEntropyLoss", "predicted": {"shape": [32, classes]}}
    made.facts["probes"] = {"skipped": {}, "graph": {"cells": cells}, "losses": [entry]}
    return made


@pytest.mark.parametrize(
    ("units", "level", "classes", "found"),
    [(1, 2.3026, 10, True), (32, 2.3026, 10, False), (1, 0.2, 10, False), (1, 2.3026, 2, False)],
)
def test_one_unit(tmp_path, units, level, classes, found):
    told = judge_narrow_layer(run_data(tmp_path, network(units, level, classes)))
    assert (told is not None) is found
    assert not found or told.locations[0]["line"] == 3


def test_one_unit_where_the_constant_is_not_known(tmp_path):
    told = judge_narrow_layer(run_data(tmp_path, network(1, 7.2, known=False)))
    assert told is not None and "came to nothing" in told.summary.render("en")


@pytest.mark.parametrize(
    ("units", "level", "classes", "found"),
    [
        (2, 1.7, 10, True),
        (2, 1.0, 10, False),  # a code of two numbers, to be looked at, learns so much
        (4, 1.7, 10, False),
        (2, 1.7, 3, False),
    ],
)
def test_fewer_units_than_classes_of_many_inputs(tmp_path, units, level, classes, found):
    told = judge_narrow_layer(run_data(tmp_path, network(units, level, classes)))
    assert (told is not None) is found


@pytest.mark.parametrize(
    ("units", "share", "classes", "found"),
    [
        (2, 0.4, 1, True),
        (2, 0.7, 1, False),
        (8, 0.4, 1, False),
        (2, 0.4, 16, False),  # what an autoencoder's code may be
    ],
)
def test_few_units_of_a_regression_that_stays_half_way_behind_its_neighbours(tmp_path, units, share, classes, found):
    made = network(units, (1 - share) * 4.0, classes)
    made.set("loss", [{"class": "MSELoss", "builtin": True, "args": "", "place": None}])
    made.set("datasets", [dataset([column("x"), column("y", shape=[1], mean=0.0, std=2.0)], label=TARGET)])
    made.facts["probes"]["losses"][0].update(kind="mse", name="MSELoss", predicted={"shape": [32, classes]})
    made.facts["probes"]["target_control"] = {"samples": 600, "explained": 0.99, "by": "neighbours"}
    assert (judge_narrow_layer(run_data(tmp_path, made)) is not None) is found


@pytest.mark.parametrize(
    ("units", "share", "rows", "found"),
    [
        (2, 0.4, 64, True),
        (12, 0.4, 64, False),
        (2, 0.9, 64, False),
        (2, 0.4, 60, False),  # rows that were drawn may contradict each other
        (6, 0.4, 64, False),
    ],
)
def test_few_units_for_a_truth_table(tmp_path, units, share, rows, found):
    made = network(units, 1 - share, 1)
    made.set("loss", [{"class": "MSELoss", "builtin": True, "args": "", "place": None}])
    ends = {"axis": 1, "mean": [0.0] * 6, "std": [1.0] * 6, "min": [-1.0] * 6, "max": [1.0] * 6}
    inputs = column("x", shape=[6], min=-1.0, max=1.0, mean=0.0, std=1.0, channels=ends)
    target = column("y", shape=[1], min=-1.0, max=1.0, mean=0.0, std=1.0)
    made.set("datasets", [{**dataset(label=TARGET, samples_per_pass=rows), "columns": [inputs, target]}])
    made.set("parameters", [parameter("0.weight", [units, 6]), parameter("2.weight", [1, units])])
    made.facts["probes"]["losses"][0].update(kind="mse", name="MSELoss", predicted={"shape": [16, 1]})
    assert (judge_narrow_layer(run_data(tmp_path, made)) is not None) is found
