"""Another class that may be the label's own (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.own_class_drawn import own_class_drawn


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("other = (ytr[a] + rng.randint(0, 5, size)) % 5\n", True),
        ("other = (rng.integers(n_classes, size=8) + labels) % n_classes\n", True),
        ("other = (y[i] + rng.randint(1, 5, size)) % 5\n", False),
        ("other = (y[i] + 1 + rng.randint(0, 4, size)) % 5\n", False),
        ("other = (y[i] + rng.randint(0, 4, size)) % 5\n", False),  # another number than that of the classes
        ("start = (offset + rng.randint(0, n)) % n\n", False),  # a place, no class
    ],
)
def test_offsets(tmp_path, code, found):
    assert (own_class_drawn(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found
