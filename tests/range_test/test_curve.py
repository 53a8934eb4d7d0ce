"""Bounds read off curves whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.range_test.lr_curve import Curve, rates_of


def typical(noise=0.0, seed=0, count=100, low=1e-6, high=10.0, start=1e-3, best=0.1, floor=0.5):
    """Flat at 2.3, falling from ``start`` to ``best``, then exploding."""
    rates = rates_of(low, high, count)
    where = np.log10(rates)
    down = np.clip((where - np.log10(start)) / (np.log10(best) - np.log10(start)), 0, 1)
    up = np.clip(where - np.log10(best), 0, None)
    losses = 2.3 - (2.3 - floor) * down + np.expm1(4 * up)
    return Curve(rates, losses + np.random.default_rng(seed).normal(0, noise, count) if noise else losses)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_bounds(noise):
    curve = typical(noise)
    assert curve.unavailable_reason is None
    # smoothing lags by a few of the fourteen points a decade
    assert 5e-4 < curve.lower < 5e-3
    assert 0.08 < curve.upper < 0.4
    assert curve.lower < curve.steepest < curve.upper
    assert 0.2 < curve.diverged < 5
    verdicts = [curve.judge(rate).verdict for rate in (1e-6, 0.01, 9.0, 100.0)]
    assert verdicts == ["too_small", "inside", "too_large", "too_large"]


def test_a_rate_just_over_the_best_is_inside():
    curve = typical()
    assert curve.judge(curve.upper * 1.1).verdict == "inside"


def test_still_falling_at_the_end_has_no_upper_bound():
    curve = typical(high=0.05)
    assert (curve.upper, curve.diverged) == (None, None)
    assert curve.judge(0.05).verdict == "inside"
    assert curve.judge(1.0) == ("unknown", "beyond")


@pytest.mark.parametrize(
    ("losses", "why"),
    [
        (np.linspace(2, 1, 10), "few"),
        (np.full(100, 2.3), "flat"),
        (2.3 + np.random.default_rng(0).normal(0, 0.3, 100), "flat"),
        (np.full(100, np.nan), "diverged_at_once"),
        (np.r_[2.0, 2.0, np.full(98, np.inf)], "diverged_at_once"),
        (np.zeros(100), "flat"),
        (np.linspace(1, 5, 100), "flat"),
        # falls once, bounces back, and falls again
        (np.r_[np.full(30, 2.3), np.linspace(2.3, 1, 15), np.linspace(1, 2.2, 15), np.linspace(2.2, 0.9, 40)], "rough"),
        (np.r_[np.full(40, 2.3), np.linspace(2.3, 1, 20), np.linspace(1, 2, 20), np.linspace(2, 1.1, 20)], "rough"),
    ],
)
def test_curves_that_do_not_tell(losses, why):
    curve = Curve(rates_of(1e-6, 1, len(losses)), losses)
    assert curve.unavailable_reason == why
    assert (curve.lower, curve.upper, curve.steepest) == (None, None, None)
    assert curve.judge(1e-3).verdict in ("unknown", "too_large")


def test_a_fall_at_rates_that_change_nothing_is_no_bound():
    """Easier batches, not the rate, bring the loss down at 1e-7."""
    losses = np.r_[np.full(4, 2.3), np.full(96, 1.5)]
    assert Curve(rates_of(1e-7, 10, 100), losses).unavailable_reason == "rough"


def test_one_hard_batch_is_no_divergence():
    """Twenty losses of weights that are good already, at rates that change nothing: the batches differ."""
    losses = [0.418, 0.376, 0.371, 0.594, 0.443, 0.487, 0.524, 0.491, 0.768, 0.478, 0.402, 0.467, 0.542, 0.603]
    losses = [*losses[:6], *losses]
    assert Curve(rates_of(1e-7, 1e-6, 20), losses).diverged is None
    assert Curve(rates_of(1e-7, 1, 22), [*losses, 2.1, 9.0]).diverged is not None


def test_diverged_at_a_rate_is_known_even_without_bounds():
    losses = np.full(100, 2.3)
    losses[80:] = np.nan
    curve = Curve(rates_of(1e-6, 1, 100), losses)
    assert curve.unavailable_reason == "flat"
    assert curve.judge(1.0).verdict == "too_large"
    assert curve.judge(1e-4).verdict == "unknown"


def test_negative_losses():
    curve = typical()
    shifted = Curve(curve.rates, curve.losses - 100)
    assert shifted.unavailable_reason is None
    assert shifted.lower == pytest.approx(curve.lower, rel=0.6)


def test_smoothing_by_hand():
    curve = Curve([1e-3, 1e-2], [4.0, 1.0])
    decay = 0.5  # half-life: one point
    assert curve.smoothed == pytest.approx([4.0, (decay * (1 - decay) * 4 + (1 - decay) * 1) / (1 - decay**2)])


def test_rates():
    assert rates_of(1e-4, 1e-2, 3) == pytest.approx([1e-4, 1e-3, 1e-2])
    assert rates_of(1, 3, 3, linear=True).tolist() == [1, 2, 3]
    for wrong in ((0, 1, 5), (1, 1, 5), (1, float("inf"), 5), (1e-3, 1, 1), (float("nan"), 1, 5)):
        with pytest.raises(ValueError, match="sweep"):
            rates_of(*wrong)


def test_csv_reads_back():
    import io

    import pandas as pd

    curve = typical()
    table = pd.read_csv(io.StringIO(curve.csv()))
    assert table["loss"].to_numpy() == pytest.approx(curve.losses)
    assert table["smoothed"].isna().sum() == np.isnan(curve.smoothed).sum() > 0


values = st.one_of(st.floats(allow_nan=True, allow_infinity=True, width=32), st.floats(0, 5))


@given(st.lists(values, max_size=60), st.floats(1e-9, 100))
def test_any_losses(losses, rate):
    curve = Curve(rates_of(1e-6, 1, max(2, len(losses)))[: len(losses)], losses)
    assert curve.judge(rate).verdict in ("inside", "too_small", "too_large", "unknown")
    if curve.upper is not None:
        assert curve.lower <= curve.upper
    curve.csv()
    curve.facts()


def test_a_dip_of_noise_at_rates_too_low_to_matter_is_no_fall():
    rates = np.geomspace(1e-7, 10, 100)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        losses = 0.4 - 0.3 / (1 + (8e-3 / rates) ** 2) + 0.06 * rng.normal(size=100)
        losses[5:9] -= 0.12
        curve = Curve(rates, losses)
        assert curve.unavailable_reason is None and 1e-4 < curve.for_good < 2e-2 and curve.lower <= curve.for_good


def test_a_loss_that_grows_at_the_least_rate_blames_no_rate():
    rates = rates_of(1e-7, 10.0, 40)
    curve = Curve(rates, 0.5 + 0.8 * np.arange(40.0))
    assert curve.never_falls
    assert curve.judge(1e-4).verdict == "unknown"
    fast = Curve(rates_of(1e-2, 10.0, 40), 0.5 + 0.8 * np.arange(40.0))
    assert not fast.never_falls and fast.judge(1.0).verdict == "too_large"


def test_a_few_easy_batches_at_the_start_are_no_level_to_diverge_from():
    """Batches of a small training set differ by far: the first four were easy, and those after them as usual."""
    rates, wrong = np.geomspace(1e-7, 10, 100), 0
    for seed in range(40):
        losses = np.random.default_rng(seed).gamma(3.0, 0.09, size=100)
        losses[:4] = 0.1, 0.3, 0.07, 0.04
        wrong += Curve(rates, losses).diverged is not None
        losses[80:] = np.geomspace(1.0, 1e6, 20)
        assert Curve(rates, losses).diverged < 1.0
    assert wrong <= 8  # 23 where a first level of few batches counts like a later one
