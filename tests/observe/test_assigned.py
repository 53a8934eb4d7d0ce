"""Scores that a script computes in place, read where it trains on; without MindSpore."""

import contextlib
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from msprec.observe.evaluation.inline_metrics import AssignedObserver


@pytest.fixture
def seen(monkeypatch):
    monkeypatch.setattr("msprec.observe.evaluation.inline_metrics.is_user_file", lambda name: name == __file__)
    records = [SimpleNamespace(number=0, steps=4), SimpleNamespace(number=1, steps=0)]
    return AssignedObserver(SimpleNamespace(datasets=SimpleNamespace(epoch=1, records=records)))


def evaluate(seen, step, data, samples, hits):
    def net(x):
        seen.called(sys._getframe(1), step, lambda: data, samples)
        return x

    right = net(hits)
    accuracy = right / 8
    seen.returns(sys._getframe())  # as Python's trace tells
    return accuracy is None


def graph(seen, step):
    def net():
        seen.called(sys._getframe(1), step, lambda: None, 0)
        return 0.5

    out = net()
    val_loss = out / 2
    loss = out * 2
    seen.returns(sys._getframe())
    return val_loss is loss


def results(seen):
    return [(one["step"], one["metrics"], one["samples"]) for one in seen.facts()]


def test_of_a_data_set(seen):
    evaluate(seen, 4, ("dataset", 1), 8, 6)
    seen.training_begins()
    evaluate(seen, 8, ("dataset", 1), 8, 7)
    assert results(seen) == [(4, {"accuracy": 0.75}, 8), (8, {"accuracy": 0.875}, 8)]


def test_in_a_function_that_trains_on(seen):
    def net(x):
        seen.called(sys._getframe(1), 4, lambda: ("dataset", 1), 8)
        return x

    accuracy = net(6) / 8
    seen.training_begins()
    assert results(seen) == [(4, {"accuracy": accuracy}, 8)]


def test_what_a_function_has_computed_does_not_live_on(seen):
    class Held:
        pass

    def evaluated():
        held = Held()
        seen.called(sys._getframe(), 4, lambda: ("dataset", 1), 8)
        accuracy = 0.5
        return weakref.ref(held), accuracy

    assert evaluated()[0]() is None
    assert results(seen) == []


def test_not_of_what_is_trained_on(seen):
    evaluate(seen, 4, ("dataset", 0), 8, 6)
    evaluate(seen, 4, None, 8, 6)
    evaluate(seen, 0, ("dataset", 1), 8, 6)  # before any training
    assert results(seen) == []


def test_arrays_have_to_come_again(seen):
    evaluate(seen, 4, ("arrays", 5), 8, 6)
    evaluate(seen, 8, ("arrays", 6), 8, 6)
    assert results(seen) == []
    evaluate(seen, 12, ("arrays", 5), 8, 6)
    assert [step for step, _, _ in results(seen)] == [4, 12]


def test_of_a_network_without_inputs_the_name_tells(seen):
    graph(seen, 4)
    assert results(seen) == [(4, {"val_loss": 0.25}, None)]


def compared(seen, pred, labels):
    def net():
        seen.called(sys._getframe(1), 4, lambda: ("arrays", 1), 8)
        return pred

    out = net()
    right = np.mean((out > 0.5) == labels)
    error = np.abs(np.round(out) - labels).mean()
    seen.returns(sys._getframe())
    return right is error


@pytest.mark.parametrize(
    ("pred", "labels", "lines"),
    [
        (np.zeros((8, 1)), np.zeros(8), 2),
        (np.zeros(8), np.zeros((8, 1)), 2),
        (np.zeros(8), np.zeros(8), 0),
        (np.zeros((8, 1)), np.zeros((8, 1)), 0),
        (np.zeros((8, 3)), np.zeros(8), 0),
        (np.zeros((8, 1)), 0.5, 0),
        (np.zeros((1, 1)), np.zeros(1), 0),
    ],
)
def test_predictions_beside_labels_of_another_shape(seen, pred, labels, lines):
    with contextlib.suppress(ValueError):  # shapes that do not fit
        compared(seen, pred, labels)
    found = seen.squares()
    assert len(found) == lines
    assert all(one["shapes"] == [list(pred.shape), list(labels.shape)] for one in found)


