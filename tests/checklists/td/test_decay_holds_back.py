"""td.08: what training on without the weight decay gains."""

import pytest
from building import Run, optimizer, run_data

from msprec.checklists.td.scales import decay
from msprec.checklists.td.scales.decay import decay_holds_back


class _Further:
    level, before, apart = 1.0, 0.14, True

    def __init__(self, after):
        self.own = type("Own", (), {"after": after})()


@pytest.mark.parametrize(
    ("kept", "freed", "found"),
    [
        (0.5, 0.3, True),  # much of what there was to lose
        (0.5, 0.4, False),
        (0.13, 0.02, True),  # a part of what is left
        (0.13, 0.06, False),
        (0.05, 0.01, False),  # nearly all was learnt with it
    ],
)
def test_what_is_gained(tmp_path, monkeypatch, kept, freed, found):
    monkeypatch.setattr(_Further, "before", kept)
    monkeypatch.setattr(decay, "further_training", lambda _: _Further(kept))
    run = Run(optimizer=[optimizer(weight_decay=0.3)])
    run.facts["probes"] = {"further": {"rate": 0.1, "without_decay": {"steps": 90, "after": [freed]}}, "skipped": {}}
    told = decay_holds_back(run_data(tmp_path, run))
    assert (told is not None) is found
