"""Series whose channels follow one another, and those that lie as they should."""

import types

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.data.interleaved_series import interleaved_series

RNG = np.random.default_rng(5)


def waves(channels, steps, count=256):
    """Noisy waves of the shape (samples, channels, steps), those of a sample of one frequency and phases of their own."""
    time = np.arange(steps) * RNG.uniform(0.3, 0.6, (count, 1, 1))
    return np.sin(time + RNG.uniform(0, 6.3, (count, channels, 1))) + 0.5 * RNG.standard_normal(
        (count, channels, steps)
    )


def told(series):
    batches = [(Tensor(part.astype(np.float32)),) for part in np.array_split(series, 4)]
    return interleaved_series(types.SimpleNamespace(batches=batches))


@pytest.mark.parametrize("channels", [2, 3, 5])
def test_neighbours_in_a_row(channels):
    data = waves(channels, 24)
    turned, torn = told(data.transpose(0, 2, 1)), told(data.reshape(-1, 24, channels))
    assert (torn["steps"], torn["channels"]) == (24, channels)
    assert min(torn["within_steps"], torn["across_steps"]) > max(torn["steps_apart"], torn["at_borders"]) + 0.1
    assert turned["steps_apart"] > turned["within_steps"] + 0.1 and turned["steps_apart"] > turned["across_steps"] + 0.1


def test_frames_of_one_series_go_on():
    """Cut into frames on purpose: no place is told from the others."""
    found = told(waves(1, 96)[:, 0].reshape(-1, 24, 4))
    assert abs(found["at_borders"] - found["across_steps"]) < 0.1


@pytest.mark.parametrize("shape", [(64, 24), (64, 4, 3), (64, 24, 16), (8, 24, 2)])
def test_other_shapes_and_few_samples_tell_nothing(shape):
    assert told(RNG.standard_normal(shape)) is None
