"""What a training reached, by its course beside a constant prediction (td.01)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.outcome.assessment import assess


@pytest.mark.parametrize(("end", "state"), [(2e-5, "learnt"), (1.2, "got_worse")])
def test_a_loss_that_rose_to_next_to_nothing(tmp_path, end, state):
    """It had fallen at once, so that the median of the first losses is below that of the last ones."""
    losses = [2.3, *[4e-5] * 60, 300.0, *[0.0] * 100, *[end * (1 + 0.01 * (n % 3)) for n in range(100)]]
    rows = [{"step": n, "loss": loss, "lr": 0.05, "batch": 32} for n, loss in enumerate(losses, 1)]
    loss = [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    assert assess(run_data(tmp_path, Run(steps=rows, loss=loss))).state == state
