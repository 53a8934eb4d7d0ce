"""The random state before each step: exact where something draws, read seldom where nothing does."""

import itertools
import random

import mindspore as ms
import numpy as np
import pytest

from msprec.runtime import rng_state
from msprec.runtime.rng_state import QUIET, SELDOM, RandomStates, random_state

SEEDS = itertools.count(100)


def draw() -> None:
    """What a draw does: the generator's state is another one afterwards. No random operator of a CPU draws from it."""
    ms.manual_seed(next(SEEDS))


def state() -> np.ndarray:
    return ms.get_rng_state().asnumpy()


@pytest.fixture
def readings(monkeypatch):
    """How often the generator was read."""
    count, original = [], rng_state._mindspore
    monkeypatch.setattr(rng_state, "_mindspore", lambda: count.append(1) or original())
    return count


def test_a_generator_that_is_drawn_from_is_read_at_each_step(readings):
    states, kept, exact = RandomStates(), [], []
    for _ in range(3 * QUIET):
        exact.append(state())
        kept.append(states.before_step())
        draw()
    assert len(readings) == 3 * QUIET
    for one, wanted in zip(kept, exact):
        assert np.array_equal(states.certain(one)["mindspore"].asnumpy(), wanted)


def test_a_quiet_generator_is_read_seldom_and_its_state_is_right(readings):
    states = RandomStates()
    kept = [states.before_step() for _ in range(3 * SELDOM)]
    assert len(readings) <= QUIET + 1 + 2
    for one in kept:
        assert np.array_equal(states.certain(one)["mindspore"].asnumpy(), state())


def test_a_quiet_generator_that_is_drawn_from_later_is_not_told_wrongly(readings):
    states = RandomStates()
    before = [states.before_step() for _ in range(QUIET + 5)][-1]
    draw()
    after = states.before_step()
    assert states.certain(before)["mindspore"] is None
    assert states.certain(after)["mindspore"] is None
    # and from the reading that has found it on, each step is exact again
    states.before_step()
    draw()
    exact = state()
    later = states.before_step()
    draw()
    assert np.array_equal(states.certain(later)["mindspore"].asnumpy(), exact)


def test_the_rest_of_the_state_is_that_of_the_step():
    states = RandomStates(draws=False)
    kept = states.certain([states.before_step() for _ in range(2 * QUIET)][-1])
    whole = random_state(python=False)
    assert kept["seed"] == whole["seed"] and kept["kernels"] == whole["kernels"]
    assert kept["python"] is None and kept["numpy"] is None


def test_python_and_numpy_are_read_seldom_where_nothing_draws(monkeypatch):
    count, original = [], rng_state._host
    monkeypatch.setattr(rng_state, "_host", lambda python: count.append(python) or original(python))
    states = RandomStates()
    monkeypatch.setattr(rng_state, "_in_python", lambda: True)
    kept = [states.before_step() for _ in range(3 * SELDOM)]
    assert count.count(True) <= QUIET + 1 + 2
    assert states.quiet
    before = states.passed()
    assert states.certain(before)["python"] == states.certain(kept[-1])["python"] == random.getstate()
    random.random()
    assert states.certain(before)["python"] is None
    assert states.certain(states.before_step())["python"] == random.getstate()


def test_python_and_numpy_are_exact_where_steps_draw(monkeypatch):
    monkeypatch.setattr(rng_state, "_in_python", lambda: True)
    states, kept, exact = RandomStates(), [], []
    for _ in range(3 * QUIET):
        exact.append((random.getstate(), np.random.get_state()[2]))
        kept.append(states.before_step())
        np.random.rand()
    found = [states.certain(one) for one in kept]
    assert [(one["python"], one["numpy"][2]) for one in found] == exact


def test_reading_keeps_to_its_share_and_a_state_that_was_not_read_is_not_known(readings, monkeypatch):
    states = RandomStates()
    states.before_step()
    monkeypatch.setattr(states._budget, "due", lambda: False)
    draw()
    kept = states.before_step()
    assert len(readings) == 1
    assert states.certain(kept) == {"python": None, "numpy": None, "mindspore": None, "seed": ms.get_seed()}
    monkeypatch.undo()
    exact, kept = state(), states.before_step()
    assert np.array_equal(states.certain(kept)["mindspore"].asnumpy(), exact)
