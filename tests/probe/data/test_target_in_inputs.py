"""Whether one number of each sample's inputs is its target, and the loss changes with it."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.data.target_in_inputs import target_in_inputs
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(80, 5)).astype(np.float32)
SERIES = RNG.normal(size=(80, 6, 1)).astype(np.float32)
TOKENS = RNG.integers(0, 9, (80, 6)).astype(np.int32)


def found(inputs, forward, target=1):
    """The facts of a step with these inputs; ``forward`` is given a Dense layer and the inputs."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(5, 1)
    material = Material()
    material.offer(
        "functional",
        tuple(map(Tensor, inputs)),
        lambda batch, _=None: of_forward(lambda *held: forward(net, *held), batch, net.trainable_params(), [net]),
        [net],
        [],
    )
    return target_in_inputs(material, [{"targets": {"input": target}}])


def squared(net, x, y):
    return ops.mse_loss(net(x), y.reshape(-1, 1))


def test_a_column_of_a_table_is_the_target():
    facts = found((ROWS, ROWS[:, 3:4]), squared)
    assert facts == {"input": 0, "column": 3, "samples": 80, "target": 1}


def test_classes_among_the_columns():
    classes = RNG.integers(0, 2, 80).astype(np.int32)
    rows = np.concatenate([classes[:, None], ROWS[:, :4]], 1).astype(np.float32)
    facts = found(
        (rows, classes), lambda net, x, y: ops.binary_cross_entropy_with_logits(net(x)[:, 0], y.float(), *_ones())
    )
    assert facts["column"] == 0


def test_a_network_that_gives_the_same_for_all_samples():
    facts = found((ROWS, ROWS[:, 3:4]), lambda net, x, y: ops.mse_loss(net(x * 0), y))
    assert facts["column"] == 3


def _ones():
    return Tensor(np.ones(80, np.float32)), Tensor(np.ones(80, np.float32))


def test_the_last_step_of_a_window_is_the_target():
    facts = found((SERIES, SERIES[:, -1]), lambda net, x, y: ops.mse_loss(net(x[:, 1:, 0]), y))
    assert facts["column"] == 0


def ahead(steps, of):
    """Targets of which the first are the last steps of `SERIES`."""
    return np.concatenate([SERIES[:, 6 - steps :, 0], RNG.normal(size=(80, of - steps)).astype(np.float32)], 1)


@pytest.mark.parametrize(("steps", "of"), [(2, 2), (1, 3)])
def test_the_first_targets_are_the_last_steps_of_a_window(steps, of):
    facts = found(
        (SERIES, ahead(steps, of)), lambda net, x, y: ops.mse_loss(net(x[:, 1:, 0]).broadcast_to((80, of)), y)
    )
    assert facts == {"input": 0, "column": 0, "steps": steps, "of_targets": of, "samples": 80, "target": 1}


WAVE = np.sin(np.arange(200) * np.pi / 2 + 0.3).astype(np.float32)
WAVES = np.stack([WAVE[n : n + 6] * (1 + n) for n in range(80)])[:, :, None]


@pytest.mark.parametrize(
    ("inputs", "targets"),
    [
        (SERIES, SERIES[:, 1:3, 0]),  # steps before the last
        (SERIES, SERIES[:, :, 0]),  # an autoencoder
        (SERIES, ahead(2, 3)),  # the step after each of the last three
        (WAVES, WAVES[:, 2:, 0]),  # a series that repeats itself: what follows a period is the period
    ],
)
def test_several_targets_that_are_no_end_of_the_window(inputs, targets):
    assert found((inputs, targets), lambda net, x, y: ops.mse_loss(net(x[:, 1:, 0]).broadcast_to(y.shape), y)) is None


@pytest.mark.parametrize(
    ("inputs", "forward"),
    [
        ((ROWS, ROWS[:, 3:4] * 2 + 1), squared),  # a law that is to be learnt
        ((SERIES, SERIES[:, 0]), lambda net, x, y: ops.mse_loss(net(x[:, 1:, 0]), y)),  # to remember the first step
        ((TOKENS, TOKENS[:, 0].astype(np.float32)), lambda net, x, y: ops.mse_loss(net(x[:, :5].float())[:, 0], y)),
        (
            (ROWS, ROWS[:, 4:]),
            lambda net, x, y: ops.mse_loss(net(x * Tensor([1.0, 1, 1, 1, 0])), y),
        ),  # it is not looked at
        ((ROWS[:, :1], ROWS[:, :1]), lambda net, x, y: ops.mse_loss(net(x.broadcast_to((80, 5))), y)),  # y = x
        ((ROWS[:20], ROWS[:20, 3:4]), squared),  # too few samples to tell
        ((ROWS, ROWS), lambda net, x, y: ops.mse_loss(net(x).broadcast_to((80, 5)), y)),  # an autoencoder
    ],
)
def test_inputs_without_the_target(inputs, forward):
    assert found(inputs, forward) is None


def test_targets_that_are_not_of_the_inputs():
    assert found((ROWS, ROWS[:, 3:4]), squared, target=None) is None
