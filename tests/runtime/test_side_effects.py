"""What running a step's code once more would do beside computing: prints, files, assignments, draws on the host."""

import random

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn

from msprec.locate.replay import of_forward, undisturbed
from msprec.runtime import source_locations
from msprec.runtime.side_effects import draws_on_host, side_effect


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)


def _helper(x):
    return x * float(np.random.rand())


def _augmented(x):
    return _helper(x) + 1


def _python_draw(x):
    return x if random.random() < 0.5 else -x


def _plain(x):
    return x + 1


class Noisy(nn.Cell):
    def construct(self, x):
        return x + ms.Tensor(np.random.randn(*x.shape).astype(np.float32))


class Counting(nn.Cell):
    def construct(self, x):
        self.calls = 1
        print("called")
        return x


def _logging(x):
    with open("log.txt", "a") as file:
        file.write("step\n")
    return x


def test_draws_are_found_through_helpers_and_cells():
    assert draws_on_host([], (_augmented,))
    assert draws_on_host([], (_python_draw,))
    assert draws_on_host([nn.SequentialCell(nn.Dense(2, 2), Noisy())])
    assert not draws_on_host([nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5))], (_plain,))


def test_what_lasts_and_what_does_not():
    assert "calls" in side_effect([Counting()]) or "print" in side_effect([Counting()])
    assert side_effect([Counting()], lasting=True) is None
    assert "open" in side_effect([], (_logging,), lasting=True)
    assert side_effect([nn.Dense(2, 2)], (_plain,)) is None


def test_draws_of_another_thread_are_not_undone():
    """A data set's worker draws from NumPy's generator while a step is run again: set back, it would draw the same twice."""
    np.random.seed(3)
    expected = np.random.RandomState(3)
    expected.rand()
    step = of_forward(_plain, (ms.Tensor(1.0),), [], [])
    assert not step.host_random
    with undisturbed(step.parameters, None, None, step.host_random):
        np.random.rand()  # as another thread would
    assert np.random.rand() == expected.rand()
    with undisturbed([], None, None, host_random=True):
        np.random.rand()
    assert np.random.rand() == expected.rand()
