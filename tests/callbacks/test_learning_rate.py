"""The learning rate of each step, whatever sets it."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.experimental import optim

from msprec import LossScaleMonitor
from msprec.callbacks.learning_rate import BLOCK, SELDOM, STEADY, LearningRate, Scheduled, Unread
from msprec.record.step_recorder import to_number

STEPS = 12


class Halves(nn.learning_rate_schedule.LearningRateSchedule):
    """A user's schedule that takes one step at a time: an ``if`` on a tensor of many steps is an error."""

    def construct(self, global_step):
        if global_step < 5:
            return global_step * 0.0 + 0.5
        return global_step * 0.0 + 0.25


class Counts(nn.learning_rate_schedule.LearningRateSchedule):
    """A schedule with a state of its own, which a call from outside would change."""

    def __init__(self):
        super().__init__()
        self.calls = ms.Parameter(ms.Tensor(0.0), name="calls", requires_grad=False)

    def construct(self, global_step):
        return global_step * 0.0 + 0.5


def cosine(step):
    return 0.01 + 0.5 * (0.1 - 0.01) * (1 + np.cos(np.pi * min(step, 8) / 8))


def net():
    return nn.Dense(4, 1)


def trained(kit, optimizer, network):
    model = ms.train.Model(network, nn.MSELoss(), optimizer)
    monitor = LossScaleMonitor("run")
    model.train(1, kit.data(), callbacks=[monitor])
    return [row["lr"] for row in kit.rows(monitor.folder)]


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_schedule(kit, mode):
    kit.start(mode)
    network = net()
    rates = trained(kit, nn.SGD(network.trainable_params(), nn.CosineDecayLR(0.01, 0.1, 8)), network)
    assert np.allclose(rates, [cosine(step) for step in range(STEPS)], rtol=1e-5)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_groups_give_the_first_ones_rate(kit, mode):
    kit.start(mode)
    network = net()
    groups = [{"params": [network.weight], "lr": [0.1 / (i + 1) for i in range(STEPS)]}, {"params": [network.bias]}]
    assert np.allclose(trained(kit, nn.SGD(groups, 0.05), network), [0.1 / (i + 1) for i in range(STEPS)])
    network = net()
    groups = [{"params": [network.weight], "lr": 0.3}, {"params": [network.bias]}]
    assert np.allclose(trained(kit, nn.SGD(groups, 0.05), network)[STEPS:], [0.3] * STEPS)


def test_a_schedule_for_one_step_at_a_time(kit):
    kit.start("pynative")
    source = Scheduled(Halves())
    assert [source.at(count) for count in (0, 4, 5, 11)] == [0.5, 0.5, 0.25, 0.25]


def test_a_schedule_with_parameters_is_left_alone(kit):
    kit.start("pynative")
    assert Scheduled(Counts()).at(0) is None


def test_blocks_are_computed_anew_where_they_end(kit):
    kit.start("graph")
    source = Scheduled(nn.PolynomialDecayLR(0.1, 0.01, 3 * BLOCK, 1.0))
    for count in (0, BLOCK - 1, BLOCK, 3 * BLOCK + 7, 5):
        assert source.at(count) == pytest.approx(0.1 - 0.09 * min(count, 3 * BLOCK) / (3 * BLOCK), rel=1e-4)


def test_a_scheduler_of_the_experimental_optimizers():
    network = net()
    optimizer = optim.SGD(network.trainable_params(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    rate = LearningRate(optimizer, None)
    seen = []
    for _ in range(5):
        rate.before()
        seen.append(float(rate.fields()["lr"]))
        scheduler.step()
    assert np.allclose(seen, [0.1, 0.1, 0.05, 0.05, 0.025])


def test_kinds():
    network = net()
    made = {
        "constant": nn.SGD(network.trainable_params(), 0.1),
        "list": nn.SGD(network.trainable_params(), [0.1, 0.2]),
        "schedule": nn.SGD(network.trainable_params(), nn.WarmUpLR(0.1, 3)),
        "groups": nn.SGD([{"params": [network.weight], "lr": 0.2}, {"params": [network.bias]}], 0.1),
    }
    for kind, optimizer in made.items():
        assert LearningRate(optimizer).kind == kind
    assert LearningRate(None).kind == "none" and LearningRate(None).fields() == {}


def rates_of(rate, optimizer, steps, change=None):
    """Of steps that may be read seldom, the rates as their rows are written; ``change(step)`` is called before each."""
    fields = []
    for step in range(steps):
        if change is not None:
            change(step)
        rate.before(anew=False)
        fields.append(rate.fields()["lr"])
        optimizer.global_step.set_data(ms.Tensor([step + 1], ms.int32))
    return [to_number(field) for field in fields], fields


def test_a_steady_rate_is_read_seldom_and_not_told_wrongly():
    optimizer = nn.SGD(net().trainable_params(), 0.1)
    told, fields = rates_of(LearningRate(optimizer, None), optimizer, STEADY + 3 * SELDOM)
    assert np.allclose(told, 0.1)
    assert sum(isinstance(field, Unread) for field in fields) == 3 * (SELDOM - 1)

    def halve(step):
        if step == STEADY + 3:
            optimizer.learning_rate.set_data(ms.Tensor(0.05, ms.float32))

    told, _ = rates_of(LearningRate(optimizer, None), optimizer, STEADY + 3 * SELDOM, halve)
    assert told[STEADY : STEADY + SELDOM - 1] == [None] * (SELDOM - 1)
    assert np.allclose(told[:STEADY], 0.1)
    assert np.allclose(told[STEADY + SELDOM - 1 :], 0.05)


def test_a_schedule_counts_on_while_each_step_is_an_update():
    rates = [0.1 * 0.99**step for step in range(STEADY + 3 * SELDOM)]
    optimizer = nn.SGD(net().trainable_params(), rates)
    told, fields = rates_of(LearningRate(optimizer, None), optimizer, len(rates))
    assert np.allclose(told, rates)
    assert sum(isinstance(field, Unread) for field in fields) >= 2 * (SELDOM - 1)

    def skipped(step):  # an update that a loss scale has skipped
        if step > STEADY + 2:
            optimizer.global_step.set_data(ms.Tensor([step - 1], ms.int32))

    optimizer.global_step.set_data(ms.Tensor([0], ms.int32))
    told, _ = rates_of(LearningRate(optimizer, None), optimizer, len(rates), skipped)
    for step, rate in enumerate(told):
        assert rate is None or np.isclose(rate, rates[step] if step <= STEADY + 2 else rates[step - 1])
    assert told.count(None) < SELDOM
