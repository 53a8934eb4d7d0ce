"""What a generator can make, beside the samples that its opponent is shown."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.made_and_real import made_and_real
from msprec.probe.steps.connectivity_trace import trace_step
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
NOISE = Tensor(RNG.normal(size=(6, 4)).astype(np.float32))
METRES = Tensor((4 * RNG.choice([-1, 1], size=(6, 2))).astype(np.float32))
GENERATOR = nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2), nn.Tanh())
LINEAR = nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2))
JUDGE = nn.SequentialCell(nn.Dense(2, 5), nn.LeakyReLU(0.2), nn.Dense(5, 1))


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def found(forward, *cells):
    weights = [one for cell in cells for one in cell.trainable_params()]
    return made_and_real(trace_step(of_forward(forward, (METRES, NOISE), weights, list(cells))))


def score(real, made):
    return ops.binary_cross_entropy_with_logits(
        JUDGE(real), ops.ones((6, 1)), ops.ones((1,)), ops.ones((1,))
    ) + ops.binary_cross_entropy_with_logits(JUDGE(made), ops.zeros((6, 1)), ops.ones((1,)), ops.ones((1,)))


def test_samples_beyond_what_can_be_made():
    (one,) = found(lambda real, noise: score(real, ops.stop_gradient(GENERATOR(noise))), GENERATOR, JUDGE)
    assert (one["low"], one["high"], one["beyond"], one["elements"]) == (-1, 1, 12, 12)
    assert one["operator"] == "Tanh" and (one["min"], one["max"]) == (-4, 4)


def test_what_is_made_in_the_units_of_the_samples():
    (one,) = found(lambda real, noise: score(real, 5 * GENERATOR(noise)), GENERATOR, JUDGE)
    assert (one["low"], one["high"], one["beyond"]) == (-5, 5, 0)
    (one,) = found(lambda real, noise: score(real / 5, GENERATOR(noise)), GENERATOR, JUDGE)
    assert one["beyond"] == 0


def test_without_bounds_nothing_is_told():
    assert found(lambda real, noise: score(real, LINEAR(noise)), LINEAR, JUDGE) == []


def test_a_layer_that_is_given_its_own_results():
    step, out = nn.SequentialCell(nn.Dense(2, 2), nn.Tanh()), nn.Dense(2, 1)
    assert found(lambda real, noise: (out(step(step(real))) ** 2).mean(), step, out) == []
