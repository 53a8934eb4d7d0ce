"""Whole scripts whose first non-finite value must be traced to its place: `cases/locate/<what>/`.

``expect.json``: ``step``, ``phase``, ``file``, ``line`` are exact; ``operator``, ``cell``, ``pattern``, ``samples`` where given;
``operator_is_one_of`` where two answers are defensible, with ``why``; ``lines``: so many lines further is as right.
``under``: what differs under a MindSpore whose version starts so, with ``why``.
"""

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "locate"


def _cases() -> list:
    folders = sorted(script.parent for script in CASES.glob("*/train.py"))
    return [pytest.param(folder, id=folder.name, marks=_marks(folder)) for folder in folders]


def _marks(folder: Path) -> list:
    return [pytest.mark.versions] if _expectation(folder).get("versions") else []


def _expectation(folder: Path) -> dict:
    expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    for start, differs in expected.get("under", {}).items():
        if f"{version('mindspore')}.".startswith(f"{start}."):
            expected.update(differs)
    return expected


@pytest.mark.parametrize("folder", _cases())
def test_place(folder: Path, scripts) -> None:
    expected = _expectation(folder)
    shutil.copytree(folder, scripts.folder, dirs_exist_ok=True)
    ran = scripts.observed()
    assert ran.status == expected.get("exit", 0), ran.err
    scripts.no_own_errors()
    located = [event for event in scripts.events() if event["event"] == "located"]
    assert located, scripts.events()
    first = located[0]
    if expected.get("by") == "locate":  # an error ended the run: not replayed in its process
        assert first["phase"] is None and "msprec locate" in first["why_not"]
        again = scripts.msprec("locate", str(scripts.run_folder), "--json", "-")
        assert again.status == 0, again.err
        first = {"exact": None, **json.loads(again.out)}
    assert (first["step"], first["phase"]) == (expected.get("step", first["step"]), expected["phase"]), first
    if expected["phase"] != "update":
        assert first["place"]["file"] == expected["file"]
        assert 0 <= first["place"]["line"] - expected["line"] <= expected.get("lines", 0), first
    assert first.get("exact") is not False, first
    for key in ("operator", "cell", "pattern", "samples", "elements", "input", "parameter"):
        if key in expected:
            assert first[key] == expected[key], first
    if "operator_is_one_of" in expected:
        assert first["operator"] in expected["operator_is_one_of"], first
    if expected.get("vanishes"):
        assert 0 < first["vanishes_at"] < first["scale"]


def test_there_are_enough_places() -> None:
    assert len(_cases()) >= 16
