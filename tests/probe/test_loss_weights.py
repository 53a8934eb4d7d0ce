"""What a sample of each class counts in a loss, whoever wrote it."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.loss_recomputation import loss_facts
from msprec.probe.run import most_classes
from msprec.probe.steps.connectivity_trace import trace_step
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
X = Tensor(RNG.normal(size=(6, 8)).astype(np.float32))
SIDES = Tensor(np.array([[0], [1], [0], [0], [1], [0]], np.float32))
CLASSES = Tensor(np.array([0, 2, 1, 1, 0, 2], np.int32))
ONE, THREE = nn.Dense(8, 1), nn.Dense(8, 3)
ONES, TENTH = Tensor([1.0], ms.float32), Tensor([0.1], ms.float32)
OF_CLASSES = Tensor([1.0, 2.0, 6.0], ms.float32)


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def facts(forward, labels, net):
    def again(batch):
        return of_forward(forward, batch, net.trainable_params(), [net])

    step = again((X, labels))
    return loss_facts(trace_step(step), step.inputs, step, again)


def by_position(x, y):
    return ops.binary_cross_entropy_with_logits(ONE(x), y, ONES, TENTH)


def by_name(x, y):
    return ops.binary_cross_entropy_with_logits(ONE(x), y, pos_weight=TENTH, weight=ONES)


def each_sample(x, y):
    return ops.binary_cross_entropy(ops.sigmoid(ONE(x)), y, weight=1 - 0.9 * y)


CELL = nn.BCEWithLogitsLoss(pos_weight=TENTH)


def cell(x, y):
    return CELL(ONE(x), y)


@pytest.mark.parametrize("forward", [by_position, by_name, each_sample, cell])
def test_two_sides(forward):
    (one,) = facts(forward, SIDES, ONE)["losses"]
    assert one["weights"] == pytest.approx([1.0, 0.1])


def test_classes():
    (one,) = facts(lambda x, y: ops.cross_entropy(THREE(x), y, OF_CLASSES), CLASSES, THREE)["losses"]
    assert one["weights"] == [1.0, 2.0, 6.0]


def weighted(logits, labels):
    chosen = ops.gather_elements(ops.log_softmax(logits, -1), 1, labels.reshape(-1, 1)).reshape(-1)
    return -(chosen * OF_CLASSES[labels]).mean()


def plain(logits, labels):
    return -ops.gather_elements(ops.log_softmax(logits, -1), 1, labels.reshape(-1, 1)).mean()


@pytest.mark.parametrize(("loss", "ratios"), [(weighted, [1, 2, 6]), (plain, [1, 1, 1])])
def test_losses_of_the_scripts_own(loss, ratios):
    (one,) = facts(lambda x, y: loss(THREE(x), y), CLASSES, THREE)["own_losses"]
    measured = np.array(one["behaviour"]["class_weights"])
    assert measured / measured[0] == pytest.approx(ratios, rel=1e-3)


def test_the_batch_with_a_rare_class_is_watched():
    none, one, short = (Tensor(np.array(sides, np.float32)[:, None]) for sides in ([0, 0, 0], [0, 1, 0], [0, 1]))
    inputs = Tensor(np.zeros((3, 2), np.float32))
    batches = [(inputs, none), (inputs[:2], short), (inputs, one), (inputs, one)]
    assert most_classes(batches) is batches[2]
    assert most_classes(batches[:2]) is batches[0]


QUEUE = Tensor(RNG.normal(size=(3, 9)).astype(np.float32))


@pytest.mark.parametrize("positive_first", [True, False])
def test_columns_that_are_put_together(positive_first):
    def forward(x, y):
        scores = THREE(x)
        positive, negative = (scores * scores).sum(axis=1, keepdims=True), ops.matmul(scores, QUEUE)
        parts = (positive, negative) if positive_first else (negative, positive)
        return ops.cross_entropy(ops.cat(parts, axis=1) / 0.2, ops.zeros((6,), ms.int32))

    (one,) = facts(forward, CLASSES, THREE)["losses"]
    assert one["joined_columns"]["widths"] == ([1, 9] if positive_first else [9, 1])
    assert (one["targets"]["min"], one["targets"]["max"], one["targets"]["input"]) == (0, 0, None)


def test_columns_of_one_layer():
    (one,) = facts(lambda x, y: ops.cross_entropy(THREE(x) / 0.2, y), CLASSES, THREE)["losses"]
    assert one["joined_columns"] is None
