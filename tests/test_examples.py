"""The three examples, as the README runs them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name: str, scripts) -> tuple:
    folder, environment = scripts.folder, scripts.blocking().environment()
    shutil.copytree(EXAMPLES / name, folder / name)
    done = subprocess.run(
        [sys.executable, "-m", "msprec", "run", "--lang", "en", "--out", "run", f"{name}/train.py"],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    checklist = json.loads((folder / "run" / "checklist.json").read_text(encoding="utf-8"))
    return done, {item["id"]: item for item in checklist["items"]}


def pages(document: Path) -> int:
    """How many pages LibreOffice makes of the report; 0 on a machine without it."""
    office, counter = shutil.which("soffice"), shutil.which("pdfinfo")
    if office is None or counter is None:
        return 0
    profile = f"-env:UserInstallation={(document.parent / 'office').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "pdf", "--outdir", str(document.parent), str(document)]
    subprocess.run(command, check=True, capture_output=True)
    told = subprocess.run(
        [counter, str(document.with_suffix(".pdf"))], check=True, capture_output=True, text=True
    ).stdout
    return int(re.search(r"Pages:\s+(\d+)", told).group(1))


def _ids(items: dict, conclusion: str) -> set:
    return {i for i, item in items.items() if item["conclusion"] == conclusion}


def test_digits_is_healthy(scripts) -> None:
    done, items = run_example("digits", scripts)
    assert _ids(items, "problem") == set()
    # it may be 1.0, which a search for 0\.… would miss
    assert float(re.findall(r"accuracy on the test set: ([\d.]+)", done.stdout)[-1]) > 0.95
    assert pages(scripts.folder / "run" / "checklist.docx") <= 6


@pytest.mark.versions
def test_digits_fp16_tells_the_overflow_story(scripts) -> None:
    done, items = run_example("digits_fp16", scripts)
    events = [json.loads(x) for x in (scripts.folder / "run/rank_0/events.jsonl").read_text().splitlines()]
    assert any(e["event"] == "overflow_streak" for e in events)
    assert any(e["event"] == "cpu_loss_scale" for e in events)
    assert any(e.get("figure") == "loss_scale" for e in items["mp.01"]["evidence"])
    assert re.search(r"\d+ overflow|overflow", items["mp.01"]["summary"])
    assert "finite check" in done.stderr
    assert len(_ids(items, "undecided")) <= 6, _ids(items, "undecided")


def test_digits_trouble_is_found(scripts) -> None:
    _, items = run_example("digits_trouble", scripts)
    families = {i.split(".")[0] for i in _ids(items, "problem")}
    assert len(families) >= 4, _ids(items, "problem")
    for item in _ids(items, "problem"):
        assert items[item]["locations"], item
    assert pages(scripts.folder / "run" / "checklist.docx") <= 14
