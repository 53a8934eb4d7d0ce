"""Which rates the last weights are trained on with, and for how many steps."""

import pytest

from msprec.probe.training.further_training import FEWEST, MOST, POWERS, SHORT, _to_try

HIGHER = [10.0**power for power in POWERS]


@pytest.mark.parametrize(
    ("steps", "stuck", "expected"),
    [
        (20, False, [(1.0, FEWEST)]),
        (100, False, [(1.0, 200)]),
        (5000, False, [(1.0, MOST)]),
        # it may have ended before it had begun to learn: its own rate first, the others no longer than it was
        (30, True, [(1.0, SHORT), *((rate, 30) for rate in HIGHER)]),
        (SHORT, True, [(rate, SHORT) for rate in HIGHER]),
        (5000, True, [(rate, MOST) for rate in HIGHER]),
    ],
)
def test_rates_and_steps(steps, stuck, expected):
    assert _to_try(1.0, steps, stuck) == expected
