"""What the first layers are given, and whether a normalisation takes what they give."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.data.first_layers import first_layers
from msprec.probe.steps.connectivity_trace import trace_step

RNG = np.random.default_rng(7)
QUIET = Tensor((0.005 * RNG.standard_normal((32, 3, 8, 8))).astype(np.float32))


class Traces:
    """A step in inference mode, of which there is one batch."""

    def __init__(self, net, batch):
        self.net, self.batches = net, [batch]

    def of(self):
        self.net.set_train(False)
        return trace_step(of_forward(self.net, self.batches[0], self.net.trainable_params(), [self.net]))


def first(net, trained=True):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net.set_train(trained)
    for _ in range(80 if trained else 0):
        net(QUIET)
    ((one,),) = [entry["layers"] for entry in first_layers(Traces(net, (QUIET,)))]
    return one


def conv():
    return nn.Conv2d(3, 8, 3, weight_init="he_normal")


def test_batch_normalisation_takes_the_scale_away():
    one = first(nn.SequentialCell(conv(), nn.BatchNorm2d(8), nn.ReLU()))
    assert (one["operator"], one["normalizes"], one["normalized"]) == ("Conv2d", False, True)
    assert -0.05 < one["min"] < one["max"] < 0.05


def test_not_with_the_statistics_of_its_start():
    assert not first(nn.SequentialCell(conv(), nn.BatchNorm2d(8), nn.ReLU()), trained=False)["normalized"]


@pytest.mark.parametrize("between", [nn.ReLU(), nn.Sigmoid()])
def test_not_after_something_that_is_not_linear(between):
    assert not first(nn.SequentialCell(conv(), between, nn.BatchNorm2d(8)))["normalized"]


def test_not_where_it_is_added_to_what_goes_round_the_normalisation():
    class Residual(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.norm = conv(), nn.BatchNorm2d(8)

        def construct(self, pictures):
            given = self.first(pictures)
            return given + self.norm(given)

    assert not first(Residual())["normalized"]
