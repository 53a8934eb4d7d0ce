"""How far the weights of the end lie from the first, beside a late copy."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(2)
START, WAY, OTHER = (RNG.normal(size=(4, 6)).astype(np.float32) for _ in range(3))


@pytest.mark.parametrize(
    ("end", "share", "alike"),
    [
        (START + WAY, 1.0, 1.0),
        (START + 1.2 * WAY, 1.2, 1.0),
        (0.85 * START + 0.15 * (START + WAY), 0.15, 1.0),
        (OTHER, None, None),  # weights of another training
        (START, None, None),
    ],
)
def test_the_way_of_the_weights(end, share, alike):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, material = nn.Dense(6, 4, weight_init=Tensor(START), has_bias=False), Material()
    material.offer("functional", (), lambda given: None, [net], [])
    for step, values in ((2, START + WAY), (3, end)):
        net.weight.set_data(Tensor(values))
        if step == 2:
            material.offer("functional", (), lambda given: None, [net], [])
    found = material.travelled()
    if share is None:
        assert found is None or abs(found["alike"]) < 0.6
    else:
        assert found["step"] == 2
        assert (found["share"], found["alike"]) == (pytest.approx(share, abs=1e-4), pytest.approx(alike, abs=1e-4))


def test_nothing_was_copied():
    net, material = nn.Dense(6, 4), Material()
    material.offer("functional", (), lambda given: None, [net], [])
    assert material.travelled() is None
