"""The finder in a program: what it finds, and that nothing is changed by it."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn

import msprec
from msprec.range_test.lr_setter import RateSetter


def optimizer(kind: str, parameters: list):
    halves = [{"params": parameters[:2], "lr": 0.01}, {"params": parameters[2:], "lr": 0.001}]
    schedules = [
        {"params": parameters[:2], "lr": nn.ExponentialDecayLR(0.01, 0.5, 100)},
        {"params": parameters[2:], "lr": [0.001] * 50},
    ]
    return {
        "constant": lambda: nn.Adam(parameters, 0.01),
        "list": lambda: nn.Momentum(parameters, [0.1, 0.05] * 20, 0.9),
        "schedule": lambda: nn.Momentum(parameters, nn.CosineDecayLR(0.001, 0.1, 40), 0.9),
        "groups": lambda: nn.SGD(halves, 0.1),
        "scheduled groups": lambda: nn.Momentum(schedules, 0.1, 0.9),
        "experimental": lambda: ms.experimental.optim.SGD(parameters, lr=0.05),
    }[kind]()


def training(kit, kind: str):
    net = kit.network(False)
    made = optimizer(kind, list(net.trainable_params()))
    loss_fn = nn.MSELoss()
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, list(made.parameters))

    def step(x, y):
        loss, grads = gradient(x, y)
        made(grads)
        return loss

    return net, made, step


KINDS = ("constant", "list", "schedule", "groups", "scheduled groups", "experimental")


@pytest.mark.versions
@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_that_is_set_is_used(kit, kind):
    """SGD and Momentum's first update: the weight moves by the rate times the gradient."""
    kit.start("pynative")
    net, made, step = training(kit, kind)
    setter, x, y = RateSetter(made), *(ms.Tensor(a[:8]) for a in kit.arrays())
    setter.set(1e-3)
    before = [p.asnumpy().copy() for p in net.trainable_params()]
    gradient = ms.value_and_grad(lambda x, y: nn.MSELoss()(net(x), y), None, list(net.trainable_params()))(x, y)[1]
    step(x, y)
    for number, (parameter, old, slope) in enumerate(zip(net.trainable_params(), before, gradient)):
        ratio = 0.1 if "groups" in kind and number >= 2 else 1.0
        moved, slope = old - parameter.asnumpy(), slope.asnumpy()
        expected = np.sign(slope) if kind == "constant" else slope
        # Adam's first update is the rate times the gradient's sign, but for epsilon
        large = np.abs(slope) > 1e-4
        assert moved[large] == pytest.approx(1e-3 * ratio * expected[large], rel=1e-2, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_is_as_it_was(kit, kind):
    def trained(find: bool):
        kit.start("pynative")
        net, made, step = training(kit, kind)
        losses = []
        for number, (x, y) in enumerate(kit.data().create_tuple_iterator(num_epochs=1)):
            if number == 4 and find:
                curve = msprec.LearningRateFinder(step, made, net, low=1e-5, high=10, steps=40).run(kit.data())
                assert len(curve.losses) > 5
                finder = msprec.LearningRateFinder(step, made, net)
                assert len(finder.train(1e-2, list(kit.data().create_tuple_iterator(num_epochs=1))[:6])) == 6
            losses.append(float(step(x, y).asnumpy()))
        return losses, [p.asnumpy().tobytes() for p in (*net.get_parameters(), *made.get_parameters())], kit.state()

    assert trained(True) == trained(False)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_of_model(kit, mode):
    """In graph mode too, and between two trainings that go on as if nothing had been."""

    def trained(find: bool):
        kit.start(mode)
        model = kit.model("own", scale=2.0**24)
        model.train(1, kit.data(), dataset_sink_mode=False)
        whole = [tuple(map(ms.Tensor, kit.arrays()))]
        curve = msprec.LearningRateFinder.of_model(model, low=1e-6, high=100).run(whole) if find else None
        model.train(1, kit.data(), dataset_sink_mode=False)
        return curve, {name: value.tobytes() for name, value in kit.weights(model).items()}, kit.state()

    curve, *found = trained(True)
    assert found == list(trained(False)[1:])
    assert curve.unavailable_reason is None
    assert curve.lower < curve.upper
    # a quadratic with eigenvalues of about one: plain descent diverges somewhere above a rate of one
    assert 1e-3 < curve.upper < 10
    assert curve.judge(1e-6).verdict == "too_small"
    assert curve.judge(90.0).verdict == "too_large"


def test_used_rate_is_the_largest(kit):
    kit.start("pynative")
    net, made, step = training(kit, "schedule")
    finder = msprec.LearningRateFinder(step, made, net, steps=3)
    finder.run(kit.data())
    assert finder.used == pytest.approx(0.1)


def test_what_cannot_be_tested_says_so(kit):
    kit.start("pynative")
    net, made, step = training(kit, "constant")
    with pytest.raises(ValueError, match="no batch"):
        msprec.LearningRateFinder(step, made, net).run([])
    with pytest.raises(ValueError, match="sweep"):
        msprec.LearningRateFinder(step, made, net, low=1.0, high=0.1)
    with pytest.raises(ValueError, match="no learning rate"):
        msprec.LearningRateFinder(step, object(), net).run(kit.data())
    with pytest.raises(ValueError, match="no optimizer"):
        msprec.LearningRateFinder.of_model(ms.train.Model(net, nn.MSELoss()))
    short = msprec.LearningRateFinder(step, made, net).run(kit.data(), seconds=0)
    assert short.unavailable_reason == "few"
