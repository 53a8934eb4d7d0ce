"""cg.03: a pooling over all places where the target is one, and ids that become one."""

import types

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity import pooled_places, unsolved
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
    ("agreement", "share", "gain", "convolutions", "nothing", "found"),
    [
        (0.97, 0.36, 0.25, 1, False, [6, 3, 5]),
        (0.97, 0.36, None, 1, True, [6, 3, 5]),
        (0.5, 0.36, 0.25, 1, False, None),  # neighbours do not tell the classes
        (0.97, 0.01, 0.25, 1, False, None),  # textures
        (0.97, 0.36, 0.8, 1, False, None),
        (0.97, 0.36, 0.25, 2, False, None),
        (0.97, 0.36, None, 1, False, None),
    ],
)
def test_pooled_behind_one_convolution(tmp_path, monkeypatch, agreement, share, gain, convolutions, nothing, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    monkeypatch.setattr(pooled_places, "came_to_nothing", lambda _: nothing)
    kinds = ["Conv2d"] * convolutions + ["AvgPool2d"]
    cells = [
        {"path": str(n), "class": kind, "calls": 1, "created": {"file": "train.py", "line": 5 + n}}
        for n, kind in enumerate(kinds)
    ]
    run = Run()
    run.facts["probes"] = {
        "graph": {"cells": cells},
        "label_control": {"agreement": agreement},
        "pooled_places": {"operator": "AvgPool2d", "place": {"file": "train.py", "line": 3}, "share": share},
    }
    finding = judge_pooled_places(run_data(tmp_path, run))
    assert ([one["line"] for one in finding.locations] if finding else None) == found


@pytest.mark.parametrize(
    ("share", "gain", "found"), [(0.5, 0.4, True), (0.5, 0.95, False), (0.1, 0.4, False), (0.5, None, False)]
)
def test_merged_ids(tmp_path, monkeypatch, share, gain, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    run = Run()
    one = {"operator": "clamp", "place": {"file": "train.py", "line": 3}, "before": 40, "after": 20, "share": share}
    run.facts["probes"] = {"merged_ids": one}
    assert (judge_merged_ids(run_data(tmp_path, run)) is not None) is found


@pytest.mark.parametrize(
    ("rows", "last", "code", "found"),
    [
        (80, 3000, "ids = np.clip(ids, 0, LENGTH - 1)\n", True),
        (80, 300, "ids = np.clip(ids, 0, LENGTH - 1)\n", False),
        (12, 3000, "ids = np.clip(ids, 0, LENGTH - 1)\n", False),  # the last word is the unknown one
        (80, 3000, "ids = numbered(words)\n", False),
    ],
)
def test_ids_that_the_data_were_clipped_to(tmp_path, monkeypatch, rows, last, code, found):
    monkeypatch.setattr(unsolved, "learning_outcome", lambda _: types.SimpleNamespace(gain=0.1))
    words = column("tok", dtype="int32", kind="int", shape=[12], min=0, max=11)
    words["element_values"] = {"0": 2500, **{str(n): 400 for n in range(2, 11)}, "11": last}
    run = Run(datasets=[dataset([words])], source={"train.py": code})
    look = {"table": "emb", "rows": rows, "input": 0, "inputs": 2, "place": {"file": "train.py", "line": 1}}
    run.facts["probes"] = {"lookups": [look]}
    finding = judge_merged_ids(run_data(tmp_path, run))
    assert ([one["line"] for one in finding.locations] if finding else None) == ([1] if found else None)
