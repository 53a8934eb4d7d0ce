"""Labels that the trained network contradicts."""

import numpy as np
import pytest

from msprec.probe.data.confident_learning import MOST_EXAMPLES, _of_two, confident_learning
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS


def _trained(samples=600, classes=5, wrong=0, sure=0.99, seed=3):
    """Predictions of a network that has learned the classes; the first ``wrong`` labels are others."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, samples)
    rest = (1 - sure) / (classes - 1)
    predicted = np.full((samples, classes), rest) + rng.uniform(0, rest / 10, (samples, classes))
    predicted[np.arange(samples), true] = sure
    labels = true.copy()
    labels[:wrong] = (labels[:wrong] + 1) % classes
    return predicted / predicted.sum(1, keepdims=True), labels


def test_planted_errors_are_found_and_nothing_else():
    found = confident_learning(*_trained(wrong=40))
    assert found["suspects"] == 40 and found["samples"] == 600 and found["classes"] == 5
    assert found["accuracy"] == pytest.approx(560 / 600)
    assert len(found["examples"]) == MOST_EXAMPLES and all(one["position"] < 40 for one in found["examples"])
    one = found["examples"][0]
    assert one["predicted"] == (one["label"] - 1) % 5 and one["probability"] > 0.9 > one["own"]


def test_clean_labels_have_no_suspects():
    assert confident_learning(*_trained())["suspects"] == 0


def test_a_network_that_has_learned_little_accuses_nobody():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(600, 5))
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert confident_learning(probabilities, rng.integers(0, 5, 600))["suspects"] <= 6


def test_by_hand():
    probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.05, 0.95], [0.02, 0.98], [0.97, 0.03]])
    found = confident_learning(probabilities, np.array([0, 0, 1, 1, 1]))
    # thresholds: 0.85 for class 0 and (0.95 + 0.98 + 0.03) / 3 = 0.653 for class 1; the last one is labelled 1 and is surely 0
    assert [one["position"] for one in found["examples"]] == [4]


def test_classes_without_samples():
    probabilities, labels = _trained(classes=4)
    wider = np.hstack([probabilities * 0.999, np.full((len(labels), 1), 0.001)])
    assert confident_learning(wider, labels)["suspects"] == 0


def test_beside_cleanlab():
    filters = pytest.importorskip("cleanlab.filter")
    probabilities, labels = _trained(wrong=30)
    theirs = filters.find_label_issues(labels, probabilities, filter_by="confident_learning")
    found = confident_learning(probabilities, labels, sure=0.0)
    assert found["suspects"] == int(np.sum(theirs)) == 30


def test_wrong_labels_are_among_the_surest_predictions_too():
    rng = np.random.default_rng(5)
    probabilities, labels = _trained(wrong=60)
    mixed = rng.permutation(len(labels))
    found = confident_learning(probabilities[mixed], labels[mixed])
    assert found["surest"] == 300 and found["surest_wrong"] == pytest.approx(30, abs=12)
    assert found["majority"] < 0.3 and found["saturated"] == 0


def test_errors_of_classes_that_overlap_are_not():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 800)
    score = 12 * (labels - 0.5) + rng.normal(size=800) * 6
    probabilities = 1 / (1 + np.exp(-np.stack([-score, score], axis=1)))
    found = confident_learning(probabilities, labels)
    assert found["suspects"] > 0.04 * 800
    assert found["surest_wrong"] < 0.25 * found["surest"] * (1 - found["accuracy"])
    larger = confident_learning(1 / (1 + np.exp(-100 * np.stack([-score, score], axis=1).clip(-7, 7))), labels)
    assert larger["saturated"] > 0.9


@pytest.mark.parametrize(
    ("two_as_one", "tilt", "pairs"),
    [
        ([0, 2], 0.0, [["0", "2"]]),
        ([0, 2], 0.2, []),  # it leans to the right one of the two
        ([], 0.0, []),
    ],
)
def test_classes_that_the_network_takes_for_one(two_as_one, tilt, pairs):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 400)
    probabilities = np.full((400, 4), 0.03)
    probabilities[np.arange(400), labels] = 0.91
    for row in np.flatnonzero(np.isin(labels, two_as_one)):
        half = rng.uniform(0.3, 0.7)
        probabilities[row, two_as_one] = (0.94 * half, 0.94 * (1 - half))
        probabilities[row, labels[row]] += tilt
    probabilities /= probabilities.sum(1, keepdims=True)
    assert confident_learning(probabilities, labels)["alike"] == pairs


def test_two_classes_are_no_pair():
    assert confident_learning(np.full((100, 2), 0.5), np.arange(100) % 2)["alike"] == []


@pytest.mark.parametrize(
    ("kind", "output", "labels", "found"),
    [
        (BCE_LOGITS, [[2.0], [-1.0]], [[1.0], [0.0]], [0.8808, 0.7311]),
        (BCE_LOGITS, [2.0, -1.0], [0, 1], [0.1192, 0.2689]),
        (BCE, [[0.9], [0.2]], [1, 0], [0.9, 0.8]),
        (BCE, [[1.0], [0.0]], [1, 0], [1.0, 1.0]),
        (BCE_LOGITS, [[2.0, 1.0]], [[1.0, 0.0]], None),  # several labels a sample
        (BCE_LOGITS, [[2.0], [1.0]], [[0.9], [0.1]], None),  # smoothed
    ],
)
def test_one_output_is_two_classes(kind, output, labels, found):
    """The probabilities of the samples' own labels."""
    given = _of_two(kind, np.array(output), np.array(labels))
    if found is None:
        assert given is None
    else:
        logs, own = given
        assert np.exp(logs[np.arange(2), own]) == pytest.approx(found, abs=1e-4)
