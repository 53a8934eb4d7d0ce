"""Losses that a script writes out in its forward function."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, Tensor, nn, ops

from msprec.locate.replay import of_forward, of_function, of_train_cell
from msprec.probe.loss.inline_loss_facts import written_facts
from msprec.probe.loss.loss_targets import Sources
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
X = Tensor(RNG.normal(size=(6, 8)).astype(np.float32))
Y = Tensor(RNG.normal(size=(6, 1)).astype(np.float32))
FLAT = Tensor(RNG.normal(size=(6,)).astype(np.float32))
CLASSES = Tensor(np.array([0, 2, 1, 1, 0, 2], np.int32))
NET, DEEP = nn.Dense(8, 1), nn.SequentialCell(nn.Dense(8, 5), nn.Dropout(p=0.5), nn.ReLU(), nn.Dense(5, 3))


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def told(forward, inputs, net=NET):
    def again(batch):
        return of_forward(forward, batch, net.trainable_params(), [net])

    net.set_train()
    return written_facts(again(inputs), again, None, Sources(inputs, [inputs]))


def entry(forward, inputs, net=NET):
    found = told(forward, inputs, net)
    assert "own_losses" in found, found
    (one,) = found["own_losses"]
    return one


def one_hot(classes):
    return ops.one_hot(classes, 3, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))


def mse(x, y):
    pred = NET(x)
    return ops.mean((pred - y) ** 2), pred


def likelihood(x, y):
    logits = DEEP(x)
    return -ops.mean((ops.log(ops.softmax(logits, -1)) * one_hot(y)).sum(-1))


def test_squares():
    one = entry(mse, (X, Y))
    assert one["equals"] == ["mse", "mean"] and one["name"] == "mse" and one["place"]["line"] > 40
    did = one["behaviour"]
    assert did["kind"] == "regression" and did["way"] == "falls" and did["pairs"] is True and did["repeatable"]


def test_likelihood_of_a_network_with_dropout():
    one = entry(likelihood, (X, CLASSES), DEEP)
    assert one["behaviour"]["family"]["name"] == "cross entropy" and one["weighed"] is False


def test_absolute_errors_of_one_sign_depend_on_the_pairs():
    def forward(x, y):
        return ops.mean(ops.abs(NET(x) - y))

    assert entry(forward, (X, Y + 100))["behaviour"]["pairs"] is True


def test_shapes_that_broadcast():
    def forward(x, y):
        return ((NET(x) - (y - 0.5) / 2) ** 2).mean()

    assert entry(forward, (X, FLAT))["behaviour"]["pairs"] is False


def test_the_other_sign():
    def forward(x, y):
        return ops.mean((ops.log_softmax(DEEP(x), -1) * one_hot(y)).sum(-1))

    assert entry(forward, (X, CLASSES), DEEP)["behaviour"]["way"] == "rises"


def test_noise_that_is_to_be_told():
    def forward(x):
        noise = ops.randn_like(x[:, :1])
        return ((NET(x + noise) - noise) ** 2).mean()

    one = entry(forward, (X,))
    assert one["computed"] and one["behaviour"]["repeatable"] and one["behaviour"]["way"] == "falls"


def test_an_advantage_weighs():
    def forward(x, action, advantage):
        logs = ops.log_softmax(DEEP(x), -1)
        return -(ops.gather_elements(logs, 1, action.expand_dims(1)).squeeze(1) * advantage).mean()

    assert entry(forward, (X, CLASSES, FLAT), DEEP)["weighed"] is True


def test_a_mask_does_not():
    def forward(x, y, mask):
        return ((NET(x) - y) ** 2 * mask).sum() / mask.sum()

    mask = Tensor(np.array([[1], [1], [0], [1], [1], [0]], np.float32))
    one = entry(forward, (X, Y, mask))
    assert one["weighed"] is False and one["behaviour"]["way"] == "falls"


def test_words_in_rows():
    net, words = nn.Dense(8, 7), Tensor(np.array([[1, 2], [3, 6], [0, 5]], np.int32))
    rows = Tensor(RNG.normal(size=(3, 2, 8)).astype(np.float32))

    def forward(x, y):
        logits = net(x).reshape(-1, 7)
        logs = ops.log_softmax(logits, -1)
        return -ops.gather_elements(logs, 1, y.reshape(-1, 1)).mean()

    one = entry(forward, (rows, words), net)
    assert one["predicted"] == [6, 7] and one["behaviour"]["family"]["name"] == "cross entropy"


def test_a_residual_beside_the_last_layer():
    deep = nn.Dense(1, 1)

    def forward(x, y):
        hidden = NET(x)
        return ((deep(hidden) + hidden - y) ** 2).mean()

    assert entry(forward, (X, Y), nn.CellList([NET, deep]))["equals"] == ["mse", "mean"]


class Whole(nn.Cell):
    """A network whose construct gives its loss."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 4), nn.Dense(4, 1)

    def construct(self, x, y):
        pred = self.last(ops.relu(self.first(x)))
        return ops.mean(ops.abs(pred - y))


