"""Targets that share a one among the labels of a sample (cg.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.shared_labels import check_shared_labels

PLACE = {"file": "train.py", "line": 4}
SHARED = {"shape": [50, 8], "min": 0.0, "max": 1.0, "distinct": 7, "one_hot": False, "rows": 800, "not_one": 0}


@pytest.mark.parametrize(
    ("kind", "changes", "found"),
    [
        ("bce_with_logits", {}, True),
        ("bce", {}, True),
        ("softmax_cross_entropy", {}, False),
        ("bce", {"not_one": 3}, False),
        ("bce", {"one_hot": True, "distinct": 2}, False),
        ("bce", {"min": 0.0125}, False),  # smoothed
        ("bce", {"distinct": 400}, False),  # probabilities of another network
        ("bce", {"shape": [50, 2]}, False),
    ],
)
def test_shares_of_one(tmp_path, kind, changes, found):
    run = Run(source={"train.py": "x = 1\n\n\nloss = f(a, b)\n"})
    run.facts["probes"] = {"losses": [{"name": "f", "kind": kind, "place": PLACE, "targets": {**SHARED, **changes}}]}
    told = check_shared_labels(run_data(tmp_path, run))
    assert (told is not None) is found
    assert not found or told.places[-1].line == 4
