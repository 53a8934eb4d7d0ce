"""Which values an output can take, told from the operators that ran, in whatever way they were called."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import mint, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.loss_recomputation import loss_facts
from msprec.probe.loss.loss_targets import Sources, beyond
from msprec.probe.steps.attainable_range import affine
from msprec.probe.steps.connectivity_trace import trace_step
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
X = ms.Tensor(RNG.normal(size=(6, 8)).astype(np.float32))
Y = ms.Tensor(RNG.normal(size=(6, 3)).astype(np.float32))
TAKEN = ms.Tensor(np.eye(3, dtype=np.float32)[[0, 2, 1, 1, 0, 2]])
SOME = ms.Tensor(np.array([[1, 1, 0]] * 3 + [[0, 1, 0]] * 3, np.float32))


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)


def output(end, target=Y, units=3, loss=None):
    """The entry ``output`` of a loss of ``end`` of a layer with weights."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, loss = nn.Dense(8, units), loss or nn.MSELoss()

    def forward(x, y):
        return loss(end(net(x)), y)

    step = of_forward(forward, (X, target), net.trainable_params(), [net])
    (one,) = loss_facts(trace_step(step), (X, target), step)["losses"]
    return one["output"], one["targets"]


@pytest.mark.parametrize(
    ("end", "name", "low", "high"),
    [
        (lambda x: x, "dense", None, None),
        (nn.Sigmoid(), "sigmoid", 0, 1),
        (ops.sigmoid, "sigmoid", 0, 1),
        (mint.sigmoid, "sigmoid", 0, 1),
        (lambda x: x.sigmoid(), "sigmoid", 0, 1),
        (nn.SequentialCell(nn.Dense(3, 3), nn.Tanh()), "tanh", -1, 1),
        (nn.Dense(3, 3, activation="relu"), "relu", 0, None),
        (lambda x: ops.relu(x).reshape(2, 9).reshape(6, 3), "relu", 0, None),
        (lambda x: ops.softmax(x, axis=-1), "softmax", 0, 1),
        (nn.LogSoftmax(), "logsoftmax", None, 0),
        (lambda x: 2 * ops.sigmoid(x) - 1, "sigmoid", -1, 1),
        (lambda x: (ops.tanh(x) + 1) / 2, "tanh", 0, 1),
        (lambda x: 1 - ops.sigmoid(x), "sigmoid", 0, 1),
        (lambda x: ops.sigmoid(ops.relu(x)), "sigmoid", 0.5, 1),
        (nn.SequentialCell(nn.ReLU(), nn.Tanh()), "tanh", 0, 1),
        (lambda x: ops.relu(ops.tanh(x)), "relu", 0, 1),
        (lambda x: ops.sigmoid(-ops.relu(x)), "sigmoid", 0, 0.5),
        (lambda x: ops.sigmoid(nn.Dense(3, 3)(ops.relu(x))), "sigmoid", 0, 1),
        (lambda x: ops.sigmoid(x) + x, "add", None, None),
        (lambda x: -ops.exp(x), "exp", None, 0),
        (lambda x: ops.clamp(x, -2, 3), "clamp", -2, 3),
        (lambda x: ops.clamp(ops.sigmoid(x), 1e-6, 1 - 1e-6), "sigmoid", 1e-6, 1 - 1e-6),
        (lambda x: x.clip(0.0, None), "clip", 0, None),
        (lambda x: ops.relu(x).mean(1, keep_dims=True) + ops.zeros((6, 3)), "add", None, None),
        (lambda x: ops.cat((ops.sigmoid(x[:, :1]), ops.tanh(x[:, 1:])), 1), "cat", -1, 1),
        (nn.LeakyReLU(), "leakyrelu", None, None),
        (lambda x: ops.maximum(ops.sigmoid(x), ops.tanh(x)), "maximum", -1, 1),
        (lambda x: ops.maximum(x, 0.0), "maximum", 0, None),
        (lambda x: 1 / (1 + ops.exp(-x)), "truediv", None, None),
        (lambda x: (x**2).sum(1, keepdims=True).broadcast_to((6, 3)), "sum", 0, None),
        (lambda x: -ops.abs(x).sum(1, keepdims=True).broadcast_to((6, 3)), "sum", None, 0),
        (lambda x: ops.matmul(x / ops.norm(x, dim=1, keepdim=True), ops.eye(3, 3)) * 0.05, "matmul", -0.05, 0.05),
        (lambda x: ops.matmul(x, ops.eye(3, 3)), "matmul", None, None),
        (lambda x: (x**3).sum(1, keepdims=True).broadcast_to((6, 3)), "sum", None, None),
        (lambda x: (ops.tanh(x) * TAKEN).sum(1, keepdims=True).broadcast_to((6, 3)), "tanh", -1, 1),
        (lambda x: (ops.tanh(x) * SOME).sum(1, keepdims=True).broadcast_to((6, 3)), "sum", None, None),
    ],
)
def test_ranges(end, name, low, high):
    found, targets = output(end)
    assert found["name"] == name
    for end_of_range, wanted in ((found["low"], low), (found["high"], high)):
        assert end_of_range == (pytest.approx(wanted, rel=1e-4) if wanted is not None else None)
    assert targets["input"] == 1 and targets["elements"] == 18 and not targets["learnt"]


def test_what_is_constant_and_what_has_no_gradient():
    single, _ = output(nn.Softmax(), Y[:, :1], units=1)
    assert single["constant"] == 1 and single["units"] == 1
    assert output(nn.Softmax())[0]["constant"] is None
    assert output(ops.round)[0]["gradient"] is False and output(ops.sigmoid)[0]["gradient"] is True


def test_targets_that_are_scaled_are_known_in_all_batches():
    given, other = np.linspace(0, 255, 12).astype(np.float32), np.full(12, 510, np.float32)
    sources = Sources((ms.Tensor(given),), [(ms.Tensor(given),), (ms.Tensor(other),)])
    assert sources.find(given / 255) == (0, pytest.approx(1 / 255, rel=1e-4), 0)
    assert len(sources.held(0)) == 2
    assert sources.find(RNG.normal(size=12)) is None


@pytest.mark.parametrize(
    ("made", "found"), [(lambda x: 3 * x + 1, (3, 1)), (lambda x: x, (1, 0)), (np.square, None), (np.zeros_like, None)]
)
def test_affine(made, found):
    x = np.linspace(-1, 2, 50)
    got = affine(x, made(x))
    assert got == (pytest.approx(found, abs=1e-4) if found else None)


def test_what_lies_beyond():
    values = [np.array([0.0, 0.5, 1.0, 1.004]), np.array([2.0, -1.0])]
    assert beyond(values, 0.0, 1.0) == (1, 1, 6, 2)
    assert beyond(values, None, None) == (0, 0, 6, 0)
    assert beyond([np.array([np.nan, 3.0])], None, 1.0) == (0, 1, 1, 1)
