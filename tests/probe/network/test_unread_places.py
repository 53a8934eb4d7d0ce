"""Inputs of which only some places are read."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.unread_places import unread_places
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(0)
SERIES = RNG.standard_normal((6, 16, 3)).astype(np.float32)
TARGETS = RNG.standard_normal((6, 4)).astype(np.float32)


def found(layer, read, inputs=SERIES, targets=TARGETS):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    head = nn.Dense(4, 4)
    net = nn.SequentialCell(layer, head)

    def forward(x, y):
        return ops.mse_loss(head(read(layer, x)), y)

    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [net])  # noqa: E731
    batch = (Tensor(inputs), Tensor(targets))
    material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params(), 0.1)])
    return unread_places(material, 60.0)


def padded_behind(layer, x):
    return layer(nn.ConstantPad1d((0, 1), 0.0)(x.swapaxes(1, 2)))[:, :, -1]


def padded_in_front(layer, x):
    return layer(nn.ConstantPad1d((15, 0), 0.0)(x.swapaxes(1, 2)))[:, :, -1]


@pytest.mark.parametrize(
    ("layer", "read", "unread", "left"),
    [
        (lambda: nn.LSTM(3, 4, batch_first=True), lambda layer, x: layer(x)[0][:, 0], "last", 1),
        (lambda: nn.LSTM(3, 4, batch_first=True), lambda layer, x: layer(x)[0][:, -1], None, None),
        (lambda: nn.Dense(3, 4), lambda layer, x: layer(x).mean(1), None, None),
        (lambda: nn.Dense(3, 4), lambda layer, x: layer(x)[:, -2:].mean(1), "first", 2),
        (lambda: nn.Conv1d(3, 4, 2, pad_mode="valid"), padded_behind, "first", 1),
        (lambda: nn.Conv1d(3, 4, 16, pad_mode="valid"), padded_in_front, None, None),
    ],
)
def test_places_that_change_the_loss(layer, read, unread, left):
    ms.set_seed(1)
    told = found(layer(), read)
    assert [(one["unread"], one["read"], one["axis"]) for one in told] == ([(unread, left, 1)] if unread else [])
    if unread:
        assert told[0]["place"]["file"].endswith("test_unread_places.py")


def test_a_part_of_the_targets_may_be_asked_for():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(3, 4)
    forward = lambda x, y: ops.mse_loss(net(x).mean(1), y[:, 0])  # noqa: E731
    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [net])  # noqa: E731
    windows = RNG.standard_normal((6, 16, 4)).astype(np.float32)
    material.offer("functional", (Tensor(SERIES), Tensor(windows)), build, [net], [nn.SGD(net.trainable_params(), 0.1)])
    assert unread_places(material, 60.0) == []


def test_places_that_hold_the_same_tell_nothing():
    same = np.repeat(SERIES[:1], 6, axis=0)
    assert found(nn.Dense(3, 4), lambda layer, x: layer(x)[:, -1], same) == []
