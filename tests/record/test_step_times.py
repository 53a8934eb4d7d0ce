"""Where the time goes, on rows made by hand and against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.record.step_times import analyse

NAN = float("nan")


def test_by_hand():
    found = analyse([9, 1, 2, 3], [5, 1, 1, 1], [0, 0.5, 0.5, 0.5], [4, 4, 4, 2], tail=0.5)
    assert (found["steps"], found["first_step"]) == (4, 9.0)
    assert (found["median"], found["max"]) == (2.0, 3.0)
    assert found["p95"] == pytest.approx(np.quantile([1, 2, 3], 0.95))
    assert found["data_share"] == 3 / 9
    assert found["shares"] == {"first_step": 9 / 20, "data": 3 / 20, "compute": 6 / 20, "tail": 2 / 20}
    assert found["dominates"] == "first_step"
    assert found["throughput"] == 10 / 11
    assert found["jitter"] == pytest.approx(1.0 / 3.5)
    assert found["stalls"] == 0


def test_one_part_dominates():
    ones = np.ones(50)
    for name, parts in {
        "data": (ones, 3 * ones, 0 * ones),
        "compute": (ones, 0.1 * ones, 0 * ones),
        "tail": (ones, 0 * ones, 2 * ones),
    }.items():
        assert analyse(*parts, ones)["dominates"] == name


def test_periodic_stalls_and_where_they_are():
    compute, callbacks = np.full(101, 0.02), np.full(101, 0.001)
    callbacks[10::10] += 0.5  # a checkpoint every 10 steps
    found = analyse(compute, np.zeros(101), callbacks, np.full(101, NAN))
    assert (found["stalls"], found["stall_period"], found["stall_in"]) == (10, 10, "tail")
    assert found["stall_seconds"] == pytest.approx(0.5)


def test_stalls_that_do_not_recur_have_no_period():
    data = np.full(200, 0.001)
    data[[7, 31, 33, 90, 170]] = 0.3
    found = analyse(np.full(200, 0.01), data, np.zeros(200), np.ones(200))
    assert (found["stalls"], found["stall_period"], found["stall_in"]) == (5, None, "data")


def test_half_the_steps_slow_is_no_stall():
    compute = np.where(np.arange(100) % 2, 0.01, 0.05)
    assert analyse(compute, np.zeros(100), np.zeros(100), np.ones(100))["stalls"] == 0


def test_nothing_known():
    for rows in ([], [NAN]):
        found = analyse(rows, rows, rows, rows)
        assert found["steps"] == 0
        assert all(found[name] is None for name in ("first_step", "median", "shares", "dominates", "throughput"))
    one = analyse([9.0], [NAN], [NAN], [NAN])
    assert (one["first_step"], one["median"], one["dominates"]) == (9.0, None, "first_step")


columns = st.lists(st.tuples(*[st.one_of(st.just(NAN), st.floats(0, 1e4))] * 4), max_size=40)


@given(columns, st.floats(0, 1e5))
def test_shares_add_up(rows, tail):
    found = analyse(*(np.array(rows).reshape(-1, 4).T), tail=tail)
    if found["shares"]:
        assert sum(found["shares"].values()) == pytest.approx(1.0)
        assert found["shares"][found["dominates"]] == max(found["shares"].values())