def test_a_network_that_gives_its_loss():
    net = Whole()
    train = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))

    def again(batch):
        return of_train_cell(train, batch)

    (one,) = written_facts(again((X, Y)), again, None, Sources((X, Y), [(X, Y)]))["own_losses"]
    assert one["equals"] == ["l1", "mean"] and one["name"] == "construct"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_that_is_one_function(compiled):
    optimizer = nn.SGD(NET.trainable_params(), 0.1)
    gradient = ms.value_and_grad(mse, None, optimizer.parameters, has_aux=True)

    def step(x, y):
        (loss, _), grads = gradient(x, y)
        optimizer(grads)
        return loss

    run = ms.jit(step) if compiled else step

    def again(batch):
        return of_function(run, batch, [NET, optimizer])

    before = [p.asnumpy().copy() for p in NET.trainable_params()]
    (one,) = written_facts(again((X, Y)), again, None, Sources((X, Y), [(X, Y)]))["own_losses"]
    assert one["equals"] == ["mse", "mean"]
    assert all(np.array_equal(a, p.asnumpy()) for a, p in zip(before, NET.trainable_params()))


def test_what_cannot_be_tried():
    def two(x, y):
        return (NET(x) - NET(y)).mean()

    def alone(x):
        return -NET(x).mean()

    def idle(x, y):
        return -ops.log(ops.softmax(DEEP(x), -1)).mean()

    assert told(two, (X, X + 1))["written_loss"]["why"] == "outputs"
    assert told(alone, (X,))["written_loss"]["why"] == "labels"
    assert told(idle, (X, CLASSES), DEEP)["written_loss"]["why"] == "unused"


def unit(x):
    return x / ops.sqrt((x * x).sum(-1, keepdims=True))


@pytest.mark.parametrize(("sign", "name"), [(-1.0, "InfoNCE"), (1.0, None)])
def test_contrastive_scores_of_two_outputs(sign, name):
    def forward(left, right):
        one, other = unit(DEEP(left)), unit(DEEP(right))
        scores = ops.matmul(one, other.T) / 0.1
        source_locations = ops.arange(0, 6, 1).astype(ms.int32).expand_dims(1)
        return sign * ops.gather_elements(ops.log_softmax(scores, -1), 1, source_locations).mean()

    found = told(forward, (X, X + 0.1), DEEP)
    assert found["own_losses"][0]["behaviour"]["family"]["name"] == name if name else "written_loss" in found


def test_two_outputs_of_one_network():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.student, self.teacher = nn.Dense(8, 4), nn.Dense(8, 4)

        def construct(self, x):
            return self.student(x), ops.stop_gradient(self.teacher(x))

    net = Two()

    def forward(x):
        student, teacher = net(x)
        wanted = ops.softmax(teacher / 2, -1)
        return 4 * (wanted * (ops.log(wanted) - ops.log_softmax(student / 2, -1))).sum(-1).mean()

    (one,) = told(forward, (X,), net)["own_losses"]
    assert one["behaviour"]["family"]["name"] == "KL divergence"


@pytest.mark.parametrize("reduced", [True, False])
def test_a_likelihood_of_the_labels_is_no_prediction_of_them(reduced):
    shares, centres, widths = nn.Dense(8, 3), nn.Dense(8, 3), nn.Dense(8, 3)

    def mixture(x, y):
        apart = (y - centres(x)) * ops.exp(-widths(x))
        each = -ops.logsumexp(ops.log_softmax(shares(x), -1) - 0.5 * apart * apart - widths(x), 1)
        return each.mean() if reduced else each.sum() / 6

    cells = nn.CellList([shares, centres, widths])
    assert told(mixture, (X, Y), cells)["written_loss"]["why"] == "outputs"


@pytest.mark.parametrize("rows", ["made inside", "given"])
def test_labels_that_come_as_an_array_of_numpy(rows):
    """The step makes a tensor of it by itself, as it is or as rows of one 1."""

    def forward(x, y):
        held = Tensor(np.eye(3, dtype=np.float32)[y]) if rows == "made inside" else Tensor(y.astype(np.float32))
        return -ops.mean((ops.log_softmax(DEEP(x), -1) * held).sum(-1))

    labels = CLASSES.asnumpy() if rows == "made inside" else np.eye(3)[CLASSES.asnumpy()]
    one = entry(forward, (X, labels), DEEP)
    assert one["equals"] == ["softmax_cross_entropy", "mean"] and not one["computed"]
    assert one["behaviour"]["kind"] == "classes" and one["behaviour"]["way"] == "falls"


def test_a_function_over_parameters_that_stand_in_no_cell():
    weight = Parameter(Tensor(RNG.normal(size=(8, 3)).astype(np.float32)), name="weight")
    bias = Parameter(Tensor(np.zeros(3, np.float32)), name="bias")

    def forward(x, y):
        scores = ops.matmul(ops.tanh(x), weight) + bias
        return -ops.mean((ops.log(ops.softmax(scores, -1)) * one_hot(y)).sum(-1))

    def again(batch):
        return of_forward(forward, batch, [weight, bias], [])

    (one,) = written_facts(again((X, CLASSES)), again, None, Sources((X, CLASSES), [(X, CLASSES)]))["own_losses"]
    assert one["equals"] == ["softmax_cross_entropy", "mean"] and one["predicted"] == [6, 3]
