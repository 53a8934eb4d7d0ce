"""Adam's betas in each other's place (hp.01)."""

import pytest
from building import Run, optimizer, run_data

from msprec.checklists.hp.learning_rate.exchanged_betas import exchanged_betas


@pytest.mark.parametrize(
    ("betas", "found"),
    [
        ([0.999, 0.9], True),
        ([0.9, 0.999], False),
        ([0.9, 0.95], False),
        ([0.5, 0.9], False),
        ([0.95, 0.91], False),  # below the root
        ([0.9, 0.9], False),
        ([], False),
    ],
)
def test_betas(tmp_path, betas, found):
    one = optimizer(**{"class": "Adam", "betas": betas})
    data = run_data(tmp_path, Run(optimizer=[one]))
    assert (exchanged_betas(data, data.optimizers, []) is not None) is found
