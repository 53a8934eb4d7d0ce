"""Where samples that differ become the same, and two inputs that are."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.data.equal_inputs import equal_inputs
from msprec.probe.data.interleaved_channels import interleaved_channels
from msprec.probe.data.lost_inputs import lost_inputs
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

RNG = np.random.default_rng(3)
SAMPLES = 12
REAL = RNG.normal(size=(SAMPLES, 5)).astype(np.float32)
NUMBERS = np.arange(SAMPLES, dtype=np.int32)
LABELS = Tensor(np.arange(SAMPLES) % 2, ms.int32)


def material(forward, net, *batches) -> Material:
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def build(batch, _=None):
        return of_forward(forward, batch, net.trainable_params(), [net])

    found = Material()
    for batch in batches:
        found.offer("functional", tuple(Tensor(one) for one in batch), build, [net], [])
    return found


def traces(forward, net, *batches) -> InferenceTraces:
    return InferenceTraces(material(forward, net, *batches))


class Masked(nn.Cell):
    """A mask that hides nothing in this batch."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(5, 2)

    def construct(self, x, number):
        return self.layer(x * ops.clamp(number + 1, 0, 1).astype(ms.float32).reshape(-1, 1))


def test_a_mask_that_hides_nothing() -> None:
    net = Masked()
    assert lost_inputs(traces(lambda x, n: ops.cross_entropy(net(x, n), LABELS), net, *[(REAL, NUMBERS)] * 2)) == []


class Two(nn.Cell):
    """What ``way`` makes of the second input goes beside the first into a layer."""

    def __init__(self, way):
        super().__init__()
        self.first, self.second, self.norm, self.way = nn.Dense(5, 4), nn.Dense(1, 4), nn.LayerNorm((1,)), way

    def construct(self, x, number):
        made = self.way(self, x, number).reshape(-1, 1)
        return (self.first(x) + self.second(made))[:, :2]


def divided_as_whole_numbers(net, x, number):
    return (number // 100).astype(ms.float32)


def divided(net, x, number):
    return (number / 100).astype(ms.float32)


def cast(net, x, number):
    return (number / 100).astype(ms.int32).astype(ms.float32)


def normalised_over_one(net, x, number):
    return net.norm(number.reshape(-1, 1).astype(ms.float32))


def times_zeros(net, x, number):
    return number.astype(ms.float32) * ops.zeros_like(number)  # such as the first state of a recurrent layer


def zeros_of_its_shape(net, x, number):
    return ops.zeros_like(number).astype(ms.float32)


def dead(net, x, number):
    return ops.relu(-1.0 - number.astype(ms.float32))


@pytest.mark.parametrize(
    ("way", "lost"),
    [
        (divided_as_whole_numbers, True),
        (cast, True),
        (divided, False),
        (normalised_over_one, True),
        (times_zeros, False),
        (zeros_of_its_shape, False),
        (dead, False),
    ],
)
def test_where_samples_become_the_same(way, lost) -> None:
    net = Two(way)
    found = lost_inputs(traces(lambda x, n: ops.cross_entropy(net(x, n), LABELS), net, *[(REAL, NUMBERS)] * 2))
    assert bool(found) is lost
    if lost:
        assert found[0]["place"]["line"] == way.__code__.co_firstlineno + 1


def test_what_is_the_same_in_one_batch_only() -> None:
    net = Two(divided_as_whole_numbers)
    batches = [(REAL, NUMBERS), (REAL, 30 * NUMBERS)]
    assert lost_inputs(traces(lambda x, n: ops.cross_entropy(net(x, n), LABELS), net, *batches)) == []


OTHER = RNG.normal(size=(SAMPLES, 5)).astype(np.float32)


@pytest.mark.parametrize(("first", "second", "equal"), [(REAL, REAL.copy(), True), (REAL, OTHER, False)])
def test_two_inputs_of_one_layer(first, second, equal) -> None:
    net = nn.Dense(5, 3)
    found = equal_inputs(traces(lambda a, b: (net(a) * net(b)).sum(), net, (first, second), (OTHER, second * 2)))
    assert found is None
    found = equal_inputs(traces(lambda a, b: (net(a) * net(b)).sum(), net, (first, second), (second, first)))
    assert (found == {"inputs": [0, 1], "batches": 2}) is equal


def test_an_autoencoders_input_and_target() -> None:
    net = nn.Dense(5, 5)
    batches = [(REAL, REAL.copy()), (OTHER, OTHER.copy())]
    assert equal_inputs(traces(lambda a, b: ops.mse_loss(net(a), b), net, *batches)) is None


def test_what_a_teacher_and_its_student_are_given() -> None:
    student, teacher = nn.Dense(5, 3), nn.Dense(5, 3)
    batches = [(REAL, REAL.copy()), (OTHER, OTHER.copy())]
    assert equal_inputs(traces(lambda a, b: ops.mse_loss(student(a), teacher(b)), student, *batches)) is None


def test_two_views_in_one_batch() -> None:
    net = nn.SequentialCell(nn.Dense(5, 4), nn.ReLU(), nn.Dense(4, 3))
    batches = [(REAL, REAL.copy()), (OTHER, OTHER.copy())]
    found = equal_inputs(traces(lambda a, b: net(ops.cat((a, b))).sum(), net, *batches))
    assert found == {"inputs": [0, 1], "batches": 2}


def pictures(side=16):
    """Coloured gradients, (samples, height, width, 3)."""
    rows, columns = np.mgrid[:side, :side] / side
    ground = np.stack([rows + columns, rows - columns, 0.3 * rows], -1)
    shift = RNG.normal(size=(SAMPLES, 1, 1, 3))
    return (ground + shift + 0.02 * RNG.normal(size=(SAMPLES, side, side, 3))).astype(np.float32)


@pytest.mark.parametrize(("reshaped", "near"), [(True, True), (False, False)])
def test_how_channels_lie(reshaped, near) -> None:
    net = nn.Conv2d(3, 2, 3)
    made = pictures()
    given = made.reshape(SAMPLES, 3, 16, 16) if reshaped else made.transpose(0, 3, 1, 2).copy()
    apart = interleaved_channels(material(lambda x: net(x).sum(), net, (given,), (given,)))["apart"]
    assert len(apart) == 7
    assert (apart[2] < 0.9 * min(apart[1], apart[3]) and apart[5] < 0.9 * min(apart[4], apart[6])) is near


@pytest.mark.parametrize(("width", "left"), [(2, [2]), (5, [])])
def test_a_norm_over_two_numbers(width, left) -> None:
    norm, layer = nn.LayerNorm((width,)), nn.Dense(width, 2)
    net = nn.SequentialCell(norm, layer)
    given = RNG.normal(size=(40, width)).astype(np.float32)
    labels = Tensor(np.arange(40) % 2, ms.int32)
    found = lost_inputs(traces(lambda x: ops.cross_entropy(net(x), labels), net, (given,), (given[::-1].copy(),)))
    assert [one["left"] for one in found] == left
