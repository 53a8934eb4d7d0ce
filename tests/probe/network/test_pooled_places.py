"""Poolings over all places in front of a target that is one."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.pooled_places import pooled_places
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

RNG = np.random.default_rng(5)


def series(count=128, length=24):
    """One peak in each series, where it lies, and how high it is."""
    at, high = RNG.integers(2, length - 2, count), RNG.uniform(1.0, 3.0, count)
    values = RNG.normal(0, 0.1, (count, 1, length)).astype(np.float32)
    values[np.arange(count), 0, at] += high
    return values, (at / length).astype(np.float32), high.astype(np.float32)


def found(targets, pools=True):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    values, at, high = series()
    wanted = {"place": at, "height": high, "class of the place": (at * 4).astype(np.int32)}[targets]
    body, head = nn.Conv1d(1, 6, 3, has_bias=True), nn.Dense(6 if pools else 6 * 24, 1)

    def forward(x, y):
        hidden = ops.relu(body(x))
        hidden = hidden.mean(axis=2) if pools else hidden.reshape(len(x), -1)
        return ((head(hidden)[:, 0] - y) ** 2).mean()

    body.update_parameters_name("body."), head.update_parameters_name("head.")
    weights = [*body.trainable_params(), *head.trainable_params()]
    material = Material()
    for begin in range(0, 128, 32):
        batch = (Tensor(values[begin : begin + 32]), Tensor(wanted[begin : begin + 32]))
        build = lambda given, _=None: of_forward(forward, given, weights, [body, head])  # noqa: E731
        material.offer("functional", batch, build, [body, head], [nn.SGD(weights)])
    return pooled_places(InferenceTraces(material), material)


@pytest.mark.parametrize(("targets", "told"), [("place", True), ("class of the place", True), ("height", False)])
def test_what_a_target_depends_on(targets, told):
    assert (found(targets)["share"] >= 0.8) is told


def test_what_keeps_its_places():
    assert found("place", pools=False) is None
