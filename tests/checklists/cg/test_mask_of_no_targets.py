"""cg.04: a mask that is 1 where there are no targets."""

from building import Run, run_data

from msprec.checklists.cg.loss_function.masked_targets import check_masked_targets


def test_where_it_is_told(tmp_path):
    run = Run()
    place = {"file": "train.py", "line": 7}
    facts = {"mask": 1, "targets": 0, "value": 0.0, "share": 0.5, "place": place}
    run.facts["probes"] = {"masked_targets": facts, "skipped": {}}
    told = check_masked_targets(run_data(tmp_path, run))
    assert told.places[0].line == 7 and "all 0" in str(told.summary)
    run.facts["probes"] = {"skipped": {}}
    assert check_masked_targets(run_data(tmp_path, run)) is None
