"""Losses of features and class numbers, called with classes apart, at one point and mixed."""

import numpy as np
import pytest

from msprec.probe.loss.class_separation import class_separation

LABELS = np.repeat(np.arange(4, dtype=np.int32), 6)


def distances(features):
    return np.sqrt(((features[:, None] - features[None]) ** 2).sum(-1) + 1e-9)


def hard_triplet(features, labels, other=True):
    same = labels[:, None] == labels[None]
    apart = distances(features)
    negative = np.where(same if other else ~same, np.inf, apart).min(1)
    return float(np.maximum((apart * same).max(1) - negative + 0.2, 0).mean())


def contrastive(features, labels):
    features = features / np.linalg.norm(features, axis=1, keepdims=True)
    scores = np.exp(features @ features.T / 0.5) * (1 - np.eye(len(features)))
    same = (labels[:, None] == labels[None]) & ~np.eye(len(labels), dtype=bool)
    return float(-np.log((scores * same).sum(1) / scores.sum(1)).mean())


def cross_entropy(features, labels):
    logs = features - np.log(np.exp(features).sum(1, keepdims=True))
    return float(-logs[np.arange(len(labels)), labels].mean())


def measured(loss, width=8):
    features = np.random.default_rng(0).normal(size=(len(LABELS), width)).astype(np.float32)
    return class_separation(loss, features, LABELS, loss(features, LABELS))


@pytest.mark.parametrize("loss", [hard_triplet, contrastive])
@pytest.mark.parametrize("width", [2, 3, 8])
def test_losses_that_separate(loss, width):
    found = measured(loss, width)
    assert found["apart"] < 0.9 * found["together"] and found["apart"] < 0.9 * found["mixed"]


def test_negatives_of_the_own_class():
    found = measured(lambda features, labels: hard_triplet(features, labels, other=False))
    assert found["apart"] > 0.98 * found["together"]


@pytest.mark.parametrize(
    "loss",
    [
        cross_entropy,  # turned features are other scores
        lambda features, labels: float((distances(features) * labels).mean()),  # numbers, not names
    ],
)
def test_losses_of_another_kind(loss):
    assert measured(loss) is None


def test_one_sample_of_each_class():
    features = np.random.default_rng(0).normal(size=(24, 8)).astype(np.float32)
    labels = np.arange(24, dtype=np.int32)
    assert class_separation(contrastive, features, labels, 1.0) is None
