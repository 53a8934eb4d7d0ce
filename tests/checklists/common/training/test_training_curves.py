"""How many epochs a training had."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.common.training.training_curves import epochs_of


@pytest.mark.parametrize(
    ("numbers", "passes", "epochs"),
    [
        ([1, 1, 2, 2, 3, 3], 3, 3),
        ([1, 1, 2, 2, 3, 3], 4, 3),  # one more pass before the training
        ([1, 1, 1, 1, 1, 1], 3, 3),  # Model.train called for an epoch at a time
        ([1, 2, 1, 2, 1, 2], 6, 6),
        ([1, 1, 1, 1, 1, 1], None, 1),
        ([None] * 6, 2, 2),
    ],
)
def test_epochs_of_model_train(tmp_path, numbers, passes, epochs):
    steps = [{"step": n, "epoch": one, "loss": 1.0} for n, one in enumerate(numbers, 1)]
    made = Run(steps=steps, datasets=[dataset()])
    made.facts["datasets"]["datasets"][0]["passes"] = passes
    assert epochs_of(run_data(tmp_path, made)) == epochs
