"""Which samples of an evaluation were trained on, without MindSpore."""

from types import SimpleNamespace

import numpy as np
import pytest

from msprec.observe.data.datasets import DatasetObserver
from msprec.observe.evaluation import trained_samples
from msprec.observe.evaluation.trained_samples import TrainedSamples


class Tensor:
    def __init__(self, array):
        self.array, self.shape, self.dtype = np.asarray(array), np.shape(array), "Float32"

    def asnumpy(self):
        return self.array


class Run:
    def __init__(self, *batches):
        self.steps = SimpleNamespace(updated=1)
        self.datasets = DatasetObserver(self)
        self.seen = TrainedSamples(self)
        for batch in batches:
            self.datasets.step_inputs(["x"], [batch])

    def shares(self):
        return [(one["trained_on"], one["distinct"], one["samples"]) for one in self.seen.facts()]


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)


def test_copies_are_known_again_as_another_shape(rows):
    run = Run(rows[:20], rows[20:40])
    run.seen.called((Tensor(rows[30:60].reshape(30, 2, 2)),))
    assert run.shares() == [(10, 30, 30)]


def test_places_are_told_apart(rows):
    run = Run(rows[:40])
    run.seen.called((Tensor(rows[:40]),))
    run.seen.called((Tensor(rows[40:]),))
    assert run.shares() == [(40, 40, 40), (0, 20, 20)]


def test_what_else_is_called_in_the_same_line_is_told_apart(rows):
    run = Run(rows[:40])
    for array in (rows[30:50], rows[30:50, :2]):  # the network, and a metric of what it gives
        run.seen.called((Tensor(array),))
    assert run.shares() == [(10, 20, 20), (0, 20, 20)]


def test_evaluations_before_the_last_step_do_not_count(rows):
    run = Run(rows[:40])
    run.seen.called((Tensor(rows[:40]),))
    run.steps.updated = 2
    run.seen.called((Tensor(rows[40:]),))
    assert run.shares() == [(0, 20, 20)]


def test_few_values_hold_few_bits(rows):
    run = Run(rows)
    run.seen.called((Tensor(np.tile(np.float32([[0, 1], [1, 1]]), (10, 1))),))
    run.seen.called((Tensor(rows),))
    assert [round(one["bits"]) for one in run.seen.facts()] == [1, 24]


def test_ids_and_single_values_are_left_out(rows):
    run = Run(rows)
    ids = Tensor(np.arange(40).reshape(20, 2))
    ids.dtype = "Int32"
    run.seen.called((ids, Tensor(np.ones(20))))
    assert run.shares() == []


def test_nothing_is_read_beyond_its_time(rows, monkeypatch):
    monkeypatch.setattr(trained_samples, "_GRACE", -1.0)
    run = Run(rows)
    run.seen.called((Tensor(rows),))
    assert run.shares() == []
