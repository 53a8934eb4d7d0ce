"""Reshapes in the place of a transpose."""

import math

import mindspore as ms
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.reshaped_axes import moved_axes, reshaped_axes
from msprec.probe.steps.connectivity_trace import trace_step

X = Tensor(np.random.default_rng(0).standard_normal((2, 6, 20)).astype(np.float32))


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ((32, 8, 9, 3), (32, 3, 8, 9), [3, 8, 9]),  # pictures with channels last
        ((32, 12, 64), (32, 4, 12, 16), [12]),  # heads
        ((32, 4, 12, 16), (32, 12, 64), [12]),  # and back
        ((32, 24, 4, 4), (32, 16, 24), [24]),  # a map as tokens
        ((10, 32, 8), (32, 10, 8), [32, 10]),
    ],
)
def test_axes_that_were_to_be_moved(before, after, moved):
    assert moved_axes(before, after) == moved


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((32, 12, 64), (32, 12, 4, 16)),
        ((32, 12, 4, 16), (32, 12, 64)),
        ((32, 24, 4, 4), (32, 384)),
        ((384,), (24, 4, 4)),
        ((32, 1, 28, 28), (32, 28, 28, 1)),
        ((32, 7, 1), (32, 1, 7)),
        ((32, 100, 40), (32, 50, 80)),  # every second place joined to the one before it
        ((8, 8, 4, 6), (8, 4, 2, 2, 2, 6)),  # windows: 4 stands elsewhere, and nothing is torn
        ((0, 3), (3, 0)),
    ],
)
def test_axes_split_and_joined(before, after):
    assert moved_axes(before, after) == []


@given(st.lists(st.integers(2, 6), min_size=1, max_size=4), st.data())
def test_what_only_splits_or_joins_axes_moves_none(sizes, data):
    joined, at = [], 0
    while at < len(sizes):
        width = data.draw(st.integers(1, len(sizes) - at))
        joined.append(math.prod(sizes[at : at + width]))
        at += width
    assert moved_axes(tuple(sizes), tuple(joined)) == moved_axes(tuple(joined), tuple(sizes)) == []


@given(st.permutations([2, 3, 5, 7]))
def test_a_reshape_to_a_permutation_gives_what_no_transpose_gives(order):
    sizes, values = [2, 3, 5, 7], np.arange(210).reshape(2, 3, 5, 7)
    moved = values.transpose([sizes.index(one) for one in order])
    assert bool(moved_axes((2, 3, 5, 7), tuple(order))) == (not np.array_equal(values.reshape(order), moved))


def found(change, batch=(X,)):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(20, 20)
    step = of_forward(lambda x: change(net(x)).square().mean(), batch, net.trainable_params(), [net])
    return [(one["given"], one["made"], one["size"]) for one in reshaped_axes(trace_step(step), batch)]


@pytest.mark.parametrize(
    "change", [lambda x: x.reshape(2, 20, 6), lambda x: ops.reshape(x, (2, 20, 6)), lambda x: x.view(2, 20, 6)]
)
def test_in_a_step(change):
    assert found(change) == [([2, 6, 20], [2, 20, 6], 20)]


def test_samples_put_behind_the_time():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(20, 20)
    step = of_forward(lambda x: net(x.reshape(6, 2, 20)).square().mean(), (X,), net.trainable_params(), [net])
    assert [one["size"] for one in reshaped_axes(trace_step(step), (X,))] == [6]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: x.reshape(2, -1), [2]),  # the states of all steps in a row, of other samples
        (lambda x: x.swapaxes(0, 1).reshape(2, -1), []),
        (lambda x: x.reshape(6, -1), []),
        (lambda x: x.reshape(12, 20), []),
    ],
)
def test_samples_that_stood_second(change, told):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(20, 20)
    step = of_forward(lambda x: change(net(x.swapaxes(0, 1))).square().mean(), (X,), net.trainable_params(), [net])
    assert [one["size"] for one in reshaped_axes(trace_step(step), (X,))] == told


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.swapaxes(1, 2),
        lambda x: x.reshape(2, 6, 4, 5),
        lambda x: ops.cat((ops.zeros((2, 1, 20)), x), axis=1).reshape(2, 20, 7)[:, 1:],  # rows that shift on purpose
        lambda x: x * ops.ones((2, 6, 20)).reshape(2, 20, 6).swapaxes(1, 2),
        lambda x: x.reshape(6, 2, 20),  # as wide as there are samples: heads may be joined with them
        lambda x: x * 1 if x.reshape(2, 20, 6).size else x,  # nothing is computed from it
    ],
)
def test_nothing_to_tell(change):
    assert found(change) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: x.reshape(120, -1), [2]),  # columns that were to be samples
        (lambda x: x.reshape(2, 120).swapaxes(0, 1), []),
        (lambda x: x.reshape(-1, 20), []),
    ],
)
def test_samples_put_last(change, told):
    assert [size for _, _, size in found(change)] == told
