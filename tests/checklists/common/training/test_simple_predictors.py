"""Trainings beside what nearest neighbours or a linear regression tell (td.01)."""

import math

import pytest
from building import Run, dataset, run_data

from msprec.checklists.common.training.constant_prediction import BesideConstant, ConstantLoss
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor

LOG_OF_FOUR = math.log(4)
COUNTS = {"0": 400, "1": 400, "2": 400, "3": 400}


def beside(tmp_path, end, agreement=0.95, constant=LOG_OF_FOUR, **control):
    run = Run(datasets=[dataset(counts=COUNTS)])
    losses = [{"kind": "softmax_cross_entropy", "predicted": {"shape": [32, 4]}}]
    entry = {"samples": 600, "agreement": agreement, "shuffled": 0.25, "spread": 0.02, **control}
    run.facts["probes"] = {"losses": losses, "label_control": entry if agreement else None}
    level = ConstantLoss(constant, None, "softmax_cross_entropy", "label") if constant else None
    return behind_simple_predictor(run_data(tmp_path, run), BesideConstant("hardly", end, level, 400))


def test_the_loss_that_neighbours_reach(tmp_path):
    found = beside(tmp_path, 1.3)
    # the right class gets 0.95, each of the three others a third of 0.05
    assert found.loss == pytest.approx(-0.95 * math.log(0.95) - 0.05 * math.log(0.05 / 3))
    assert found.share == 0.95


@pytest.mark.parametrize(
    "end, changes",
    [
        (0.9, {}),  # two fifths of the way
        (1.3, {"agreement": 0.45}),  # neighbours tell little
        (1.3, {"agreement": None}),
        (1.3, {"constant": None}),
        (None, {}),
        (1.3, {"shifted": 0.3}),  # windows of one series
    ],
)
def test_not_behind_or_not_known(tmp_path, end, changes):
    assert beside(tmp_path, end, **changes) is None


def test_neighbours_that_are_always_right(tmp_path):
    assert beside(tmp_path, 1.3, agreement=1.0).loss == 0


def amounts(tmp_path, end, explained=0.9, kind="mse"):
    run = Run()
    run.facts["probes"] = {"target_control": {"samples": 600, "explained": explained, "by": "linear"}}
    level = ConstantLoss(2.0, None, kind, "target")
    return behind_simple_predictor(run_data(tmp_path, run), BesideConstant("learnt", end, level, 400))


def test_the_loss_that_a_linear_regression_reaches(tmp_path):
    found = amounts(tmp_path, 1.5)
    assert (found.by, found.share, found.loss) == ("linear", 0.9, pytest.approx(0.2))


@pytest.mark.parametrize("changes", [{"end": 1.3}, {"explained": 0.2}, {"kind": "l1"}])
def test_regressions_not_behind_or_not_known(tmp_path, changes):
    assert amounts(tmp_path, **{"end": 1.5, **changes}) is None
