"""Inputs of which only the first or the last places change the loss (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.unread_places import judge_unread_places

LAST = {
    "shape": [32, 1, 32],
    "axis": 2,
    "unread": "first",
    "read": 1,
    "operator": "getitem",
    "place": {"file": "train.py", "line": 9},
    "forgets": False,
    "pads": [{"file": "train.py", "line": 3}],
}


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, [3, 9]),
        ({"unread": "last", "forgets": True, "pads": []}, [9]),
        ({"forgets": True}, None),  # a recurrent layer that has forgotten the first places
        ({"read": 7}, None),  # convolutions that see a short context
        ({"place": None}, None),
    ],
)
def test_places(tmp_path, changes, lines):
    made = Run()
    made.facts["probes"] = {"skipped": {}, "unread_places": [{**LAST, **changes}]}
    told = judge_unread_places(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == lines


@pytest.mark.parametrize(
    ("last", "lines"),
    [
        ("return self.fc(out[0])", [3, 7]),
        ("return self.fc(out[-1])", [3, 7]),
        ("return self.fc(h)", [3]),
        ("return self.fc(out[k])", [3]),
    ],
)
def test_an_element_of_a_list_that_grows(tmp_path, last, lines):
    code = "class Net:\n    def construct(self, x):\n        h = f(x[:, 0])\n        out = [h]\n        for t in range(8):\n"
    code += f"            out.append(f(h))\n        {last}\n"
    made = Run(source={"train.py": code})
    one = {**LAST, "pads": [], "unread": "last", "place": {"file": "train.py", "line": 3}}
    made.facts["probes"] = {"skipped": {}, "unread_places": [one]}
    told = judge_unread_places(run_data(tmp_path, made))
    assert [one["line"] for one in told.locations] == lines
