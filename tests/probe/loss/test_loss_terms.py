"""The terms of which a loss is the sum."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.loss_terms import _constant, _Fit, _of_another_network, loss_terms
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(0)
INPUTS, KINDS = RNG.standard_normal((8, 4)).astype(np.float32), (np.arange(8) % 3).astype(np.int32)
CENTRES = RNG.standard_normal((8, 2)).astype(np.float32)


def terms(whole):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(4, 5)
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)

    def forward(x, kinds, centres):
        made = net(x)
        return whole(ops.cross_entropy(made[:, :3], kinds), ops.mse_loss(made[:, 3:], centres), made)

    def build(batch, _=None):
        return of_forward(forward, batch, net.trainable_params(), [net])

    material = Material()
    batch = (Tensor(INPUTS), Tensor(KINDS), Tensor(CENTRES))
    material.offer("functional", batch, build, [net], [optimizer])
    return loss_terms(material, 60)


def test_of_two_losses():
    kinds, centres = terms(lambda kinds, centres, _: kinds + 4 * centres)
    assert [one["kind"] for one in (*kinds["fits"], *centres["fits"])] == ["softmax_cross_entropy", "mse"]
    assert centres["end"] == pytest.approx(4 * centres["fits"][0]["end"], rel=1e-4)
    shares = np.bincount(KINDS) / 8
    assert kinds["fits"][0]["constant"] == pytest.approx(-(shares * np.log(shares)).sum())
    assert centres["gradient_end"] > 0


def test_a_factor_before_the_sum():
    one, _ = terms(lambda kinds, centres, _: 0.5 * (kinds + centres))
    other, _ = terms(lambda kinds, centres, _: kinds + centres)
    assert one["end"] / one["fits"][0]["end"] == pytest.approx(0.5, rel=1e-4)
    assert other["end"] == pytest.approx(other["fits"][0]["end"], rel=1e-4)


def test_a_penalty_compares_nothing():
    _, _, penalty = terms(lambda kinds, centres, made: kinds + centres + made.square().mean())
    assert penalty["fits"] == []


@pytest.mark.parametrize(
    ("kind", "rows", "told"),
    [
        ("mse", [[0.2, 0.8], [0.7, 0.3]], True),  # what a teacher gives, towards which a term keeps the student
        ("mse", [[0.0, 1.0], [1.0, 0.0]], False),  # classes
        ("mse", [[0.2, 0.5], [0.7, 0.3]], False),  # amounts
        ("softmax_cross_entropy", [[0.2, 0.8], [0.7, 0.3]], False),  # a distillation
    ],
)
def test_targets_that_another_network_gives(kind, rows, told):
    targets = np.array(rows, np.float32)
    assert _of_another_network(_Fit(kind, np.zeros_like(targets), targets)) == told


def test_one_loss_is_no_sum():
    assert terms(lambda kinds, centres, _: kinds) == []


@pytest.mark.parametrize("added_up", ["sum", "loop"])
def test_a_stopped_layer_gets_its_gradient_from_the_penalty(added_up):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    body, head = nn.Dense(4, 6), nn.Dense(6, 3)
    for one, name in ((body, "body"), (head, "head")):
        one.update_parameters_name(f"{name}.")
    weights = [*body.trainable_params(), *head.trainable_params()]

    def penalty():
        if added_up == "sum":
            return sum((one**2).sum() for one in weights if one.ndim > 1)
        whole = Tensor(0.0)
        for one in weights:
            if one.ndim > 1:
                whole = whole + (one**2).sum()
        return whole

    def forward(x, kinds):
        return ops.cross_entropy(head(ops.stop_gradient(body(x))), kinds) + 1e-3 * penalty()

    def build(batch, _=None):
        return of_forward(forward, batch, weights, [body, head])

    material, optimizer = Material(), nn.SGD(weights, learning_rate=0.1)
    for inputs in (INPUTS, INPUTS + 1):
        material.offer("functional", (Tensor(inputs), Tensor(KINDS)), build, [body, head], [optimizer])
    data, *penalties = loss_terms(material, 60)
    assert not data["of_weights"] and {"body.weight", "body.bias"} <= set(data["no_gradient"])
    assert penalties and all(one["of_weights"] for one in penalties)
    assert any("body.weight" not in one["no_gradient"] for one in penalties)


def test_parameters_that_stand_in_no_cell_have_a_start_and_an_end():
    weight = Parameter(Tensor(np.ones((4, 3), np.float32)), name="weight")

    def forward(x, kinds):
        return ops.cross_entropy(ops.matmul(x, weight), kinds) + 0.1 * (weight**2).sum()

    def build(batch, _=None):
        return of_forward(forward, batch, [weight], [])

    material, optimizer = Material(), nn.SGD([weight], learning_rate=0.1)
    material.offer("functional", (Tensor(INPUTS), Tensor(KINDS)), build, [], [optimizer])
    weight.set_data(weight * 0.5)
    _, penalty = loss_terms(material, 60)
    assert penalty["of_weights"] and (penalty["start"], penalty["end"]) == pytest.approx((1.2, 0.3))
    assert weight.asnumpy() == pytest.approx(0.5)


def test_classes_given_as_rows():
    """One-hot rows and the numbers of classes have the same best constant."""
    rows = np.eye(3, dtype=np.float32)[KINDS]
    counts = np.bincount(KINDS, minlength=3) / len(KINDS)
    expected = -(counts[counts > 0] * np.log(counts[counts > 0])).sum()
    assert _constant("softmax_cross_entropy", [(None, rows)])[0] == pytest.approx(expected)
    assert _constant("softmax_cross_entropy", [(None, 2 * rows)])[0] is None
