"""Losses of the script's own, called with made-up predictions: what they are, what they do, and what is concluded."""

from types import SimpleNamespace

import numpy as np
import pytest

from msprec.checklists.common.loss.custom_loss import check_own, confirmed, open_points
from msprec.checklists.common.loss.loss_rules import check_inputs
from msprec.checklists.common.loss.loss_with_inputs import of_script
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.schema import Fact
from msprec.probe.loss.custom_losses import values_beside
from msprec.probe.loss.loss_properties import behaviour, pair_behaviour
from msprec.probe.loss.loss_shapes import kind_of
from msprec.probe.steps.loss_input_statistics import features
from msprec.probe.steps.numpy_losses import log_softmax
from msprec.record.schema import PROBES

RNG = np.random.default_rng(5)
SCORES = RNG.standard_normal((12, 4)).astype(np.float32)
CLASSES = RNG.integers(0, 4, 12).astype(np.int32)
ONE = RNG.standard_normal((12, 1)).astype(np.float32)
BINARY = (np.arange(12) % 3 == 0).astype(np.float32).reshape(12, 1)
REAL = RNG.standard_normal((12, 1)).astype(np.float32)


def softmax(x, axis=1):
    return np.exp(log_softmax(x.astype(np.float64), axis))


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def of(p, y):
    """The element of each row that the label names."""
    return np.take_along_axis(p, y[:, None].astype(int), axis=1)[:, 0]


def cross_entropy(x, y, axis=1):
    return -of(log_softmax(x.astype(np.float64), axis), y).mean()


def smoothed(x, y):
    logs = log_softmax(x.astype(np.float64))
    return (0.9 * -of(logs, y) + 0.1 * -logs.mean(1)).mean()


def focal(x, y):
    p = of(softmax(x), y)
    return (0.25 * (1 - p) ** 2 * -np.log(p)).mean()


def focal_of_the_wrong_side(x, y):
    p = of(softmax(x), y)
    return (p**2 * -np.log(p)).mean()


def log_of_probabilities(p, y):
    return -np.log(np.clip(of(p.astype(np.float64), y), 1e-7, None)).mean()


def weighted(x, y):
    return (np.array([1, 5, 2, 3.0])[y] * -of(log_softmax(x.astype(np.float64)), y)).mean()


def binary_focal(x, y):
    p = np.where(y > 0.5, sigmoid(x), 1 - sigmoid(x))
    return (np.where(y > 0.5, 0.25, 0.75) * (1 - p) ** 2 * -np.log(p)).mean()


def dice(x, y):
    p = sigmoid(x)
    return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)


def dice_of_raw(p, y):
    return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)


def both(x, y):
    return dice(x, y) + (np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x)))).mean()


def hinge(x, y):
    return np.maximum(0, 1 - x * (2 * y - 1)).mean()


def triplet(x, y):
    far = ((x[:, None] - x[None]).astype(np.float64) ** 2).sum(-1)
    same = y[:, None] == y[None]
    return np.maximum(0, 1 + (far * same).max(1) - np.where(same, 1e9, far).min(1)).mean()


def pinball(x, y):
    return np.maximum(0.3 * (y - x), -0.7 * (y - x)).mean()


class Limits:
    """In the place of a run: its thresholds alone."""

    optimizers = ()

    def limit(self, name):
        return {"cg.04.lost_gain": 0.1, "cg.04.unreachable": 0.01, "cg.04.closer": 0.1}[name]

    def find_lines(self, pattern, most):
        return []

    probes = Fact({}, PROBES)
    source = SimpleNamespace(trees={}, nodes_at=lambda *_: [])


def judge(one):
    check_inputs(of_script(one, Limits()), Limits())
    check_own(one, Limits())


def entry(function, predicted, labels, made_by="Dense", final=True, limits=(-np.inf, np.inf)):
    value = float(function(predicted, labels))
    given = features(predicted)
    found = behaviour(lambda p, y: float(function(p, y)), predicted, labels, value, given, limits=limits)
    facts = {
        "name": function.__name__,
        "place": {"file": "train.py", "line": 3},
        "value": value,
        "final": final,
        "predicted": list(predicted.shape),
        "features": {**given, "source": {"operator": made_by, "place": None}},
        "behaviour": found,
    }
    if np.isfinite(limits).any():
        low, high = (float(end) if np.isfinite(end) else None for end in limits)
        facts["output"] = {"operator": made_by, "name": made_by.lower(), "low": low, "high": high, "plain": True}
    return Fact(facts, PROBES["own_losses"][0])


