"""Sines and cosines of numbers that are too large for their element type."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.data.rough_angles import rough_angles
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces


class Waves(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.layer, self.kind = nn.Dense(3, 1), kind

    def construct(self, angle):
        return self.layer(ops.sin(angle.astype(self.kind)).astype(ms.float32))


@pytest.mark.parametrize(
    ("kind", "largest", "step"),
    [
        (ms.float16, 100.0, None),  # 1/16 radians apart
        (ms.float16, 200.0, 0.125),
        (ms.float16, 3000.0, 2.0),
        (ms.float32, 3000.0, None),
    ],
)
def test_angles_by_size_and_type(kind, largest, step) -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, found = Waves(kind), Material()
    batch = (Tensor(np.linspace(-largest, 0, 12).reshape(4, 3).astype(np.float32)),)

    def build(given, _=None):
        return of_forward(lambda x: net(x).sum(), given, net.trainable_params(), [net])

    found.offer("functional", batch, build, [net], [])
    told = rough_angles(InferenceTraces(found))
    assert [one["step"] for one in told] == ([] if step is None else [step])
    assert all(one["largest"] == pytest.approx(largest, rel=0.01) and one["place"] for one in told)
