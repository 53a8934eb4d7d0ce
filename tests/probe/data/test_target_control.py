"""What simple predictors tell of the targets of a regression."""

import numpy as np
import pytest

from msprec.probe.data.target_control import explained

RNG = np.random.default_rng(0)
SAMPLES = RNG.standard_normal((500, 6)) * [1, 10, 0.1, 1, 1, 1] + 3
LINEAR = SAMPLES @ RNG.standard_normal((6, 2)) / [1, 100] + 0.1 * RNG.standard_normal((500, 2))


def test_a_linear_target():
    found = explained(SAMPLES, LINEAR)
    assert (found["samples"], found["by"]) == (500, "linear")
    assert found["explained"] > 0.95


def test_a_target_that_bends():
    points = RNG.uniform(-2, 2, (600, 2))
    found = explained(points, np.sin(3 * points[:, :1]) * points[:, 1:])
    assert found["by"] == "neighbours"
    assert found["explained"] > 0.7


def test_targets_of_other_samples():
    assert explained(SAMPLES, RNG.permutation(LINEAR))["explained"] < 0.05


def test_more_values_than_samples():
    wide = RNG.standard_normal((300, 400))
    found = explained(wide, wide[:, :3].sum(1, keepdims=True) * 2 + 5)
    assert 0 < found["explained"] < 1


def test_windows_of_one_series_have_no_neighbours():
    series = np.convolve(RNG.standard_normal(630), np.ones(8), "valid")
    windows = np.stack([series[start : start + 20] for start in range(500)])
    assert explained(windows, windows[:, -1:] ** 2)["by"] == "linear"


@pytest.mark.parametrize("samples, targets", [(SAMPLES[:100], LINEAR[:100]), (SAMPLES, np.ones((500, 1)))])
def test_too_few_samples_or_one_target(samples, targets):
    assert explained(samples, targets) is None
