"""Which side of a comparison has its gradient stopped."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.locate.trace import to_numpy
from msprec.probe.loss.stopped_prediction import stopped_predictions
from msprec.probe.steps.connectivity_trace import trace_step

RNG = np.random.default_rng(2)
STATES, REWARDS, NEXT = (RNG.normal(size=shape).astype(np.float32) for shape in ((6, 4), (6,), (6, 4)))


def found(loss):
    """``loss(net, other)`` makes the function of a step from two networks."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(1)
    net, other = nn.Dense(4, 3), nn.Dense(4, 3)
    inputs = tuple(map(Tensor, (STATES, REWARDS, NEXT)))
    weights = [*net.trainable_params(), *other.trainable_params()]
    trace = trace_step(of_forward(loss(net, other), inputs, weights, [net, other]))
    return stopped_predictions(trace, [to_numpy(one) for one in inputs])


def temporal_difference(predicted_stopped, target_stopped, by_hand):
    def loss(net, _):
        def forward(states, rewards, following):
            predicted, target = net(states).max(axis=1), rewards + 0.9 * net(following).max(axis=1)
            predicted = ops.stop_gradient(predicted) if predicted_stopped else predicted
            target = ops.stop_gradient(target) if target_stopped else target
            return ((target - predicted) ** 2).mean() if by_hand else ops.mse_loss(predicted, target)

        return forward

    return loss


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize("predicted_stopped", [True, False])
@pytest.mark.parametrize("target_stopped", [True, False])
def test_temporal_differences(predicted_stopped, target_stopped, by_hand):
    entries = found(temporal_difference(predicted_stopped, target_stopped, by_hand))
    assert bool(entries) == (predicted_stopped and not target_stopped)
    if entries:
        assert entries[0]["operator"] == "stop_gradient"
        assert entries[0]["compared"]["line"] > entries[0]["place"]["line"]


def test_only_the_next_value_is_stopped():
    def loss(net, _):
        return lambda states, rewards, following: ops.mse_loss(
            net(states).max(axis=1), rewards + ops.stop_gradient(net(following).max(axis=1))
        )

    assert found(loss) == []


def test_a_network_drawn_towards_what_another_gives():
    def loss(net, other):
        def forward(states, _, following):
            given, wanted = net(states), other(following)
            return ops.mse_loss(ops.stop_gradient(given), wanted) + ops.mse_loss(given, ops.stop_gradient(wanted))

        return forward

    assert found(loss) == []


def test_a_residual_towards_the_inputs():
    def loss(net, other):
        def forward(states, _, following):
            mean, spread = net(states), other(states)
            error = ops.abs(following[:, :3] - ops.stop_gradient(mean))
            return ops.mse_loss(spread, error) + ops.mse_loss(mean, following[:, :3])

        return forward

    assert found(loss) == []
