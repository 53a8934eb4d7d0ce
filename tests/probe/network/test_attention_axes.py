"""Along which axis attention weights add up to one."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.attention_axes import attention_axes
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

INPUTS = Tensor(np.random.default_rng(0).standard_normal((3, 5, 4)).astype(np.float32))


def found(mix):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, dropout = nn.Dense(4, 4), nn.Dropout(p=0.5)
    cells = nn.CellList([net, dropout]).set_train()

    def forward(x):
        return mix(net(x), dropout).square().mean()

    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [cells])  # noqa: E731
    material.offer("functional", (INPUTS,), build, [cells], [])
    return [(one["axis"], one["summed"]) for one in attention_axes(InferenceTraces(material))]


@pytest.mark.parametrize(("axis", "wrong"), [(-1, []), (0, [(-3, -1)]), (1, [(-2, -1)])])
def test_scores_before_values(axis, wrong):
    def mix(x, dropout):
        return ops.matmul(dropout(ops.softmax(ops.matmul(x, x.swapaxes(1, 2)), axis=axis)), x)

    assert found(mix) == wrong


def test_weights_as_the_second_factor():
    def mix(x, dropout):
        return ops.matmul(x.swapaxes(1, 2), ops.softmax(ops.matmul(x, x.swapaxes(1, 2)), axis=1))

    assert found(mix) == []


def test_linear_attention_sums_over_places():
    def mix(x, dropout):
        keys, queries = ops.softmax(x, axis=1), ops.softmax(x, axis=-1)
        return ops.matmul(queries, ops.matmul(keys.swapaxes(1, 2), x))

    assert found(mix) == []


def cosines(turn, axis):
    def mix(x, dropout):
        z = ops.L2Normalize(axis=axis)(x.reshape(15, 4))
        return ops.matmul(z, z.T) if turn else ops.matmul(z.T, z)

    return found(mix)


def test_vectors_of_length_one_along_the_samples():
    assert cosines(True, 0) == [(-2, -1)]
    assert cosines(True, 1) == []


def test_features_of_length_one_are_correlated_over_the_samples():
    assert cosines(False, 0) == []


def test_a_length_divided_by_hand():
    def mix(x, dropout):
        z = x.reshape(15, 4)
        z = z / ops.sqrt((z * z).sum(0, keepdims=True))
        return ops.matmul(z, z.T)

    assert found(mix) == [(-2, -1)]


def test_one_factor_of_length_one_makes_no_cosine():
    def mix(x, dropout):
        z = ops.L2Normalize(axis=0)(x.reshape(15, 4))
        return ops.matmul(z, x.reshape(15, 4).T)

    assert found(mix) == []


@pytest.mark.parametrize(("axis", "wrong"), [(1, []), (0, [(-3, -2)])])
def test_weights_that_are_multiplied_in_and_summed_over(axis, wrong):
    """As of an attention that pools: softmax of one score a place."""

    def mix(x, dropout):
        shares = ops.softmax(x.sum(axis=-1), axis=axis)
        return (shares.expand_dims(-1) * x).sum(axis=1)

    assert found(mix) == wrong
