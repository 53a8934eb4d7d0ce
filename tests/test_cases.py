"""Whole scripts run anew: one with a problem and one without for each item, over all styles and both modes (see case_runs.py)."""

import pytest
from case_runs import CASES, Case, assert_concluded, cases, run_case

from msprec.engine import items

LIVE = [case for case in cases() if case.live]


@pytest.mark.versions
@pytest.mark.parametrize("case", LIVE, ids=lambda case: case.name)
def test_case(case: Case, scripts) -> None:
    ran = run_case(case, scripts)
    assert ran.status == case.expected.get("exit", 0), ran.err
    scripts.no_own_errors()
    assert_concluded(case, scripts.json("checklist.json"))


def test_every_item_has_cases_and_two_of_them_live() -> None:
    for item in items():
        kinds = [path.name.split("_")[0] for path in (CASES / item.id).iterdir() if (path / "train.py").is_file()]
        assert kinds.count("problem") >= 2 and len(kinds) > kinds.count("problem"), item.id
        live = {case.conclusion == "problem" for case in LIVE if case.item == item.id}
        assert live == {True, False}, item.id
