"""What a network without a bias can tell of its targets."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.network.without_bias import without_bias
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.numpy_losses import MSE, SOFTMAX

RNG = np.random.default_rng(4)
LINE = RNG.uniform(-2, 1, (320, 1)).astype(np.float32)
PLANE = RNG.normal(0, 1, (320, 2)).astype(np.float32)
RINGS = (np.linalg.norm(PLANE, axis=1) > 1.2).astype(np.int32)


def found(samples, targets, act=nn.ReLU, bias=False):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    classes = targets.dtype == np.int32
    body, head = nn.Dense(samples.shape[1], 24, has_bias=bias), nn.Dense(24, 2 if classes else 1, has_bias=bias)
    net = nn.SequentialCell(body, act(), head)
    loss = nn.CrossEntropyLoss() if classes else nn.MSELoss()
    material = Material()
    for begin in range(0, 320, 40):
        batch = (Tensor(samples[begin : begin + 40]), Tensor(targets[begin : begin + 40]))
        build = lambda given, _=None: of_forward(  # noqa: E731
            lambda x, y: loss(net(x), y), given, net.trainable_params(), [net]
        )
        material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params())])
    return without_bias(material, [{"kind": SOFTMAX if classes else MSE, "targets": {"input": 1}}])


@pytest.mark.parametrize(
    ("act", "by", "most"), [(nn.ReLU, "scale", 0.7), (nn.Tanh, "sign", 0.7), (nn.Identity, "both", 0.5)]
)
def test_a_curve_off_the_origin(act, by, most):
    told = found(LINE, np.sin(2 * LINE) + 0.5, act)
    assert told["by"] == by and told["whole"] > 0.95 and told["part"] < most


def test_what_goes_through_the_origin():
    told = found(LINE, np.where(LINE > 0, 2 * LINE, -LINE).astype(np.float32))
    assert told["part"] > 0.95


def test_rings_around_the_origin():
    told = found(PLANE, RINGS)
    assert told["by"] == "scale" and told["whole"] > 0.9 and told["part"] < 0.7


def test_others():
    assert found(LINE, np.sin(LINE), bias=True) is None
    assert found(LINE, np.sin(LINE), act=nn.Sigmoid) is None  # gives 0.5 for 0
