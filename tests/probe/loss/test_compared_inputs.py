"""Whether an output is a distance of two inputs, and which label alike inputs have."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.compared_inputs import compared_inputs
from msprec.probe.steps.captured_steps import Material
from msprec.runtime import source_locations

RNG = np.random.default_rng(1)
LEFT = RNG.standard_normal((64, 5)).astype(np.float32)
ALIKE = np.arange(64) % 2
RIGHT = np.where(ALIKE[:, None] == 1, LEFT + 0.1, RNG.standard_normal((64, 5))).astype(np.float32)


class Pairs(nn.Cell):
    def __init__(self, compared):
        super().__init__()
        self.tower, self.compared = nn.Dense(5, 3, weight_init="normal"), compared

    def construct(self, a, b):
        if self.compared == "distance":
            return ops.norm(self.tower(a) - self.tower(b), dim=1)
        return ops.cosine_similarity(self.tower(a), self.tower(b), dim=1)


def squares(given, label):
    return ops.square(given - label).mean()


def facts(compared, label):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Pairs(compared)

    def build(batch, _=None):
        return of_forward(lambda a, b, y: squares(net(a, b), y), batch, net.trainable_params(), [net])

    material = Material()
    batch = (Tensor(LEFT), Tensor(RIGHT), Tensor(label.astype(np.float32)))
    material.offer("functional", batch, build, [net], [])
    return compared_inputs(material, [{}])


@pytest.mark.parametrize(("label", "closer"), [(ALIKE, 1.0), (1 - ALIKE, 0.0)])
def test_a_distance(label, closer):
    found = facts("distance", label)
    assert found["samples"] == 64
    assert found["closer"] == pytest.approx(closer, abs=0.05)
    assert found["equal"] < 1e-6 < found["usual"]


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, a, b, y):
        distance = self.net(a, b)
        return (y * distance**2 + (1 - y) * ops.relu(1.0 - distance) ** 2).mean()


def test_a_loss_that_is_written_out():
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    cell = WithLoss(Pairs("distance"))

    def build(batch, _=None):
        return of_forward(cell, batch, cell.trainable_params(), [cell.net])

    material = Material()
    batch = (Tensor(LEFT), Tensor(RIGHT), Tensor(ALIKE.astype(np.float32)))
    material.offer("functional", batch, build, [cell.net], [])
    found = compared_inputs(material, [{}])
    assert found["closer"] > 0.9 and found["equal"] < 1e-6 < found["usual"]


def test_a_similarity_is_no_distance():
    found = facts("similarity", ALIKE)
    assert found["equal"] == pytest.approx(1, abs=1e-3)


def test_three_labels():
    assert facts("distance", np.arange(64) % 3) is None
