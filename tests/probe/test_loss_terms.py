"""The terms of which a loss is the sum."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.captured_steps import Material
from msprec.probe.loss_terms import loss_terms

RNG = np.random.default_rng(0)
INPUTS, KINDS = RNG.standard_normal((8, 4)).astype(np.float32), (np.arange(8) % 3).astype(np.int32)
CENTRES = RNG.standard_normal((8, 2)).astype(np.float32)


def terms(whole):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(4, 5)
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)

    def forward(x, kinds, centres):
        made = net(x)
        return whole(ops.cross_entropy(made[:, :3], kinds), ops.mse_loss(made[:, 3:], centres), made)

    def build(batch, _=None):
        return of_forward(forward, batch, net.trainable_params(), [net])

    material = Material()
    batch = (Tensor(INPUTS), Tensor(KINDS), Tensor(CENTRES))
    material.offer("functional", batch, build, [net], [optimizer])
    return loss_terms(material, 60)


def test_of_two_losses():
    kinds, centres = terms(lambda kinds, centres, _: kinds + 4 * centres)
    assert [one["kind"] for one in (*kinds["fits"], *centres["fits"])] == ["softmax_cross_entropy", "mse"]
    assert centres["end"] == pytest.approx(4 * centres["fits"][0]["end"], rel=1e-4)
    shares = np.bincount(KINDS) / 8
    assert kinds["fits"][0]["constant"] == pytest.approx(-(shares * np.log(shares)).sum())
    assert centres["gradient_end"] > 0


def test_a_factor_before_the_sum():
    one, _ = terms(lambda kinds, centres, _: 0.5 * (kinds + centres))
    other, _ = terms(lambda kinds, centres, _: kinds + centres)
    assert one["end"] / one["fits"][0]["end"] == pytest.approx(0.5, rel=1e-4)
    assert other["end"] == pytest.approx(other["fits"][0]["end"], rel=1e-4)


def test_a_penalty_compares_nothing():
    _, _, penalty = terms(lambda kinds, centres, made: kinds + centres + made.square().mean())
    assert penalty["fits"] == []


def test_one_loss_is_no_sum():
    assert terms(lambda kinds, centres, _: kinds) == []