@pytest.mark.parametrize(
    ("function", "predicted", "labels", "name", "settings"),
    [
        (cross_entropy, SCORES, CLASSES, "cross entropy", {}),
        (smoothed, SCORES, CLASSES, "smoothed cross entropy", {"smoothing": 0.1}),
        (focal, SCORES, CLASSES, "focal loss", {"gamma": 2.0, "factor": 0.25}),
        (log_of_probabilities, softmax(SCORES).astype(np.float32), CLASSES, "cross entropy", {}),
        (binary_focal, ONE, BINARY, "focal loss", {"factor_of_1": 0.25, "factor_of_0": 0.75}),
        (dice, ONE, BINARY, "Dice loss", {"smooth": 1.0}),
    ],
)
def test_known_losses(function, predicted, labels, name, settings):
    one = entry(function, predicted, labels)
    judge(one)
    family = one.behaviour.family
    assert family.name == name and {k: family.settings[k] for k in settings} == pytest.approx(settings, rel=1e-3)
    assert confirmed(one, Limits()) is not None


@pytest.mark.parametrize(
    ("function", "predicted", "labels"),
    [
        (weighted, SCORES, CLASSES),
        (both, ONE, BINARY),
        (hinge, ONE, BINARY),
        (pinball, ONE, REAL),
        (lambda x, y: np.log(np.cosh(x - y)).mean(), ONE, REAL),
        (lambda x, y: ((x - y) ** 2).mean(), ONE, BINARY),  # regression onto 0 and 1
    ],
)
def test_losses_that_do_what_they_have_to(function, predicted, labels):
    one = entry(function, predicted, labels)
    judge(one)
    assert one.behaviour.family.name is None and confirmed(one, Limits()) is not None, open_points(one, Limits())


@pytest.mark.parametrize(
    ("function", "predicted", "labels", "made_by", "said"),
    [
        (lambda x, y: -cross_entropy(x, y), SCORES, CLASSES, "Dense", "wrong sign"),
        (lambda x, y: 1 - dice(x, y), ONE, BINARY, "Dense", "wrong sign"),
        (lambda x, y: -((x - y) ** 2).mean(), ONE, REAL, "Dense", "wrong sign"),
        (lambda x, y: cross_entropy(x, y, axis=0), SCORES, CLASSES, "Dense", "over the batch"),
        (cross_entropy, softmax(SCORES).astype(np.float32), CLASSES, "Softmax", "applied twice"),
        (focal, softmax(SCORES).astype(np.float32), CLASSES, "softmax", "applied twice"),
        (dice, sigmoid(ONE).astype(np.float32), BINARY, "Sigmoid", "applied twice"),
        (log_of_probabilities, SCORES, CLASSES, "Dense", "softmax is missing"),
        (dice_of_raw, ONE, BINARY, "Dense", "sigmoid is missing"),
        (lambda x, y: ((x - y[:, 0]) ** 2).mean(), ONE, REAL, "Dense", "another order"),
        (lambda x, y: abs(x.mean() - y.mean()), ONE, REAL, "Dense", "another order"),
    ],
)
def test_what_is_wrong(function, predicted, labels, made_by, said):
    with pytest.raises(Wrong, match=said):
        judge(entry(function, predicted, labels, made_by))
    # of a part of the loss nobody knows what is made of it
    judge(entry(function, predicted, labels, made_by, final=False))


@pytest.mark.parametrize(
    ("function", "predicted", "labels"),
    [
        (focal_of_the_wrong_side, SCORES, CLASSES),
        (lambda x, y: np.abs(x - of(x, y)[:, None]).mean(), SCORES, CLASSES),
        (lambda x, y: -np.clip(of(x, y), 1e-7, 1).mean(), SCORES, CLASSES),  # of raw scores, no softmax
        (lambda x, y: triplet(x, y), SCORES, CLASSES),  # embeddings: no scores of classes
        (lambda x, y: ((x - 0.9 * y) ** 2).mean(), ONE, REAL),
    ],
)
def test_what_stays_open(function, predicted, labels):
    one = entry(function, predicted, labels)
    judge(one)
    assert confirmed(one, Limits()) is None and open_points(one, Limits()) is not None


