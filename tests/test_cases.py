"""Whole scripts run anew: some with a problem and some without for each family (see case_runs.py)."""

import pytest
from case_runs import CASES, Case, assert_concluded, cases, run_case

from msprec.engine import items

LIVE = [case for case in cases() if case.live]


def _param(case: Case):
    return pytest.param(case, id=case.name, marks=[pytest.mark.versions] if case.expected.get("versions") else [])


@pytest.mark.parametrize("case", [_param(case) for case in LIVE])
def test_case(case: Case, scripts) -> None:
    ran = run_case(case, scripts)
    assert ran.status == case.expected.get("exit", 0), ran.err
    scripts.no_own_errors()
    assert_concluded(case, scripts.json("checklist.json"))


def test_every_item_has_cases_and_at_most_two_live() -> None:
    for item in items():
        kinds = [path.name.split("_")[0] for path in (CASES / item.id).iterdir() if (path / "train.py").is_file()]
        assert kinds.count("problem") >= 2 and len(kinds) > kinds.count("problem"), item.id
        assert sum(case.item == item.id for case in LIVE) <= 2, item.id


@pytest.mark.parametrize("conclusion", ["problem", "ok"])
def test_each_family_has_a_script_live(conclusion: str) -> None:
    families = {case.item.split(".")[0] for case in LIVE if case.conclusion == conclusion}
    assert families == {item.family for item in items()}


def test_each_family_has_a_case_for_both_versions() -> None:
    covered = {case.item.split(".")[0] for case in LIVE if case.expected.get("versions")}
    assert covered == {item.family for item in items()}
