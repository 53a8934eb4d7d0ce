"""Whether labels follow from the inputs, beside shuffled labels."""

import numpy as np

from msprec.probe.label_control import compared

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
