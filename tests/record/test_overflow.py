"""The one definition of overflow and of a settled scale, against arithmetic by hand."""

import warnings

import numpy as np
import pytest

from msprec.callbacks.step_counters import ScaleTally
from msprec.record.overflow_rules import ScalerRule, ends_search, overflow_of, search_length


@pytest.mark.parametrize(
    ("kind", "flags", "length"),
    [
        ("dynamic", [1, 1, 1, 0, 1, 0], 3),
        ("dynamic", [0, 1, 1], 0),
        ("dynamic", [1, 1], 2),
        ("dynamic", [], 0),
        ("fixed", [1, 1, 0], 0),
        ("none", [1, 0], 0),
        (None, [1, 0], 0),
    ],
)
def test_the_search_ends_with_the_first_update(kind, flags, length):
    assert search_length(kind, flags) == length
    assert search_length(kind, np.array(flags, bool)) == length


def rows(flags, scale=8.0):
    return [{"step": i, "overflow": bool(f), "next_scale": scale} for i, f in enumerate(flags, 1)]


def test_rates_before_and_after_the_search():
    # steps:  1  2  3  4  5  6  7  8    settled at 4; 5 steps from there on, 2 of them overflow
    flags = [1, 1, 1, 0, 0, 1, 1, 0]
    tally = ScaleTally()
    tally.starts({"kind": "dynamic", "floor": 1.0, "overflow_from": "flag"})
    tally(rows(flags[:5]))
    tally(rows(flags)[5:])
    told = tally.summary()
    assert (told["settled_step"], told["settled_rate"]) == (4, 2 / 5)
    assert (told["overflows"], told["overflow_rate"]) == (5, 5 / 8)
    assert (told["first_overflow"], told["last_overflow"], told["longest_streak"]) == (1, 7, 3)
    assert tally.overflowed.tolist() == [1, 2, 3, 6, 7]


def test_the_check_and_the_monitor_settle_at_the_same_step():
    from types import SimpleNamespace

    from msprec.checklists.mp.overflow.loss_scale_history import LossScaleHistory
    from msprec.record.reader import Steps

    draw = np.random.RandomState(0)
    for kind in ("dynamic", "fixed"):
        for _ in range(50):
            flags = draw.rand(12) < draw.rand()
            tally = ScaleTally()
            tally.starts({"kind": kind})
            tally(rows(flags))
            body = [[str(i), str(int(f)), "8.0"] for i, f in enumerate(flags, 1)]
            run_data = SimpleNamespace(steps=lambda rank, b=body: Steps(["step", "overflow", "scale"], b))
            story = LossScaleHistory(run_data, 0, kind, 1.0)
            settled = None if story.search == story.n else story.step(story.search)
            assert tally.summary()["settled_step"] == settled
            if settled is not None:
                assert tally.summary()["settled_rate"] == story.overflows_after / story.after


def test_without_a_flag_the_loss_tells_where_a_scale_is_used():
    row = {"step": 1, "loss": float("inf")}
    assert overflow_of(row, "loss") is True
    assert overflow_of({**row, "loss": 1.0}, "loss") is False
    assert overflow_of(row, None) is None
    assert overflow_of({**row, "overflow": 0}, "loss") is False
    assert ends_search("dynamic", True) is False
    tally = ScaleTally()
    tally.starts({"kind": "fixed", "overflow_from": "loss"})
    tally([{"step": 1, "loss": 1.0}, {"step": 2, "loss": float("nan")}, {"step": 3}])
    told = tally.summary()
    assert (told["overflow_from"], told["flagged_steps"], told["overflows"], told["overflow_rate"]) == (
        "loss",
        0,
        1,
        0.5,
    )


def adjusted(scale, counter, finite, factor, window):
    """``DynamicLossScaler.adjust`` in NumPy float32."""
    scale, factor = np.float32(scale), np.float32(factor)
    with np.errstate(over="ignore"):
        higher = scale * factor
    if not finite:
        return max(np.float32(1), scale / factor), 0
    if counter == window - 1 and np.isfinite(higher):
        scale = higher
    return scale, (counter + 1) % window


@pytest.mark.parametrize("window", [1, 2, 3, 10])
@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("start", [1.0, 1.5, 8.0, 3e38])
def test_the_scalers_state_tells_the_overflow(window, factor, start):
    draw = np.random.RandomState(1)
    rule, state = ScalerRule(factor, window), (np.float32(start), 0)
    if start == 1.0:  # a scaler that has come to the floor was adjusted before
        assert rule.overflow((8.0, 0), adjusted(8.0, 0, False, factor, window)) is True
    for chance in (0.1, 0.9, 0.5):
        for _ in range(60):
            finite = bool(draw.rand() > chance)
            after = adjusted(*state, finite, factor, window)
            assert rule.overflow(state, after) is not finite, (state, after)
            state = after


def test_a_scaler_that_was_not_adjusted_tells_nothing():
    rule = ScalerRule(2, 3)
    assert rule.overflow((1.0, 0), (1.0, 0)) is None  # nothing known yet: perhaps the floor, perhaps not adjusted
    assert rule.overflow((8.0, 1), (8.0, 1)) is None
    assert rule.overflow((8.0, 1), (4.0, 0)) is True
    assert rule.overflow((1.0, 0), (1.0, 0)) is None  # it is adjusted in some steps only
    assert rule.overflow((8.0, 0), (2.0, 0)) is None  # twice


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (
            {"kind": "fixed", "initial": 2.0**18, "drop_overflow_update": True},
            "8 in a row: loss scale fixed at 2**18",
        ),
        ({"kind": "fixed", "initial": 1000.0, "drop_overflow_update": True}, "loss scale fixed at 1000"),
        ({"kind": "fixed", "initial": 2.0**18, "drop_overflow_update": False}, None),
        ({"kind": "dynamic", "initial": 2.0**24, "drop_overflow_update": True}, None),
    ],
)
def test_updates_that_a_fixed_scale_skips_are_told_once(facts: dict, told) -> None:
    tally = ScaleTally(lambda *_, **__: None)
    tally.starts({**facts, "overflow_from": "flag"})
    rows = [{"step": 1, "overflow": 0}] + [{"step": step, "overflow": 1} for step in range(2, 40)]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        tally(rows)
    assert [str(one.message) for one in heard if told is None or told not in str(one.message)] == []
    assert len(heard) == (told is not None)
