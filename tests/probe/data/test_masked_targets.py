"""A mask that counts places alone whose targets are one number."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.data.masked_targets import masked_targets
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

RNG = np.random.default_rng(2)
KNOWN = (RNG.random((30, 12)) < 0.6).astype(np.float32)
FULL = RNG.normal(0, 1, (30, 12)).astype(np.float32)
ROWS = FULL * KNOWN


def found(loss, *inputs):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, material = nn.Dense(12, 12), Material()
    batch = tuple(map(Tensor, inputs))
    build = lambda given, _=None: of_forward(  # noqa: E731
        lambda *args: loss(net, *args), given, net.trainable_params(), [net]
    )
    material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params())])
    return masked_targets(InferenceTraces(material))


def counted(net, row, mask):
    return (((net(row) - row) * mask) ** 2).sum() / mask.sum()


def left_out(net, row, mask):
    return (((net(row) - row) * (1 - mask)) ** 2).sum()


def filled_in(net, row, mask, full):
    return (((net(row) - full) * mask) ** 2).sum() / mask.sum()


@pytest.mark.parametrize(
    ("loss", "inputs", "told"),
    [
        (counted, (ROWS, 1 - KNOWN), True),
        (counted, (ROWS, KNOWN), False),
        (left_out, (ROWS, 1 - KNOWN), False),  # it says what is missing
        (filled_in, (ROWS, 1 - KNOWN, FULL), False),  # what was hidden is to be told
    ],
)
def test_which_places_count(loss, inputs, told):
    facts = found(loss, *inputs)
    assert (facts is not None) is told
    assert facts is None or (facts["mask"], facts["targets"], facts["value"]) == (1, 0, 0.0)
