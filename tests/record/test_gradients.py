"""Statistics of gradients against NumPy, the loss scales they can bear, and when they explode or vanish."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from msprec.record.gradient_statistics import GradientHistory, ScaleAdvice, global_norm, gradient_of, update_ratio
from msprec.record.time_budget import Budget


def test_by_hand():
    values = np.array([[3.0, -4.0, 0.0, 2.0**-26], [2.0**-15, np.nan, np.inf, -(2.0**-20)]], np.float32)
    one = gradient_of(values)
    assert one.size == 8
    assert one.norm == pytest.approx(5.0, rel=1e-6)
    assert one.max_abs == 4.0
    assert (one.zeros, one.underflow, one.subnormal, one.nonfinite) == (1 / 8, 1 / 8, 2 / 8, 2 / 8)
    assert one.level == pytest.approx(np.sqrt(25 / 5), rel=1e-6)
    scaled = gradient_of(values, scale=2.0**4)
    assert (scaled.underflow, scaled.subnormal) == (0.0, 2 / 8)


@given(arrays(np.float32, st.integers(0, 40), elements=st.floats(-1e5, 1e5, width=32)), st.integers(-10, 30))
def test_agrees_with_float16(values, power):
    one, scale = gradient_of(values, 2.0**power), np.float32(2.0**power)
    with np.errstate(all="ignore"):
        half = (values * scale).astype(np.float16)
    present = values != 0
    size = max(1, values.size)
    assert one.underflow == np.count_nonzero(present & (half == 0)) / size
    tiny = present & (half != 0) & (np.abs(half) < np.finfo(np.float16).tiny)
    assert one.subnormal == np.count_nonzero(tiny) / size
    assert one.norm == pytest.approx(np.linalg.norm(values.astype(np.float64)))
    assert sum(one.exponents.values()) == np.count_nonzero(present)


@given(arrays(np.float32, st.integers(1, 30), elements=st.floats(-(2.0**30), 2.0**30, width=32)))
def test_largest_scale_is_the_largest(values):
    advice = ScaleAdvice()
    advice.add(gradient_of(values))
    scale = advice.largest()
    if scale is None:
        assert not values.any()
        return
    assert np.abs(values).max() * scale <= 65504
    assert np.abs(values).max() * scale * 2 > 65504


def test_smallest_scale_loses_no_more_than_one_in_a_thousand():
    values = np.concatenate([np.full(1999, 2.0**-10), [2.0**-40]]).astype(np.float32)
    advice = ScaleAdvice()
    advice.add(gradient_of(values))
    assert advice.smallest() == 2.0**-14  # the one element in two thousand may go
    advice.add(gradient_of(np.full(9, 2.0**-40, np.float32)))
    assert advice.smallest() == 2.0**16
    assert ScaleAdvice().smallest() is None
    assert ScaleAdvice().largest() is None


def test_global_norm_and_update_ratio():
    gradients = {"a": gradient_of(np.array([3.0])), "b": gradient_of(np.array([4.0]))}
    assert global_norm(gradients) == pytest.approx(5.0)
    assert update_ratio(np.array([3.0, 4.0]), np.array([3.0, 4.5])) == pytest.approx(0.1)
    assert update_ratio(np.zeros(2), np.ones(2)) is None


def story(samples, weights=("first", "last")):
    told = []
    tracker = GradientHistory(lambda name, step, **facts: told.append((name, step, facts)))
    for step, levels in enumerate(samples, 1):
        tracker.add(step, {n: gradient_of(np.full(4, v, np.float32)) for n, v in levels.items()}, set(weights))
    return told


def test_exploding_names_the_layer_once():
    told = story([{"first": 1.0, "last": 1.0}] * 6 + [{"first": 1.0, "last": 500.0}] * 2)
    assert [(name, step, facts["parameter"]) for name, step, facts in told] == [("gradient_exploding", 7, "last")]


def test_a_warm_up_that_grows_does_not_explode():
    assert story([{"first": 0.01 * 1.3**k, "last": 0.01 * 1.3**k} for k in range(20)]) == []


def test_vanishing_names_the_layer_after_three_samples():
    told = story([{"first": 1e-7, "last": 1.0}] * 5)
    assert [(name, step, facts["parameter"]) for name, step, facts in told] == [("gradient_vanishing", 3, "first")]


@pytest.mark.parametrize(
    "samples",
    [
        # zero in the first step only: a zero-initialised layer behind it
        [{"first": 0.0, "last": 1.0}, {"first": 0.01, "last": 1.0}, {"first": 0.0, "last": 1.0}],
        # a bias before a normalisation: no weight
        [{"first": 0.5, "last": 1.0, "bias": 0.0}] * 5,
        # everything is small: trained to the end
        [{"first": 1e-9, "last": 1e-8}] * 5,
        [{"first": 0.0, "last": 0.0}] * 5,
    ],
)
def test_not_vanishing(samples):
    assert story(samples) == []


def test_embedding_rows_that_no_sample_uses_do_not_lower_the_level():
    rows = np.zeros((10000, 8), np.float32)
    rows[:4] = 0.01
    assert gradient_of(rows).level == pytest.approx(0.01)


def test_budget():
    budget = Budget(share=0.5, cost=1000.0)
    assert not budget.due()
    assert Budget(share=0.5).due()
    assert Budget(share=0.0, grace=1.0, cost=0.5).due()
    spent = Budget(share=0.0, grace=0.0)
    with spent.spending():
        sum(range(1000))
    assert spent.spent > 0
    assert not spent.due()
