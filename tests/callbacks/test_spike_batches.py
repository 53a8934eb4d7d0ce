"""SpikeBatches: the batch of a sudden rise of the loss is kept, within its limits."""

import numpy as np
import pytest

from msprec.callbacks import spike_batches
from msprec.callbacks.spike_batches import SpikeBatches
from msprec.callbacks.step_snapshots import StepKeeper


@pytest.fixture
def told(tmp_path):
    """``(run, events)``: losses are run through a `StepKeeper` whose batches hold the number of their step."""
    events: list = []

    def run(losses, width: int = 4) -> list:
        spikes = SpikeBatches(tmp_path / "rank_0", lambda *what, **facts: events.append((*what, facts)))
        keeper = StepKeeper(4, spikes=spikes)
        for step, loss in enumerate(losses, 1):
            keeper.begin(step, (np.full(width, step, np.float32), "no array"))
            keeper.end(step, loss)
        keeper.rest()
        return [step for _, step, _ in events]

    return run, events


def _losses(count: int = 100) -> np.ndarray:
    return 2 * np.exp(-np.arange(count) / 40) + np.random.default_rng(3).normal(0, 0.01, count)


def test_the_batch_of_the_spike_is_kept(told, tmp_path):
    run, events = told
    losses = _losses()
    losses[70] += 5
    assert run(losses) == [71]
    name, _, facts = events[0]
    assert (name, facts["value"]) == ("loss_spike", losses[70]) and facts["usual"] < 1
    assert facts["batch"] == [{"name": "input_0", "dtype": "float32", "shape": [4]}]
    with np.load(tmp_path / facts["file"], allow_pickle=False) as kept:
        assert (kept["input_0"] == 71).all()


@pytest.mark.parametrize("course", ["falling", "noisy", "rising"])
def test_nothing_is_kept_without_one(told, course):
    run, _ = told
    more = {"falling": 0.0, "noisy": np.random.default_rng(4).normal(0, 0.3, 300), "rising": np.arange(300) / 100}
    assert run(_losses(300) + more[course]) == []


def test_a_loss_that_stays_up_keeps_few(told):
    run, _ = told
    losses = _losses(120)
    losses[60:] += 50
    assert run(losses) == [61]


def test_limits(told, tmp_path, monkeypatch):
    run, events = told
    losses = _losses(400)
    losses[60::30] += 5
    monkeypatch.setattr(spike_batches, "MOST_KEPT", 3)
    assert len(run(losses)) == 3
    events.clear()
    monkeypatch.setattr(spike_batches, "MOST_BYTES", 8)
    assert run(losses) == [], "the batch is larger"
