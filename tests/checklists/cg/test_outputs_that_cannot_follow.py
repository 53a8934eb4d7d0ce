"""cg.03 on networks whose outputs cannot follow the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import function_class
from msprec.checklists.cg.connectivity.function_class import judge_function_class


class _Outcome:
    gain = None

    def __init__(self, majority):
        self.constant = type("Constant", (), {"majority": majority})()


@pytest.mark.parametrize(
    ("facts", "gain", "majority", "found"),
    [
        ({"by": "scale", "whole": 0.99, "part": 0.41}, 0.42, None, True),
        ({"by": "sign", "whole": 0.99, "part": -0.1}, 0.0, None, True),
        ({"by": "affine", "whole": 0.83, "part": 0.1}, -2.0, 0.6, True),  # of classes, and diverged
        ({"by": "linear", "whole": 0.83, "part": 0.1}, 0.2, 0.6, True),
        ({"by": "affine", "whole": 0.95, "part": 0.8}, 0.6, 0.1, False),  # it can nearly follow them
        ({"by": "scale", "whole": 0.99, "part": 0.41}, 0.8, None, False),  # and did
        ({"by": "affine", "whole": 0.99, "part": 0.41}, None, None, False),  # solved
        (None, 0.1, None, False),
    ],
)
def test_what_such_outputs_can_tell(tmp_path, monkeypatch, facts, gain, majority, found):
    monkeypatch.setattr(function_class, "unsolved_gain", lambda _: gain)
    monkeypatch.setattr(function_class, "learning_outcome", lambda _: _Outcome(majority))
    run = Run()
    run.facts["probes"] = {"function_class": facts, "skipped": {}}
    told = judge_function_class(run_data(tmp_path, run))
    assert (told is not None) is found
    assert told is None or told.locations


@pytest.mark.parametrize(
    ("by", "widths", "gain", "found"),
    [
        ("affine", [1, 16, 16, 1], None, True),  # how far it came is not known
        ("linear", [10, 96, 96, 2], 0.5, True),
        ("affine", [10, 96, 2], 0.5, False),  # two layers may be meant to be one map of a lower rank
        ("affine", [8, 4, 2, 4, 8], 0.5, False),  # a code of fewer numbers
        ("scale", [10, 96, 96, 2], 0.5, False),
        ("affine", [10, 96, 96, 2], 0.95, False),  # a line is enough
        ("affine", None, 0.5, False),
    ],
)
def test_layers_in_a_row_for_nothing(tmp_path, monkeypatch, by, widths, gain, found):
    outcome = _Outcome(None)
    outcome.gain = gain
    monkeypatch.setattr(function_class, "learning_outcome", lambda _: outcome)
    run = Run()
    places = [{"file": "train.py", "line": 3}]
    run.facts["probes"] = {"function_class": {"by": by, "widths": widths, "places": places}, "skipped": {}}
    told = judge_function_class(run_data(tmp_path, run))
    assert (told is not None) is found
    assert told is None or told.locations[0]["line"] == 3
    entry = {"kind": "sigmoid", "operator": "Sigmoid", "cell": "1", "units": 16, "hidden": True}
    moment = {"moment": "end", "step": 9, "samples": 64, "entries": [entry]}
    run.facts["probes"]["units"] = {"moments": [moment]}  # of small signals they are nearly straight lines
    assert judge_function_class(run_data(tmp_path / "units", run)) is None
