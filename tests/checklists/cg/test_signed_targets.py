"""cg.04: losses whose targets are to be 1 and -1."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.signed_targets import unsigned_targets


@pytest.mark.parametrize(
    ("low", "high", "other", "wrong"),
    [
        (0.0, 1.0, 8, True),
        (-1.0, 1.0, 0, False),
        (-1.0, 1.0, 3, False),  # pairs that are to count for nothing
        (0.0, 0.9, 16, False),  # another kind of target
        (1.0, 1.0, 0, False),
    ],
)
def test_targets(tmp_path, low, high, other, wrong):
    entry = {"name": "CosineEmbeddingLoss", "place": {"file": "train.py", "line": 1}}
    run = Run(source={"train.py": "loss = criterion(net(a), net(b), target)\n"})
    run.facts["probes"] = {
        "signed_targets": [{**entry, "min": low, "max": high, "elements": 16, "other": other}],
        "skipped": {},
    }
    found = unsigned_targets(run_data(tmp_path, run))
    assert bool(found) is wrong
    assert not wrong or "50 % are 0" in str(found[0])
