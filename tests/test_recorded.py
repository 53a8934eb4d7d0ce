"""All cases concluded from their recorded run folders: no training, the same conclusions (see recordings.py)."""

import pytest
from case_runs import Case, assert_concluded, cases
from recordings import made_with, stale, unpack

from msprec.engine import conclude, runner

CASES = cases()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The folder with an item's recordings, unpacked once."""
    folders: dict = {}

    def of(item: str):
        if item not in folders:
            folders[item] = unpack(item, tmp_path_factory.mktemp(item))
        return folders[item]

    return of


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=pytest.mark.xdist_group(f"recorded {c.item}"), id=c.name) for c in CASES]
)
def test_recorded_case(case: Case, recorded, monkeypatch) -> None:
    broken = []
    for name in ("_failed", "_not_made"):  # what keeps a defect of one check from costing the other conclusions
        original = getattr(runner, name)
        monkeypatch.setattr(runner, name, lambda error, of=original: broken.append(repr(error)) or of(error))
    assert_concluded(case, conclude(recorded(case.item) / case.folder.name))
    assert not broken


def test_recordings_are_up_to_date() -> None:
    made = made_with()
    old = [case.name for case in CASES if stale(case, made)]
    assert not old, f"{len(old)} recordings are stale ({', '.join(old[:5])}, …): python tests/recordings.py"
