"""td.01, td.08 and td.09 from tables of steps alone: what `PrecisionMonitor` leaves, and courses made up."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from msprec.checklists.td.spikes.loss_spikes import Limits, find_spikes, window
from msprec.engine import conclude

LIMITS = Limits(deviations=10.0, extremes=3.0, rise=0.1, back=3.0)
NOISES = {
    "normal": lambda rng, n: 0.1 * rng.standard_normal(n),
    "exponential": lambda rng, n: rng.gamma(1.0, 1.0, n),
    "student": lambda rng, n: 0.1 * rng.standard_t(3, n),
}


def falling(count: int) -> np.ndarray:
    return 2.3 * np.exp(-np.arange(count) / (count / 4)) + 0.3


@pytest.mark.parametrize("noise", NOISES)
def test_noise_makes_no_spike_that_stays_or_lasts(noise: str) -> None:
    rng = np.random.default_rng(0)
    for count in (60, 300, 3000):
        for _ in range(40):
            found = find_spikes(falling(count) + NOISES[noise](rng, count), LIMITS)
            # what comes back later than the end is not seen
            seen = [one for one in found if one.first < count - window(count)]
            assert all(one.back is not None and one.back - one.first < window(count) for one in seen)
            assert len(found) <= max(3, count // 500)


def test_a_lone_spike_a_long_one_and_one_that_stays() -> None:
    losses = falling(3000) + 0.02 * np.random.default_rng(1).standard_normal(3000)
    losses[1000] += 4
    losses[1500:1600] += 3
    losses[2500:] += 2
    lone, long, stays = find_spikes(losses, LIMITS)
    assert (lone.first, lone.back) == (1000, 1001)
    assert (long.first, long.back) == (1500, 1600)
    assert stays.first == 2500 and stays.back is None and stays.usual == pytest.approx(0.39, abs=0.03)


def test_a_million_steps_take_two_seconds() -> None:
    losses = falling(1_000_000) + 0.1 * np.random.default_rng(2).standard_normal(1_000_000)
    losses[700_000:700_200] += 3
    begun = time.process_time()
    (found,) = find_spikes(losses, LIMITS)
    assert time.process_time() - begun < 2
    assert (found.first, found.back) == (700_000, 700_200)


def of_steps(folder: Path, losses, rates=None) -> dict:
    """What td concludes of a folder with a table of steps and nothing else, as `PrecisionMonitor` leaves it."""
    (folder / "rank_0").mkdir()
    (folder / "run.json").write_text(json.dumps({"schema": 1, "started": "s", "training_steps": len(losses)}))
    rates = [0.1] * len(losses) if rates is None else rates
    rows = [
        f"{step},{loss!r},{rate!r}" for step, (loss, rate) in enumerate(zip(map(float, losses), map(float, rates)), 1)
    ]
    (folder / "rank_0" / "steps.csv").write_text("\n".join(["step,loss,lr", *rows]) + "\n")
    return conclude(folder, "en", only={"td"})


def item(found: dict, id: str) -> dict:
    return next(entry for entry in found["beyond"] if entry["id"] == id)


def test_losses_alone_say_what_they_can(tmp_path: Path) -> None:
    found = of_steps(tmp_path, falling(300))
    assert found["outcome"]["state"] == "unknown" and found["outcome"]["constant"] is None
    assert found["outcome"]["start"] > 2 > 0.5 > found["outcome"]["end"]
    assert [item(found, id)["conclusion"] for id in ("td.01", "td.08", "td.09")] == ["undecided", "undecided", "ok"]


def test_a_loss_that_ends_in_nan_diverged(tmp_path: Path) -> None:
    losses = np.append(falling(100), np.full(60, np.nan))
    found = of_steps(tmp_path, losses)
    assert (found["outcome"]["state"], found["outcome"]["step"]) == ("diverged", 101)
    assert item(found, "td.01")["conclusion"] == "problem"


def test_a_rise_for_good_after_a_jump_of_the_rate_is_a_problem_and_one_after_a_restart_is_not(tmp_path: Path) -> None:
    noise = 0.02 * np.random.default_rng(3).standard_normal(400)
    lost = falling(400) + noise
    lost[250:] += 3
    jump = np.where(np.arange(400) < 250, 0.1, 5.0)
    (tmp_path / "lost").mkdir()
    one = item(of_steps(tmp_path / "lost", lost, jump), "td.09")
    assert one["conclusion"] == "problem" and "step 251" in one["summary"] and "from 0.1 to 5" in one["summary"]
    (tmp_path / "restart").mkdir()
    back = falling(400) + noise
    back[250:265] += 1
    restarts = 0.1 * (1 + np.cos(np.pi * (np.arange(400) % 250) / 250)) / 2 + 1e-4
    assert item(of_steps(tmp_path / "restart", back, restarts), "td.09")["conclusion"] == "ok"
