"""The cases of the items that the source decides, read without being run: the conclusion is the same."""

import json
from pathlib import Path

import pytest

from msprec.engine import conclude
from msprec.source.static_input import read_reference, read_scripts

CASES = Path(__file__).parents[1] / "cases"
WANTED = {"problem": "problem", "ok": "ok", "na": "not_applicable", "undecided": "undecided"}
#: The argument of the command decides them.
_BY_COMMAND = {"mp.03/na_scale_of_one"}
#: So does the number of steps that were made.
_BY_RUN = {"api.01/problem_statistics_that_hardly_move"}


def cases() -> list:
    found = [
        f"{item}/{folder.name}" for item in ("api.01", "mp.03", "mp.04") for folder in sorted((CASES / item).iterdir())
    ]
    return [name for name in found if name not in _BY_COMMAND | _BY_RUN]


@pytest.mark.parametrize("name", cases())
def test_read(name, monkeypatch):
    item, _, folder = name.partition("/")
    monkeypatch.chdir(CASES / name)
    expected = json.loads(Path("expect.json").read_text(encoding="utf-8"))
    options = expected.get("options", [])
    reference = read_reference(options[1]) if options else None
    found = conclude(None, "en", {item}, scripts=read_scripts(["train.py"]), reference=reference)
    entry = next(entry for entry in found["items"] if entry["id"] == item)
    assert entry["conclusion"] == WANTED[folder.split("_")[0]], entry["summary"]
    places = {f"{place['file']}:{place['line']}" for place in entry["locations"]}
    assert set(expected.get("mentions", [])) <= places
