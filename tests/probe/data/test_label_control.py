"""Whether labels follow from the inputs, beside shuffled labels."""

from types import SimpleNamespace

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.data.label_control import compared, label_control

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 4, 400)
SAMPLES = RNG.standard_normal((400, 6)) + 2 * np.eye(4, 6)[LABELS]


def far(found):
    return (found["agreement"] - found["shuffled"]) / found["spread"]


def test_labels_that_follow():
    found = compared(SAMPLES, LABELS)
    assert found["samples"] == 400
    assert far(found) > 5


def test_labels_that_do_not():
    assert abs(far(compared(SAMPLES, RNG.permutation(LABELS)))) < 3


def test_few_or_repeated_samples_tell_nothing():
    assert compared(SAMPLES[:100], LABELS[:100]) is None
    assert compared(np.tile(SAMPLES[:100], (4, 1)), np.tile(LABELS[:100], 4)) is None


def test_windows_of_one_series():
    series = RNG.standard_normal(420)
    windows = np.stack([series[start : start + 20] for start in range(400)])
    smooth = np.stack([np.convolve(series, np.ones(5) / 5)[start : start + 20] for start in range(400)])
    regimes = (np.arange(400) // 50) % 2
    assert compared(smooth, regimes)["shifted"] > 0.5
    assert compared(windows, regimes)["shifted"] < 0.2  # the next window is no neighbour where nothing is alike
    assert compared(SAMPLES, LABELS)["shifted"] == 0


def test_two_series_side_by_side():
    series = np.cumsum(RNG.standard_normal((420, 2)), axis=0)
    windows = np.stack([series[start : start + 10].ravel() for start in range(400)])
    assert compared(windows, (np.arange(400) // 50) % 2)["shifted"] > 0.5


def test_classes_that_cannot_be_told_apart():
    pairs = 2 * np.eye(4, 6)[LABELS % 2] + RNG.standard_normal((400, 6)) / 4
    assert compared(pairs, LABELS)["alike"] == [["0", "2"], ["1", "3"]]
    assert compared(SAMPLES, LABELS)["alike"] == []
    assert compared(SAMPLES, LABELS % 2)["alike"] == []  # of two classes either has the other


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (LABELS.astype(np.int32), True),
        (np.eye(4, dtype=np.float32)[LABELS], True),
        (np.eye(4, dtype=np.float32)[LABELS] * 0.9 + 0.025, False),  # smoothed
        ((np.random.default_rng(1).random((400, 4)) < 0.5).astype(np.float32), False),  # several labels at once
    ],
)
def test_labels_in_one_hot_rows(rows, known):
    batch = tuple(Tensor(one) for one in (SAMPLES.astype(np.float32), rows))
    losses = [{"kind": "softmax_cross_entropy", "targets": {"input": 1}}]
    found = label_control(SimpleNamespace(batches=[batch]), losses)
    assert (found is not None) is known
    if known:
        assert found["agreement"] == pytest.approx(compared(SAMPLES.astype(np.float32), LABELS)["agreement"], abs=0.01)
