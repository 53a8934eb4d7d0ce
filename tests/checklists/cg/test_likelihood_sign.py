"""A Gaussian likelihood whose term of the variance has the wrong sign (cg.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.likelihood_sign import check_likelihood


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("loss = 0.5 * (ops.square(y - m) * ops.exp(-s) - s)", True),
        ("loss = ((y - m) ** 2 * ops.exp(-s) - 0.5 * s).mean()", True),
        ("loss = (y - m) ** 2 * ops.exp(s) + s", True),
        ("loss = 0.5 * (ops.square(y - m) * ops.exp(-s) + s)", False),
        ("loss = (y - m) ** 2 * ops.exp(s) - s", False),
        ("kl = -0.5 * (1 + s - m ** 2 - ops.exp(s))", False),
        ("loss = ops.exp(-s) * mse + s", False),
        ("kl = 0.5 * (ops.exp(s) + m ** 2 - 1 - s)", False),
    ],
)
def test_sign(tmp_path, code, found):
    told = check_likelihood(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert (told is not None) is found
