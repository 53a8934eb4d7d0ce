"""cg.03: a pooling over all places where the target is one, and ids that become one."""

import types

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import unsolved
from msprec.checklists.cg.connectivity.merged_ids import judge_merged_ids
from msprec.checklists.cg.connectivity.pooled_places import judge_pooled_places


@pytest.mark.parametrize(
    ("share", "gain", "found"),
    [(0.97, 0.25, True), (0.97, 0.95, False), (0.97, None, False), (0.34, 0.25, False), (None, 0.25, False)],
)
def test_pooled_places(tmp_path, monkeypatch, share, gain, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    run = Run()
    run.facts["probes"] = {
        "pooled_places": {"operator": "mean", "place": {"file": "train.py", "line": 3}, "share": share}
    }
    finding = judge_pooled_places(run_data(tmp_path, run))
    assert ([one["line"] for one in finding.locations] if finding else None) == ([3] if found else None)


@pytest.mark.parametrize(
    ("share", "gain", "found"), [(0.5, 0.4, True), (0.5, 0.95, False), (0.1, 0.4, False), (0.5, None, False)]
)
def test_merged_ids(tmp_path, monkeypatch, share, gain, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    run = Run()
    one = {"operator": "clamp", "place": {"file": "train.py", "line": 3}, "before": 40, "after": 20, "share": share}
    run.facts["probes"] = {"merged_ids": one}
    assert (judge_merged_ids(run_data(tmp_path, run)) is not None) is found
