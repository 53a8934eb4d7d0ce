"""Where the captured batches begin another pass over the data."""

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.training.further_training import first_pass, of_full_size

RNG = np.random.default_rng(0)


def batches(rows):
    return [(Tensor(np.asarray(one, np.float32)[:, None]), Tensor(np.asarray(one, np.int32))) for one in rows]


def passes(count, samples=96, size=16, left_out=0):
    return [row for _ in range(count) for row in RNG.permutation(samples)[: samples - left_out].reshape(-1, size)]


@pytest.mark.parametrize(("rows", "first"), [(passes(3), 6), (passes(3, 104, 16, 8), 6), ([range(16)] * 4, 1)])
def test_a_second_pass(rows, first):
    assert len(first_pass(batches(rows))) == first


def test_one_pass():
    assert len(first_pass(batches(passes(1)))) == 6


def test_samples_that_repeat_by_themselves():
    windows = np.minimum(RNG.geometric(0.05, (32, 64)), 60)
    assert len(first_pass(batches(windows))) == 32


@pytest.mark.parametrize(("sizes", "kept"), [((32, 32, 1), 2), ((32, 32, 20), 3), ((32, 1), 2), ((8,), 1)])
def test_the_rest_of_a_pass_is_left_out(sizes, kept):
    assert len(of_full_size(batches([range(size) for size in sizes]))) == kept
