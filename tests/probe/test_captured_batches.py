"""What the step received beside what was delivered, and what an optimizer was given beside computed gradients."""

import numpy as np
import pytest

from msprec.probe.data.received_batches import received_facts
from msprec.probe.training.update_gradients import Given, _compared

RNG = np.random.default_rng(5)
X = RNG.normal(size=(8, 3)).astype(np.float32)
Y = np.array([0, 1, 0, 1, 2, 2, 0, 1], np.int32)
ORDER = np.array([3, 0, 1, 2, 7, 6, 5, 4])


class Array:
    """A tensor as far as the probe looks at it."""

    def __init__(self, values):
        self.values, self.dtype, self.shape = values, str(values.dtype), values.shape

    def asnumpy(self):
        return self.values


class Material:
    def __init__(self, *received):
        self.delivered = [{"x": X, "y": Y}] * 3
        self.batches = [tuple(Array(one) for one in received)] * 3


def permuted(*received):
    return [(one["rows"], one["against"]) for one in received_facts(Material(*received))["permuted"]]


def test_rows_that_no_longer_belong_to_each_other_are_told():
    assert permuted(X[ORDER], Y) == [("x", "y")]
    assert permuted(X, Y) == permuted(X[ORDER], Y[ORDER]) == []
    assert permuted(X, X[ORDER], Y, Y[ORDER]) == [], "mixup hands both orders in"
    assert permuted(X[ORDER] * 2, Y) == [], "other values: nothing is known of their order"


def test_zeros_in_place_of_a_column_are_told():
    assert received_facts(Material(np.zeros_like(X), Y))["zeroed"] == ["x"]
    assert received_facts(Material(X, np.zeros_like(X), Y))["zeroed"] == [], "a state that starts at zero"


@pytest.mark.parametrize(("factor", "left"), [(1.0, 0.0), (2.0, 0.0), (0.25, 0.0), (1.0, 1.0), (1.0, 0.9), (0.25, 1.0)])
def test_what_an_optimizer_is_given_is_taken_apart(factor, left):
    own, before = [RNG.normal(size=40) for _ in range(2)], RNG.normal(size=40)
    found = _compared(Given(4, factor * (own[0] + own[1]) + left * before, own, before, len(own)))
    assert (found["factor"], found["left"]) == pytest.approx((factor, left), abs=1e-9)
    assert found["parts"] == 2 and not found["last_alone"]
    assert found["rest"] < 1e-9
    assert _compared(Given(4, RNG.normal(size=40), own, before, len(own)))["rest"] > 0.5


def test_sums_that_were_clipped_to_a_millionth_are_taken_apart():
    """What was given before is then as small, beside the gradients that were computed."""
    own, before = [1e3 * RNG.normal(size=40)], 1e-3 * RNG.normal(size=40)
    found = _compared(Given(4, 1e-6 * own[0] + 0.5 * before, own, before, 1))
    assert (found["factor"], found["left"]) == pytest.approx((1e-6, 0.5), rel=1e-6)
    assert found["rest"] < 1e-9
