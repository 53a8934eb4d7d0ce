"""Whole scripts, each with the conclusion that its item must reach: `cases/<item>/<problem|ok|na|undecided>_<what>/`.

A new case is a new folder with a ``train.py`` and, where something beyond the folder's name is expected, an ``expect.json``:
``args`` (list), ``options`` (of msprec, list; they may name files of the case's folder), ``workers`` (of one `msrun`),
``exit`` (status of the script, default 0),
``mentions`` (places ``file:line`` that the finding must name), ``not_problem`` (other items that must not be a problem),
``versions`` (true: also under the oldest MindSpore), ``why``.
"""

import json
import shutil
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
#: Seconds for probes by the items that they decide, with a range test only where it counts; the others do without.
PROBED = {"hp.01": "120", "cg.01": "1", "cg.03": "1", "cg.04": "1", "ds.02": "8"}
CONCLUSIONS = {"problem": "problem", "ok": "ok", "na": "not_applicable", "undecided": "undecided"}


def _expectation(folder: Path) -> dict:
    file = folder / "expect.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _collect() -> list:
    found = []
    for script in sorted(CASES.glob("[a-z][a-z]*.[0-9][0-9]/*/train.py")):
        folder = script.parent
        marks = [pytest.mark.versions] if _expectation(folder).get("versions") else []
        found.append(pytest.param(folder, id=f"{folder.parent.name}-{folder.name}", marks=marks))
    return found


@pytest.mark.parametrize("folder", _collect())
def test_case(folder: Path, scripts) -> None:
    expected = _expectation(folder)
    scripts.blocking()
    shutil.copytree(folder, scripts.folder, dirs_exist_ok=True)
    args, workers = expected.get("args", []), expected.get("workers", 1)
    if workers > 1:
        ran = scripts.launched(workers, *args)
    else:
        seconds = PROBED.get(folder.parent.name, "0")
        ran = scripts.observed(*args, options=("--probe-seconds", seconds, *expected.get("options", [])))
    assert ran.status == expected.get("exit", 0), ran.err
    scripts.no_own_errors()
    items = {item["id"]: item for item in scripts.json("checklist.json")["items"]}
    item = items[folder.parent.name]
    wanted = CONCLUSIONS[folder.name.split("_")[0]]
    assert item["conclusion"] == wanted, f"{item['summary']} | {item.get('would_decide')}"
    places = {f"{p['file']}:{p['line']}" for p in item["locations"]}
    assert set(expected.get("mentions", [])) <= places
    assert places or wanted != "problem", "a problem names a place in the source"
    for other in expected.get("not_problem", []):
        assert items[other]["conclusion"] != "problem", f"{other}: {items[other]['summary']}"


def test_every_decided_item_has_cases() -> None:
    decided = (
        "ds.01",
        "ds.03",
        "dp.01",
        "dp.02",
        "dp.03",
        "hp.01",
        "hp.02",
        "hp.03",
        "api.01",
        "api.02",
        "cg.01",
        "cg.02",
        "cg.03",
        "cg.04",
        "wi.01",
        "wi.02",
        "mp.01",
        "mp.02",
        "mp.03",
        "mp.04",
    )
    for item in decided:
        names = [p.name for p in (CASES / item).iterdir() if (p / "train.py").is_file()]
        assert sum(n.startswith("problem_") for n in names) >= 2, item
        assert sum(not n.startswith("problem_") for n in names) >= 1, item
