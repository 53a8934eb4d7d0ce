"""Losses in NumPy: by hand on the smallest arrays, and beside MindSpore's own on larger ones."""

import math

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn, ops

from msprec.probe.loss.custom_losses import promised
from msprec.probe.steps.numpy_losses import KINDS, elements, reductions

RNG = np.random.default_rng(7)
LOGITS = RNG.normal(size=(6, 4)).astype(np.float32)
CLASSES = np.array([0, 3, 1, 1, 2, 0], np.int32)
BINARY = (RNG.random((6, 1)) > 0.5).astype(np.float32)
SCORES = RNG.normal(size=(6, 1)).astype(np.float32)


def test_by_hand():
    even = np.zeros((1, 2))
    assert elements("softmax_cross_entropy", even, np.array([0])) == pytest.approx([math.log(2)])
    assert elements("softmax_cross_entropy", even, np.array([[0.0, 1.0]])) == pytest.approx([math.log(2)])
    assert elements("nll", np.log([[0.25, 0.75]]), np.array([1])) == pytest.approx([-math.log(0.75)])
    assert elements("bce", np.array([0.25]), np.array([1.0])) == pytest.approx([math.log(4)])
    assert elements("bce_with_logits", np.array([0.0]), np.array([1.0])) == pytest.approx([math.log(2)])
    assert elements("mse", np.array([3.0]), np.array([1.0])) == pytest.approx([4.0])
    assert elements("l1", np.array([3.0]), np.array([1.0])) == pytest.approx([2.0])
    assert reductions(np.array([1.0, 3.0])) == {"mean": 2.0, "sum": 4.0, "batch_mean": 2.0}


@pytest.mark.parametrize(
    ("kind", "loss", "predicted", "labels"),
    [
        ("softmax_cross_entropy", nn.CrossEntropyLoss(), LOGITS, CLASSES),
        ("softmax_cross_entropy", nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), LOGITS, CLASSES),
        ("bce_with_logits", nn.BCEWithLogitsLoss(), SCORES, BINARY),
        ("bce", nn.BCELoss(reduction="mean"), 1 / (1 + np.exp(-SCORES)), BINARY),
        ("mse", nn.MSELoss(), SCORES, BINARY),
        ("l1", nn.L1Loss(), SCORES, BINARY),
        ("nll", ops.nll_loss, np.log(np.full((6, 4), 0.25, np.float32)), CLASSES),
    ],
)
def test_beside_mindspore(kind, loss, predicted, labels):
    ours = reductions(elements(kind, predicted, labels))["mean"]
    assert ours == pytest.approx(float(loss(ms.Tensor(predicted), ms.Tensor(labels)).asnumpy()), rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "predicted", "labels"),
    [
        ("mse", SCORES, BINARY[:, 0]),  # (N, 1) and (N,) are no pair
        ("softmax_cross_entropy", LOGITS, CLASSES + 4),  # out of range
        ("softmax_cross_entropy", LOGITS, CLASSES.astype(np.float32)),
        ("softmax_cross_entropy", LOGITS[:, 0], CLASSES),
        ("huber", SCORES, BINARY),
    ],
)
def test_what_is_no_pair_gives_nothing(kind, predicted, labels):
    assert elements(kind, predicted, labels) is None


def test_every_name_is_in_small_letters():
    assert all(name == name.lower() for name in KINDS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mse_loss", "mse"),
        ("MyMSELoss", "mse"),
        ("rmse_loss", None),
        ("RMSELoss", None),
        ("mean_squared_error", "mse"),
        ("root_mean_squared_error", None),
        ("mean_squared_log_error", None),
        ("cross_entropy", "softmax_cross_entropy"),
        ("CELoss", "softmax_cross_entropy"),
        ("bce_with_logits", "bce_with_logits"),
        ("mae", "l1"),
        ("price_loss", None),
        ("MyCELoss", "softmax_cross_entropy"),
        ("GCELoss", None),
        ("symmetric_cross_entropy", None),
        ("softmax_cross_entropy", "softmax_cross_entropy"),
        ("RelativeL2Loss", None),
        ("mean_absolute_percentage_error", None),
        ("gaussian_nll", "nll"),
    ],
)
def test_what_the_name_of_a_loss_promises(name, kind):
    assert promised(name) == kind
