"""td.08: trained weights of a loss that nothing holds back, as the code reads them."""

import types

import pytest

from msprec.checklists.td.scales.weighted_away import _factors
from msprec.source.user_code import Code


@pytest.mark.parametrize(
    ("total", "found"),
    [
        ("ops.exp(-s[0]) * ce + ops.exp(-s[1]) * mse", (True, False)),
        ("ops.exp(-s[0]) * ce - 0.5 * s[0] + ops.exp(-s[1]) * mse - 0.5 * s[1]", (True, True)),
        ("ops.exp(-s[0]) * ce + ops.exp(-s[1]) * mse - s.sum()", (True, True)),
        ("ops.exp(-s[0]) * ce + s[0] + ops.exp(-s[1]) * mse + s[1]", (False, False)),
        (
            "ops.exp(-s[0]) * ce - 0.5 * s[0] + ops.exp(-s[1]) * mse + 0.5 * s[1]",
            (False, False),
        ),  # one of the two holds
        ("ops.exp(-s[0]) * ce - (0.1 - s[0])", (False, False)),
        ("ops.exp(-s[0]) * ce - -0.5 * s[0]", (False, False)),
        ("ops.exp(-s[0]) * ce + -0.5 * s[0]", (True, True)),
        ("ce * s[0] - mse", (False, False)),  # no such factor
    ],
)
def test_what_a_loss_makes_of_its_weights(total, found):
    code = f"class Loss:\n    def construct(self, ce, mse):\n        s = self.log_var\n        return {total}\n"
    places, taken_away = _factors(types.SimpleNamespace(source=Code({"train.py": code})), "log_var")
    assert (bool(places), taken_away) == found