def r2(predicted, actual):
    middle = actual - actual.mean()
    return np.mean((predicted - actual) ** 2) / np.mean(1 + middle**2)


def flat_r2(predicted, actual):
    predicted = predicted.reshape(-1)
    return np.mean((predicted - actual) ** 2)


class DataFrame:
    """As a table of pandas."""

    shape, columns = (8, 2), ("a", "b")

    def __getitem__(self, name):
        return self

    def to_numpy(self):
        return np.zeros(8)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("out = net(x)\nprint(r2(out, table['b'].to_numpy()))", [2]),
        ("out = net(x)\nscore = r2(out, y[4:])", [2]),
        ("out = net(x)\nscore = np.mean((out[:, 0] - y[4:]) ** 2)", []),
        ("out = net(x)\nscore = np.mean((out - y[4:, None]) ** 2)", []),
        ("out = net(x)\nfound = out.argmax(1)\nscore = np.mean(found == y[4:, None])", [3]),
        ("out = net(x)\nfound = out.argmax(1)\nscore = np.mean(found == y[4:, np.newaxis])", [3]),
        ("out = net(x)\nscore = np.mean((out[:, 0] - y[4:, None]) ** 2)", []),  # the differences of all pairs are meant
        ("out = net(x)\nscore = np.mean((out - y[4:]) ** 2)", [2]),
        ("out = net(x)\nscore = flat_r2(out, y[4:])", []),
        ("out = net(x)\nscore = r2(out.reshape(-1), y[4:])", []),
        ("out = net(x)\nscore = r2(out.ravel(), table['b'].to_numpy().reshape(-1, 1))", [2]),
        ("out = net(x)\nscore = np.mean(out.argmax(1) == y[4:].reshape((8, 1)))", [2]),
        (
            "out = net(x)\nscore = np.mean(np.argmax(out, axis=-1) == y[4:, ...].reshape(-1, 1))",
            [],
        ),  # dots: not followed
        ("out = net(x)\nscore = np.mean(np.argmax(out, axis=-1) == y[4:].reshape(-1, 1))", [2]),
        ("out = net(x)\nscore = np.mean(np.squeeze(out) == y[4:])", []),
        ("out = net(x)\nscore = np.mean(out == y[4:])\nout = 3", []),  # what it was is not known at the end
        ("out = net(x)\nscore = np.mean(out.squeeze(1) == y[4:])", []),
    ],
)
def test_a_score_that_a_function_of_the_script_computes(seen, monkeypatch, tmp_path, code, lines):
    def net(x):
        seen.called(sys._getframe(1), 4, lambda: ("arrays", 1), 8)
        return x

    with open(__file__, encoding="utf-8") as own:
        made = own.read().split("def r2(")[1].split("\n\nclass")[0]
    file = tmp_path / "train.py"
    monkeypatch.setattr("msprec.observe.evaluation.inline_metrics.is_user_file", lambda name: name == str(file))
    file.write_text(f"{code}\n\n\ndef r2({made}", encoding="utf-8")
    names = {
        "net": net,
        "x": np.zeros((8, 1)),
        "y": np.zeros(12),
        "table": DataFrame(),
        "np": np,
        "r2": r2,
        "flat_r2": flat_r2,
    }
    exec(compile(f"{code}\n", str(file), "exec"), names)
    assert [one["place"]["line"] for one in seen.squares()] == lines


@pytest.mark.parametrize(("labels", "lines"), [("y", [2]), ("y[:, None]", [])])
def test_what_a_model_predicts(seen, monkeypatch, tmp_path, labels, lines):
    def predict(x):
        seen.predicted(sys._getframe(1), 4)
        return x

    code = f"price = predict(x) * 2.0\nrmse = np.sqrt(np.mean((price - {labels}) ** 2))\n"
    file = tmp_path / "train.py"
    monkeypatch.setattr("msprec.observe.evaluation.inline_metrics.is_user_file", lambda name: name == str(file))
    file.write_text(code, encoding="utf-8")
    names = {"predict": predict, "x": np.zeros((8, 1)), "y": np.zeros(8), "np": np}
    exec(compile(code, str(file), "exec"), names)
    assert [one["place"]["line"] for one in seen.squares()] == lines
    assert not seen.found  # no score: of whose data is not known