@pytest.mark.parametrize(
    ("function", "labels", "operator", "limits", "harmful"),
    [
        (cross_entropy, CLASSES, "Sigmoid", (0, 1), True),
        (smoothed, CLASSES, "Sigmoid", (0, 1), False),  # smoothed labels are never reached: nothing to tell by
        (focal, CLASSES, "Sigmoid", (0, 1), True),
        (cross_entropy, CLASSES, "Tanh", (-1, 1), True),
        (cross_entropy, CLASSES, "Tanh", (-10, 10), False),
        (lambda x, y: cross_entropy(x / 0.07, y), CLASSES, "Tanh", (-1, 1), False),
        (log_of_probabilities, CLASSES, "Sigmoid", (0, 1), False),
        (lambda x, y: -np.log(of(x.astype(np.float64), y)).mean(), CLASSES, "Sigmoid", (0, 1), False),
    ],
)
def test_what_the_range_of_the_output_costs(function, labels, operator, limits, harmful):
    """The least of the loss within the range against its least beyond."""
    predicted = np.clip(np.abs(SCORES), 0.05, 0.95)
    one = entry(function, predicted, labels, operator, limits=limits)
    if harmful:
        with pytest.raises(Wrong, match=f"{operator} and lies in"):
            judge(one)
    else:
        judge(one)


def test_a_binary_loss_and_a_range():
    dice_of_scores = entry(dice, np.abs(ONE), BINARY, "Softplus", limits=(0, np.inf))
    with pytest.raises(Wrong, match="lies in"):
        judge(dice_of_scores)
    judge(entry(hinge, np.tanh(ONE), BINARY, "Tanh", limits=(-1, 1)))
    judge(entry(dice_of_raw, sigmoid(ONE).astype(np.float32), BINARY, "Sigmoid", limits=(0, 1)))


def test_losses_that_are_meant_so():
    judge(entry(mmd, ONE, REAL))
    judge(entry(adversarial, SCORES, CLASSES))


def mmd(x, y):
    return abs(x.mean() - y.mean())


def adversarial(x, y):
    return -cross_entropy(x, y)


def test_a_loss_that_draws_is_not_judged():
    noise = np.random.default_rng(0)
    one = entry(lambda x, y: cross_entropy(x + noise.standard_normal(x.shape), y), SCORES, CLASSES)
    judge(one)
    assert one.behaviour.repeatable is False and confirmed(one, Limits()) is None


def test_kinds():
    assert kind_of(SCORES, CLASSES) == "classes" and kind_of(SCORES, np.eye(4)[CLASSES]) == "classes"
    assert kind_of(ONE, BINARY) == "binary" and kind_of(ONE, REAL) == "regression"
    assert kind_of(SCORES, CLASSES + 1) is None and kind_of(SCORES, REAL) is None


LEFT, RIGHT = (RNG.standard_normal((8, 6)).astype(np.float32) for _ in range(2))


def unit(x):
    return x / np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)


def info_nce(a, b):
    return -np.diag(log_softmax(unit(a) @ unit(b).T / 0.1)).mean()


def nt_xent(a, b):
    z = np.concatenate([unit(a), unit(b)])
    similar = z @ z.T / 0.5 - 1e9 * np.eye(16)
    return -log_softmax(similar)[np.arange(16), (np.arange(16) + 8) % 16].mean()


def distilled(s, t):
    logs, teacher = log_softmax(s.astype(np.float64) / 4), log_softmax(t.astype(np.float64) / 4)
    return 16 * (np.exp(teacher) * (teacher - logs)).sum(1).mean()


def distilled_without_log(s, t):
    """kl_div(softmax, softmax): the logarithm of the first is missing."""
    student, teacher = softmax(s), softmax(t)
    return (teacher * (np.log(teacher) - student)).sum(1).mean()


def pair_entry(function, promise):
    value = float(function(LEFT, RIGHT))
    found = pair_behaviour(lambda a, b: float(function(a, b)), LEFT, RIGHT, promise)
    facts = {"name": function.__name__, "value": value, "final": True, "features": features(LEFT), "behaviour": found}
    return Fact(facts, PROBES["own_losses"][0])


@pytest.mark.parametrize(
    ("function", "promise", "name", "temperature"),
    [
        (info_nce, "contrastive", "InfoNCE", 0.1),
        (nt_xent, "contrastive", "NT-Xent", 0.5),
        (distilled, "distillation", "KL divergence", 4.0),
    ],
)
def test_losses_of_two_outputs(function, promise, name, temperature):
    one = pair_entry(function, promise)
    judge(one)
    assert one.behaviour.family.name == name and one.behaviour.family.settings["temperature"] == temperature
    assert confirmed(one, Limits()) is not None


