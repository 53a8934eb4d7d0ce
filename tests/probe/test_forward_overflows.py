"""Overflows of float16 within the forward pass that neither loss nor gradients show."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.units import unit_facts
from msprec.probe.steps.captured_steps import Material

INPUTS = Tensor(np.full((4, 6), 3.0, np.float32))


def overflows(forward_of):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(6, 6, weight_init="ones")
    forward = forward_of(net)
    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [net])  # noqa: E731
    material.offer("functional", (INPUTS,), build, [net], [])
    return [(one["operator"], one["share"]) for one in unit_facts(material, 60)["moments"][-1]["overflows"]]


@pytest.mark.parametrize(("dtype", "found"), [(ms.float16, [("mul", 1.0)]), (ms.float32, [])])
def test_a_norm_of_large_values(dtype, found):
    def norm(net):
        def forward(x):
            hidden = (net(x) * 20).astype(dtype)
            return (hidden * ops.rsqrt((hidden * hidden).mean(-1, keep_dims=True) + 1e-6)).astype(ms.float32).mean()

        return forward

    assert overflows(norm) == found


def test_a_mask_is_none():
    def masked(net):
        def forward(x):
            scores = (net(x)).astype(ms.float16)
            mask = (ops.ones_like(x) * -1e9).astype(ms.float16)
            return ops.softmax(scores + mask * Tensor(np.eye(4, 6), ms.float16), -1).astype(ms.float32).mean()

        return forward

    assert overflows(masked) == []
