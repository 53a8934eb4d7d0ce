"""cg.03 on networks without a bias whose outputs cannot follow the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import without_bias
from msprec.checklists.cg.connectivity.without_bias import judge_without_bias


class _Outcome:
    def __init__(self, majority):
        self.constant = type("Constant", (), {"majority": majority})()


@pytest.mark.parametrize(
    ("facts", "gain", "majority", "found"),
    [
        ({"by": "scale", "whole": 0.99, "part": 0.41}, 0.42, None, True),
        ({"by": "sign", "whole": 0.99, "part": -0.1}, 0.0, None, True),
        ({"by": "scale", "whole": 0.93, "part": 0.55}, 0.1, 0.6, True),  # of classes
        ({"by": "scale", "whole": 0.99, "part": 0.95}, 0.42, None, False),  # it can follow them
        ({"by": "scale", "whole": 0.99, "part": 0.41}, 0.8, None, False),  # and did
        ({"by": "scale", "whole": 0.99, "part": 0.41}, None, None, False),  # solved
        (None, 0.1, None, False),
    ],
)
def test_what_such_outputs_can_tell(tmp_path, monkeypatch, facts, gain, majority, found):
    monkeypatch.setattr(without_bias, "unsolved_gain", lambda _: gain)
    monkeypatch.setattr(without_bias, "learning_outcome", lambda _: _Outcome(majority))
    run = Run()
    run.facts["probes"] = {"without_bias": facts, "skipped": {}}
    told = judge_without_bias(run_data(tmp_path, run))
    assert (told is not None) is found
    assert told is None or told.locations
