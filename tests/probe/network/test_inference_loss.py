"""The loss of captured batches in inference mode."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.network.inference_loss import inference_loss
from msprec.probe.steps.captured_steps import Material


def offered(loss, share=0.9):
    """Twelve batches of a network that would drop nine tenths in training, with what its loss is in inference mode."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    rng = np.random.default_rng(1)
    net, material, expected = nn.SequentialCell(nn.Dense(5, 7), nn.Dropout(p=share), nn.Dense(7, 1)), Material(), []
    for _ in range(12):
        batch = tuple(Tensor(rng.normal(size=(6, width)).astype(np.float32)) for width in (5, 1))
        net.set_train(False)
        expected.append(((net(batch[0]) - batch[1]).asnumpy() ** 2).mean())
        net.set_train(True)
        build = lambda given, _=None: of_forward(  # noqa: E731
            lambda x, y: loss(net(x), y), given, net.trainable_params(), [net]
        )
        material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params())])
    return inference_loss(material), expected[-8:], net


def test_neither_dropout_nor_a_change_of_mode():
    found, expected, net = offered(nn.MSELoss())
    assert found["batches"] == 8 and np.isclose(found["loss"], np.mean(expected), rtol=1e-5)
    assert net.training


def test_a_loss_that_is_not_finite():
    assert offered(lambda made, target: nn.MSELoss()(made, target) / 0.0)[0] is None


def test_little_dropout_is_not_looked_at():
    assert offered(nn.MSELoss(), share=0.3)[0] is None
