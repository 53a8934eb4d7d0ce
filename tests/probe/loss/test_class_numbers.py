"""Whether targets taken for amounts are numbers of classes."""

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.loss.class_numbers import class_numbers, numbered

RNG = np.random.default_rng(0)
CENTRES = 3 * RNG.standard_normal((8, 6))
KINDS = RNG.integers(0, 8, 600)
SAMPLES = CENTRES[KINDS] + RNG.standard_normal((600, 6))
RADII = RNG.standard_normal((600, 2))


@pytest.mark.parametrize("targets", [KINDS, KINDS / 7.0, KINDS + 1])
def test_numbers_of_classes(targets):
    found = numbered(SAMPLES, targets)
    assert found["classes"] == 8 and found["agreement"] > 0.8 and found["closer"] > 0.2


@pytest.mark.parametrize(
    ("samples", "targets"),
    [
        (RADII, np.digitize(np.hypot(*RADII.T), [0.5, 1, 1.5, 2])),
        (SAMPLES, np.digitize(SAMPLES @ np.ones(6), [-6, -2, 2, 6])),
        (np.floor(9 * np.abs(RADII)), np.floor(9 * np.abs(RADII)).sum(1) % 7),
    ],
    ids=["radius", "sum", "modulo"],
)
def test_rounded_amounts(samples, targets):
    assert numbered(samples, targets)["closer"] < 0.05


@pytest.mark.parametrize("targets", [KINDS % 3, KINDS**2, SAMPLES[:, 0]], ids=["three", "unequal", "any"])
def test_targets_that_tell_nothing(targets):
    assert numbered(SAMPLES, targets) is None


def test_which_losses_it_is_about():
    class Held:
        batches = [(Tensor(SAMPLES.astype(np.float32)), Tensor(KINDS.astype(np.float32)))]

    targets = {"input": 1}
    assert class_numbers(Held, [{"kind": "mse", "targets": targets}], [])["input"] == 1
    own = {"targets": targets, "behaviour": {"kind": "regression"}}
    assert class_numbers(Held, [], [own])["classes"] == 8
    assert class_numbers(Held, [{"kind": "softmax_cross_entropy", "targets": targets}], []) is None
    assert class_numbers(Held, [], [{**own, "targets": None}]) is None
