"""mp.03 and mp.04 on scripts that are only read: the order of operations in many styles of training steps."""

import pytest
from step_scripts import CLIPPING, PENALTY

from msprec.checklist import conclude
from msprec.checklist.scripts import read_scripts

WANTED = {"problem": "problem", "ok": "ok", "na": "not_applicable", "undecided": "undecided"}


def verdict(item: str, code: str, folder) -> dict:
    script = folder / "train.py"
    script.write_text(code, encoding="utf-8")
    compile(code, "train.py", "exec")
    found = conclude(None, "en", {item}, scripts=read_scripts([script]))
    return next(entry for entry in found["items"] if entry["id"] == item)


@pytest.mark.parametrize("name", CLIPPING)
def test_clipping(name, tmp_path):
    entry = verdict("mp.03", CLIPPING[name], tmp_path)
    assert entry["conclusion"] == WANTED[name.split("_")[0]], entry["summary"]
    assert entry["locations"] or entry["conclusion"] != "problem"


@pytest.mark.parametrize("name", PENALTY)
def test_penalty(name, tmp_path):
    entry = verdict("mp.04", PENALTY[name], tmp_path)
    assert entry["conclusion"] == WANTED[name.split("_")[0]], entry["summary"]
    assert entry["locations"] or entry["conclusion"] != "problem"
