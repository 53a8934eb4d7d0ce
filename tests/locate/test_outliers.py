"""A sample far larger than the others of its batch."""

import mindspore as ms
import numpy as np
import pytest

from msprec.locate.outlier_samples import outlier_in, without

RNG = np.random.default_rng(0)
PLAIN = RNG.standard_normal((16, 4)).astype(np.float32)
LABELS = ms.Tensor(np.arange(16, dtype=np.int32) * 100000)


def batch(changes):
    array = PLAIN.copy()
    for position, value in changes.items():
        array[position] = value
    return ms.Tensor(array), LABELS


@pytest.mark.parametrize(
    ("changes", "samples"),
    [
        ({(5, 2): 3e4}, [5]),
        ({(5, 2): -3e4, (9, 0): 2e4}, [5, 9]),
        ({(5, 2): 90.0}, None),  # not so large that anything overflows
        ({(n, 0): 3e4 for n in range(8)}, None),  # half of them: a feature that is large, no outlier
        ({(5, 2): np.inf}, None),  # not finite: another matter
        ({}, None),
    ],
)
def test_outliers(changes, samples):
    found = outlier_in(batch(changes))
    assert (found.samples if found else None) == samples


def test_without_it_the_rest_stays():
    inputs = batch({(5, 2): 3e4})
    cut, labels = without(inputs, outlier_in(inputs))
    assert labels is LABELS
    changed = np.argwhere(cut.asnumpy() != inputs[0].asnumpy())
    assert changed.tolist() == [[5, 2]] and cut.asnumpy().max() == pytest.approx(PLAIN.max(), rel=0.2)


def test_zeros_have_no_usual_size():
    assert outlier_in((ms.Tensor(np.diag([1e6, 0, 0, 0, 0, 0, 0, 0]).astype(np.float32)),)) is None
