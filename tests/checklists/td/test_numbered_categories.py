"""Categories given as one number (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches import numbered_categories as judged


@pytest.mark.parametrize(
    ("by_level", "by_number", "gain", "found"),
    [(0.42, 0.03, 0.45, True), (0.42, 0.35, 0.45, False), (0.42, 0.03, 0.97, False), (0.42, 0.03, None, False)],
)
def test_levels(tmp_path, monkeypatch, by_level, by_number, gain, found):
    monkeypatch.setattr(judged, "learning_outcome", lambda _: type("Outcome", (), {"gain": gain})())
    run = Run()
    facts = {"column": 3, "columns": 4, "levels": 30, "samples": 512, "by_level": by_level, "by_number": by_number}
    run.facts["probes"] = {"category_numbers": facts, "skipped": {}}
    assert (judged.numbered_categories(run_data(tmp_path, run)) is not None) is found


def test_no_such_column(tmp_path):
    assert judged.numbered_categories(run_data(tmp_path, Run())) is None
