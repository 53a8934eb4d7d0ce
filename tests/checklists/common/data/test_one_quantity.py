"""Features that are one quantity (flattened pictures), and tables of several: dp.01 and ds.01 on facts."""

import pytest
from building import Run, dataset, features

INNER, EDGE = (0.0, 1.0, 0.4, 0.35), (0.0, 0.004, 0.0001, 0.0003)
TIED = {"features": 40, "levels": 256, "neighbours": 0.6, "apart": 0.1}
LOOSE = {"features": 40, "levels": None, "neighbours": 0.03, "apart": 0.03}
PIXELS = [EDGE] * 10 + [INNER] * 20 + [EDGE] * 10


def fed(rows, between=None, **changes):
    made = features(*(list(part) for part in zip(*rows)), between_features=between, **changes)
    return Run(datasets=[dataset([made])])


def mark(value, nearest, low, high, feature=3):
    return {
        "feature": feature,
        "value": value,
        "count": 30,
        "share": 0.02,
        "nearest_other": nearest,
        "others_low": low,
        "others_high": high,
        "others_distinct": 40,
        "first_samples": [1, 2],
    }


def full(low, high, bins=64):
    width = (high - low) / bins
    return {"edges": [low + i * width for i in range(bins + 1)], "counts": [5] * bins}


@pytest.mark.parametrize("between", [None, TIED, {**TIED, "levels": None}])
def test_pixels_of_a_border_are_no_other_unit(verdict, between):
    assert verdict("dp.01", fed(PIXELS, between))["conclusion"] == "ok"


def test_the_number_of_levels_suffices(verdict):
    assert verdict("dp.01", fed(PIXELS, {**LOOSE, "levels": 17}))["conclusion"] == "ok"


@pytest.mark.parametrize(
    "rows, between",
    [
        ([INNER] * 20 + [EDGE], LOOSE),  # all but one brought to 0..1, and nothing ties them
        ([(0.0, 1.0, 0.2, 0.4)] * 30 + [(0.0, 3e-3, 1e-3, 1e-3)], TIED),  # one-hot beside a number of another unit
        ([(0.0, 2.0 * 3**n, 1.0 * 3**n, 0.5 * 3**n) for n in range(-6, 1)] + [INNER] * 3, TIED),  # bounds not shared
        ([INNER, EDGE, INNER, EDGE, INNER], TIED),  # few features
    ],
)
def test_features_of_several_units_stay_a_problem(verdict, rows, between):
    assert verdict("dp.01", fed(rows, between))["conclusion"] == "problem"


def test_raw_pixels_stay_a_problem(verdict):
    raw = [tuple(255 * part for part in row) for row in PIXELS]
    assert verdict("dp.01", fed(raw, TIED))["conclusion"] == "problem"


def test_windows_that_fade_slowly_are_one_quantity(verdict):
    rows = [(-(0.87**n), 0.97 * 0.87**n, 0.0, 0.3 * 0.87**n) for n in range(40)]
    smooth = {"features": 40, "levels": None, "neighbours": 0.9, "apart": 0.2}
    assert verdict("dp.01", fed(rows, smooth))["conclusion"] == "ok"
    assert verdict("dp.01", fed(rows, {**smooth, "apart": 0.85}))["conclusion"] == "problem"
    mixed = [rows[17 * n % 40] for n in range(40)]
    assert verdict("dp.01", fed(mixed, smooth))["conclusion"] == "problem"


def test_the_end_of_a_shared_scale_is_no_mark(verdict):
    found = fed(PIXELS, TIED, suspects=[mark(1.0, 0.02, 0.0, 0.02)], histogram=full(0.0, 1.0))
    assert verdict("ds.01", found)["conclusion"] == "ok"


@pytest.mark.parametrize(
    "rows, histogram, one",
    [
        (PIXELS, {"edges": [-999.0, -500.0, 1.0], "counts": [30, 5000]}, mark(-999.0, 0.0, 0.0, 1.0)),
        (PIXELS, None, mark(-999.0, 0.0, 0.0, 1.0)),
        ([*PIXELS[:39], (0.0, 1.0, 0.4, 0.35)], full(0.0, 1.0), mark(7.5, 0.02, 0.0, 0.02)),
        ([INNER, EDGE, INNER, EDGE, INNER], full(0.0, 1.0), mark(1.0, 0.004, 0.0, 0.004, feature=1)),
    ],
)
def test_marks_stay_marks(verdict, rows, histogram, one):
    assert verdict("ds.01", fed(rows, TIED, suspects=[one], histogram=histogram))["conclusion"] == "problem"
