"""A dropout of the inputs themselves (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import dropped_inputs

HEAD = "class Net(nn.Cell):\n    def construct(self, x):\n"


@pytest.mark.parametrize(
    ("body", "share", "nothing", "line"),
    [
        ("        x = self.drop(x)\n        return self.fc(x)\n", 0.6, True, 3),
        ("        return self.fc(self.drop(x))\n", 0.6, True, 3),
        ("        x = self.drop(x)\n        return self.fc(x)\n", 0.2, True, None),
        ("        x = self.drop(x)\n        return self.fc(x)\n", 0.6, False, None),
        ("        x = self.fc(x)\n        return self.drop(x)\n", 0.6, True, None),
        ("        h = self.fc(x)\n        return self.out(self.drop(h))\n", 0.6, True, None),
    ],
)
def test_own_class(tmp_path, monkeypatch, body, share, nothing, line):
    cells = [("", "Net", ""), ("drop", "Dropout", f"p={share}"), ("fc", "Dense", "")]
    assert judged(tmp_path, monkeypatch, "Net", cells, nothing, HEAD + body) == ([line] if line else None)


@pytest.mark.parametrize(("path", "found"), [("0", [9]), ("1", None)])
def test_row(tmp_path, monkeypatch, path, found):
    cells = [("", "SequentialCell", ""), (path, "Dropout", "keep_prob=0.4"), ("2", "Dense", "")]
    assert judged(tmp_path, monkeypatch, "SequentialCell", cells, True, "\n" * 9) == found


def judged(folder, monkeypatch, name, cells, nothing, source):
    monkeypatch.setattr(dropped_inputs, "came_to_nothing", lambda _: nothing)
    made = {"file": "train.py", "line": 9} if name == "SequentialCell" else None
    facts = [
        {"path": path, "class": kind, "args": args, "builtin": bool(path), "created": made}
        for path, kind, args in cells
    ]
    run = Run(network=[{"class": name, "cells": facts, "place": None}], source={"train.py": source})
    told = dropped_inputs.judge_dropped_inputs(run_data(folder, run))
    return [one["line"] for one in told.locations] if told else None
