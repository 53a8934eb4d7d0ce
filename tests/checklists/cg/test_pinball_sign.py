"""A quantile's loss whose difference is taken the other way round (cg.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.pinball_sign import check_pinball

_CODE = "def loss_of(forecast, actual):\n    e = {error}\n    return {loss}.mean()\n"
_PINBALL = "ops.maximum(q * e, (q - 1) * e)"


@pytest.mark.parametrize(
    ("error", "loss", "found"),
    [
        ("forecast - actual", _PINBALL, True),
        ("forecast - actual", "ops.maximum((self.q - 1.0) * e, self.q * e)", True),
        ("pred - y", "ops.where(e > 0, e * q, e * (q - 1))", True),
        ("actual - forecast", _PINBALL, False),
        ("forecast - actual", "ops.maximum(q * e, (1 - q) * e)", False),  # of something else
        ("forecast - actual", "ops.maximum(e, 0.1 * e)", False),
        ("a - b", _PINBALL, False),  # not known which is which
    ],
)
def test_sign(tmp_path, error, loss, found):
    code = _CODE.format(error=error, loss=loss)
    told = check_pinball(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one.line for one in told.places] if told else None) == ([2, 3] if found else None)
