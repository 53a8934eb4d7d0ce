"""What a network can tell of its targets, by how its outputs follow its inputs."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.network.function_class import function_class
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS, MSE, SOFTMAX

RNG = np.random.default_rng(4)
LINE = RNG.uniform(-2, 1, (320, 1)).astype(np.float32)
PLANE = RNG.normal(0, 1, (320, 2)).astype(np.float32)
RINGS = (np.linalg.norm(PLANE, axis=1) > 1.2).astype(np.int32)
HALVES = (PLANE[:, :1] + PLANE[:, 1:] > 0).astype(np.float32)
LOSSES = {SOFTMAX: nn.CrossEntropyLoss, MSE: nn.MSELoss, BCE: nn.BCELoss, BCE_LOGITS: nn.BCEWithLogitsLoss}


def found(samples, targets, *middle, kind=MSE, bias=False):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    outputs, loss = 2 if kind == SOFTMAX else targets.shape[1], LOSSES[kind]()
    body, head = nn.Dense(samples.shape[1], 24, has_bias=bias), nn.Dense(24, outputs, has_bias=bias)
    net = nn.SequentialCell(body, *middle, head, *([nn.Sigmoid()] if kind == BCE else []))
    material = Material()
    for begin in range(0, 320, 40):
        batch = (Tensor(samples[begin : begin + 40]), Tensor(targets[begin : begin + 40]))
        build = lambda given, _=None: of_forward(  # noqa: E731
            lambda x, y: loss(net(x), y), given, net.trainable_params(), [net]
        )
        material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params())])
    return function_class(InferenceTraces(material), material, [{"kind": kind, "targets": {"input": 1}}])


@pytest.mark.parametrize(
    ("middle", "bias", "by"),
    [
        ([nn.ReLU()], False, "scale"),
        ([nn.Tanh()], False, "sign"),
        ([nn.Dropout(p=0.5)], False, "linear"),
        ([nn.Dropout(p=0.5)], True, "affine"),
    ],
)
def test_a_curve_off_the_origin(middle, bias, by):
    told = found(LINE, np.sin(2 * LINE) + 0.5, *middle, bias=bias)
    assert told["by"] == by and told["whole"] > 0.95 and told["part"] < 0.7


def test_what_goes_through_the_origin():
    told = found(LINE, np.where(LINE > 0, 2 * LINE, -LINE).astype(np.float32), nn.ReLU())
    assert told["part"] > 0.95


@pytest.mark.parametrize(
    ("targets", "kind", "least", "most"),
    [
        (RINGS, SOFTMAX, -1.0, 0.3),
        (RINGS[:, None].astype(np.float32), BCE, -1.0, 0.3),
        (np.stack([RINGS, RINGS], 1).astype(np.float32), BCE_LOGITS, -1.0, 0.3),
        (HALVES, BCE, 0.85, 1.0),  # a line parts them
        (HALVES[:, 0].astype(np.int32), SOFTMAX, 0.85, 1.0),
    ],
)
def test_classes_of_an_affine_map(targets, kind, least, most):
    told = found(PLANE, targets, kind=kind, bias=True)
    assert told["by"] == "affine" and told["whole"] > 0.75 and least <= told["part"] <= most


def test_rings_around_the_origin():
    told = found(PLANE, RINGS, nn.ReLU(), kind=SOFTMAX)
    assert told["by"] == "scale" and told["whole"] > 0.75 and told["part"] < 0.3


class Parts(nn.Cell):
    """Three layers with weights, as they are put together."""

    def __init__(self, way, act):
        super().__init__()
        self.way, self.act = way, act
        self.a, self.b, self.c = nn.Dense(2, 8), nn.Dense(8, 8), nn.Dense(8 if way != "beside" else 2, 2)

    def construct(self, x):
        if self.way == "beside":
            return self.b(self.a(x))[:, :2] + self.c(x)
        h = self.act(self.a(x))
        return self.c(h + self.act(self.b(h)))


@pytest.mark.parametrize(
    ("way", "act", "by", "widths"),
    [
        ("shortcut", nn.Identity(), "affine", [2, 8, 8, 2]),
        ("beside", nn.Identity(), "affine", None),  # not in a row
        ("shortcut", nn.ReLU(), None, None),
    ],
)
def test_a_loss_of_its_own(way, act, by, widths):
    """The last layer is asked, and every part of the batch is of real numbers."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, material = Parts(way, act), Material()
    batch = (Tensor(PLANE[:40]), Tensor(PLANE[40:80]))
    build = lambda given, _=None: of_forward(  # noqa: E731
        lambda x, y: (net(x) - y).abs().mean(), given, net.trainable_params(), [net]
    )
    material.offer("functional", batch, build, [net], [nn.SGD(net.trainable_params())])
    told = function_class(InferenceTraces(material), material, []) or {}
    assert told.get("by") == by and told.get("widths") == widths and "whole" not in told
    assert by is None or widths is None or len(told["places"]) == 3


def test_samples_that_all_give_the_same_follow_in_no_way():
    dead = nn.SequentialCell(nn.ReLU(), nn.Dense(24, 24, weight_init="zeros"))
    assert found(LINE, np.sin(LINE), dead, bias=True) is None


@pytest.mark.parametrize(("middle", "bias"), [(nn.ReLU(), True), (nn.Sigmoid(), False)])
def test_others(middle, bias):
    assert found(LINE, np.sin(LINE), middle, bias=bias) is None
