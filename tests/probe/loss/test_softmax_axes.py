"""Along which axis a softmax of the loss goes."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.loss_recomputation import loss_facts
from msprec.probe.steps.connectivity_trace import trace_step

RNG = np.random.default_rng(2)
PICTURES = Tensor(RNG.standard_normal((4, 2, 6, 5)).astype(np.float32))
MASKS = Tensor(RNG.integers(0, 3, (4, 6, 5)).astype(np.int32))
ROWS, CLASSES = Tensor(RNG.standard_normal((8, 5)).astype(np.float32)), Tensor(RNG.integers(0, 3, 8).astype(np.int32))


def axes(net, inputs, forward):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    step = of_forward(forward, inputs, net.trainable_params(), [net])
    return [one["axes"] for one in loss_facts(trace_step(step), inputs, step)["softmax_axes"]]


@pytest.mark.parametrize(("axis", "found"), [(-1, [[3]]), (0, [[0]]), (1, [])])
def test_of_a_map_of_classes(axis, found):
    net = nn.Conv2d(2, 3, 1)

    def forward(pictures, masks):
        scores = net(pictures)
        shares = ops.softmax(scores, axis=axis)
        chosen = ops.one_hot(masks, 3, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32), axis=1)
        return ops.cross_entropy(scores, masks) + 1 - (shares * chosen).mean()

    assert axes(net, (PICTURES, MASKS), forward) == found


@pytest.mark.parametrize(("axis", "found"), [(-1, [[3]]), (2, [[2]]), (1, [])])
def test_of_maps_of_which_one_is_taken(axis, found):
    net = nn.Conv2d(2, 2, 1)

    def forward(pictures, masks):
        return ops.binary_cross_entropy(ops.softmax(net(pictures), axis=axis)[:, 1], masks.astype(ms.float32) / 2)

    assert axes(net, (PICTURES, MASKS), forward) == found


@pytest.mark.parametrize(("channels_last", "found"), [(True, []), (False, [[3]])])
def test_of_maps_whose_channels_were_put_last(channels_last, found):
    """As of a detector that scores each cell of its grid."""
    net = nn.Conv2d(2, 5, 1)

    def forward(pictures, masks):
        made = net(pictures).transpose(0, 2, 3, 1)[..., 1:4] if channels_last else net(pictures)
        logs = ops.log_softmax(made, axis=-1)
        return -(logs * masks.expand_dims(-1 if channels_last else 1)).mean()

    assert axes(net, (PICTURES, MASKS), forward) == found


@pytest.mark.parametrize(("axis", "found"), [(0, [[0]]), (1, [])])
def test_of_rows_in_a_function_of_ones_own(axis, found):
    net = nn.Dense(5, 3)

    def likelihood(scores, classes):
        logs = ops.log_softmax(scores, axis=axis)
        return -ops.gather_elements(logs, 1, classes.expand_dims(1)).mean()

    def forward(rows, classes):
        return likelihood(net(rows), classes)

    assert axes(net, (ROWS, CLASSES), forward) == found


def test_attention_over_positions_is_no_prediction():
    net = nn.Dense(5, 3)

    def forward(rows, classes):
        weights = ops.softmax(rows, axis=0)
        return ops.cross_entropy(net(rows * weights), classes)

    assert axes(net, (ROWS, CLASSES), forward) == []


SQUARE, SHARED = Tensor(RNG.standard_normal((4, 5)).astype(np.float32)), Tensor(np.array([0, 1, 1, 3], np.int32))


@pytest.mark.parametrize(
    ("axis", "classes", "found"),
    [
        (0, SHARED, [[0]]),
        (-1, SHARED, []),
        (0, Tensor(np.arange(4, dtype=np.int32)), []),  # each sample its own class, as in a contrastive loss
    ],
)
def test_as_many_classes_as_samples(axis, classes, found):
    net = nn.Dense(5, 4)

    def likelihood(scores, classes):
        return -ops.gather_elements(ops.log_softmax(scores, axis=axis), 1, classes.expand_dims(1)).mean()

    def forward(rows, classes):
        return likelihood(net(rows), classes)

    assert axes(net, (SQUARE, classes), forward) == found


def test_likeness_of_two_outputs():
    net = nn.Dense(5, 4)

    def likelihood(scores, classes):
        both = ops.log_softmax(scores, axis=0)
        return -ops.gather_elements(both, 1, classes.expand_dims(1)).mean()

    def forward(rows, classes):
        return likelihood(ops.matmul(net(rows), net(rows + 1).T), classes)

    assert axes(net, (SQUARE, SHARED), forward) == []
