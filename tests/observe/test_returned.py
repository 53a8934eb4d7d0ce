"""The results of a script's own evaluation functions, without MindSpore."""

import sys
from pathlib import Path
from types import CodeType, SimpleNamespace

import numpy as np
import pytest

from msprec.observe.data.datasets import DatasetObserver
from msprec.observe.evaluation.instrumented_functions import instrument
from msprec.observe.evaluation.returned_metrics import ReturnObserver


def told(function):
    """The function as the loader of the script's modules compiles it."""
    source = Path(__file__).read_bytes()
    waiting = [instrument(compile(source, __file__, "exec", dont_inherit=True), source)]
    while waiting:
        code = waiting.pop()
        if (code.co_name, code.co_firstlineno) == (function.__name__, function.__code__.co_firstlineno):
            function.__code__ = code
            return function
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
    raise LookupError(function.__name__)


class Tensor:
    def __init__(self, array):
        self.array = np.asarray(array)

    def asnumpy(self):
        return self.array


class Run:
    """Training steps and calls of a network on arrays, told to the observer as the hooks tell them."""

    def __init__(self, trained_on):
        self.steps = SimpleNamespace(done=0, updated=0, open=None)
        self.datasets = DatasetObserver(self)
        self.seen = ReturnObserver(self)
        # a lambda: what a network gives is no result of a function
        self.forward = lambda array: (self.seen.called([Tensor(array)], 1), np.mean(array))[1]
        self.datasets.step_inputs(["x"], [trained_on])

    def guarded_call(self, function, *args):
        return function(*args)

    def train(self):
        self.steps.done = self.steps.updated = self.steps.done + 1

    def results(self):
        return [(one["step"], one["metrics"]) for one in self.seen.facts()]


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return rng.standard_normal((8, 4)), rng.standard_normal((8, 4))


@pytest.fixture
def run(arrays):
    return Run(arrays[0])


def test_a_loss_that_is_returned(run, arrays):
    @told
    def evaluate():
        val_loss = run.forward(arrays[1])
        run.forward(arrays[1])
        return val_loss

    evaluate()  # before the training: no curve's
    for _ in range(3):
        run.train()
        evaluate()
    assert [step for step, _ in run.results()] == [1, 2, 3]
    assert all(metrics == {"val_loss": pytest.approx(arrays[1].mean())} for _, metrics in run.results())


def test_what_a_function_within_returns_is_in_what_the_outer_one_gives(run, arrays):
    @told
    def batch_loss():
        return run.forward(arrays[1])

    @told
    def evaluate():
        return {"loss": batch_loss() + batch_loss(), "batches": 2}

    for _ in range(2):
        run.train()
        evaluate()
    assert [list(metrics) for _, metrics in run.results()] == [["loss", "evaluate[batches]"]] * 2


def test_the_training_arrays_are_not_validation(run, arrays):
    @told
    def accuracy(array):
        return run.forward(array)

    for _ in range(3):
        run.train()
        accuracy(arrays[0])
    assert run.results() == []


def test_arrays_that_never_come_again_are_not_validation(run):
    @told
    def score():
        return run.forward(np.random.default_rng(run.steps.done).standard_normal((8, 4)))

    for _ in range(4):
        run.train()
        score()
    assert run.results() == []


def test_a_function_that_trains_is_let_go(run, arrays):
    @told
    def train_epoch():
        for _ in range(3):
            loss = run.forward(arrays[1])
            run.train()
        return loss

    run.train()
    for _ in range(5):
        train_epoch()
    assert run.results() == [] and run.seen.trained_in[train_epoch.__code__] == 3
    assert run.seen.without_result() == []


def test_a_function_that_returns_nothing_is_named(run, arrays, monkeypatch):
    monkeypatch.setattr("msprec.runtime.source_locations.is_user_file", lambda name: name == __file__)

    @told
    def evaluate():
        run.forward(arrays[1])

    for _ in range(2):
        run.train()
        evaluate()
    place = run.seen.without_result()[0]
    assert place["file"].endswith("test_returned.py") and place["line"] == evaluate.__code__.co_firstlineno


def test_an_exception_passes(run, arrays):
    @told
    def evaluate():
        run.forward(arrays[1])
        raise ValueError("the user's")

    run.train()
    with pytest.raises(ValueError, match="the user's"):
        evaluate()


def test_one_that_an_exception_ended_is_not_listened_to(run, arrays):
    @told
    def evaluate(fails):
        loss = run.forward(arrays[1])
        if fails:
            raise ValueError
        return loss

    for number in range(3):
        run.train()
        with pytest.raises(ValueError):
            evaluate(True)
        evaluate(False)
        assert run.seen.watched == {} and len(run.results()) == (number + 1 if number else 0)
    assert run.seen.trained_in == {} and run.seen.without_result() == []


def test_a_function_that_was_left_as_it_was_is_not_listened_to(run, arrays):
    def evaluate():
        return run.forward(arrays[1])

    for _ in range(2):
        run.train()
        evaluate()
    assert run.seen.watched == {} and run.results() == []


def test_under_another_trace_as_without(run, arrays):
    events = []

    def other(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            events.append((frame.f_code.co_name, event))
        return other

    @told
    def evaluate():
        return run.forward(arrays[1])

    for _ in range(2):
        run.train()
        sys.settrace(other)
        try:
            evaluate()
            assert sys.gettrace() is other
        finally:
            sys.settrace(None)
    assert [step for step, _ in run.results()] == [1, 2]
    assert ("evaluate", "return") in events