def test_wrong_losses_of_two_outputs():
    with pytest.raises(Wrong, match="wrong sign"):
        judge(pair_entry(lambda a, b: -info_nce(a, b), "contrastive"))
    with pytest.raises(Wrong, match=r"wrong sign|not smallest"):
        judge(pair_entry(lambda s, t: -distilled(s, t), "distillation"))
    one = pair_entry(distilled_without_log, "distillation")
    judge(one)  # it falls towards the teacher, and beyond
    assert confirmed(one, Limits()) is None and open_points(one, Limits()) is not None


def test_facts_without_a_curve():
    for curve in ([], [1.0], [None, 2.0]):
        did = {"kind": "distillation", "repeatable": True, "way": "rises", "curve": curve}
        one = Fact({"name": "loss", "final": True, "behaviour": did}, PROBES["own_losses"][0])
        judge(one)
        assert confirmed(one, Limits()) is None and open_points(one, Limits()) is not None


def test_what_is_bounded_is_never_given_more():
    """MindSpore's binary cross entropy ends the process over a prediction beyond 0 and 1."""
    given = []

    def entropy_and_dice(p, y):
        given.append(p)
        return -np.where(y > 0.5, np.log(p), np.log(1 - p)).mean() + dice_of_raw(p, y)

    for labels in (BINARY, np.clip(REAL, 0.1, 0.9)):
        shares = sigmoid(ONE).astype(np.float32)
        value = float(entropy_and_dice(shares, labels))
        found = behaviour(
            lambda p, y: float(entropy_and_dice(p, y)), shares, labels, value, features(shares), bounded=True
        )
        assert found["repeatable"] and min(p.min() for p in given) >= 0 and max(p.max() for p in given) <= 1
    assert found["kind"] == "regression"


def test_a_value_that_comes_near_to_another_loss_by_chance_does_not_count():
    """Of six predictions, another formula comes within 0.2 % in one batch of four hundred; the right one is nearer."""
    rng, told = np.random.default_rng(0), set()
    for _ in range(2000):
        predicted, labels = rng.normal(size=(2, 6, 1)).astype(np.float32)
        value = float(((predicted - labels) ** 2).mean())
        told.add(tuple(values_beside(predicted, labels, value, None)[0]))
    assert told == {("mse", "mean")}
    # what its name promises it is, where that comes near enough, as in float16
    assert values_beside(predicted, labels, value * 1.001, "mse")[0] == ["mse", "mean"]
    assert values_beside(predicted, labels, value * 1.01, "mse")[0] is None


@pytest.mark.parametrize(
    ("loss", "equals"),
    [
        (lambda p, y: -(y * np.log(p)).sum(1).mean(), ["cross_entropy_of_probabilities", "mean"]),
        (lambda p, y: -(y * np.log(p)).sum(), ["cross_entropy_of_probabilities", "sum"]),
        (lambda p, y: -(y * p).sum(1).mean(), ["nll", "mean"]),
        (lambda p, y: -(y * np.log(1 - p)).sum(1).mean(), None),
    ],
)
def test_a_cross_entropy_of_probabilities_and_mixed_targets(loss, equals):
    rng = np.random.default_rng(3)
    shares, targets = rng.dirichlet(np.ones(6), size=(2, 40))
    found, candidates = values_beside(shares, targets, float(loss(shares, targets)), "softmax_cross_entropy")
    assert found == equals and "cross_entropy_of_probabilities" in candidates
    # scores have no such loss
    assert "cross_entropy_of_probabilities" not in values_beside(shares - 0.5, targets, 1.0, None)[1]


DISTANCES = np.abs(RNG.standard_normal((12, 1))).astype(np.float32)


def contrastive(d, same):
    return (same * d**2 + (1 - same) * np.maximum(1 - d, 0) ** 2).mean()


def contrastive_turned_round(d, same):
    return (same * d**2 + (1 - same) * np.maximum(d - 1, 0) ** 2).mean()


def contrastive_of_different(d, different):
    return contrastive(d, 1 - different)


@pytest.mark.parametrize(
    ("function", "together"),
    [(contrastive, 1), (contrastive_turned_round, None), (contrastive_of_different, 0)],
)
def test_distances_of_pairs(function, together):
    """One that brings those of both labels to 0 parts none."""
    one = entry(function, DISTANCES, BINARY, limits=(0.0, np.inf))
    assert one.behaviour.parts == (together is not None)
    if together is not None:
        assert one.behaviour.together == together
        judge(one)
    else:
        with pytest.raises(Wrong) as told:
            judge(one)
        assert "does not push" in str(told.value.summary)
