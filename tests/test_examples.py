"""The examples, as the README runs them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name: str, scripts, *options: str) -> tuple:
    folder, environment = scripts.folder, scripts.environment()
    shutil.copytree(EXAMPLES / name, folder / name)
    done = subprocess.run(
        [sys.executable, "-m", "msprec", "run", "--lang", "en", "--out", "run", *options, f"{name}/train.py"],
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


def test_digits_fp16_tells_the_overflow_story(scripts) -> None:
    done, items = run_example("digits_fp16", scripts, "--probe-seconds", "2")
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


def shown(scripts, name: str):
    """What the example prints when it is started as any script."""
    shutil.copytree(EXAMPLES / name, scripts.folder, dirs_exist_ok=True)
    ran = scripts.bare()
    assert ran.status == 0, ran.err
    return ran


def test_callbacks_tell_of_skipped_updates(scripts) -> None:
    ran = shown(scripts, "callbacks")
    assert ran.err.count("8 of 8 updates skipped, 8 in a row: loss scale fixed at 2**26") == 1
    told = re.search(r"56 of 56 steps overflowed; recorded in (run_\w+)", ran.out)
    assert told, ran.out
    rows = (scripts.folder / "msprec_runs" / told.group(1) / "rank_0" / "steps.csv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + 56


def test_watch_follows_the_loss_scale(scripts) -> None:
    ran = shown(scripts, "watch")
    skipped, last, scale = re.search(
        r"(\d+) of 112 updates skipped, the last at step (\d+)\nloss scale: 2\*\*26 at first, 2\*\*(\d+) in the end",
        ran.out,
    ).groups()
    assert 4 <= int(skipped) == 26 - int(scale)
    assert int(last) >= int(skipped)
    losses = re.findall(r"epoch \d: loss ([\d.]+)", ran.out)
    assert float(losses[-1]) < 0.5 < float(losses[0])


def test_two_ranks_read_the_same_samples(scripts) -> None:
    shutil.copytree(EXAMPLES / "two_ranks", scripts.folder, dirs_exist_ok=True)
    ran = scripts.launched(2)
    log = (scripts.folder.parent / "log" / "worker_0.log").read_text("utf-8", "replace")
    assert ran.status == 0, log
    assert "✗ dp.05 Data sharded wrongly across nodes in parallel training" in log
    finding = next(x for x in scripts.json("checklist.json")["items"] if x["id"] == "dp.05")
    assert finding["summary"].startswith("The data were not divided among the ranks: rank 0 and rank 1")
    line = next(
        i for i, x in enumerate((scripts.folder / "train.py").read_text().splitlines(), 1) if "SlicesDataset(" in x
    )
    assert f"train.py:{line}" in log


def test_migration_is_told_where_it_differs(scripts) -> None:
    shutil.copytree(EXAMPLES / "migration", scripts.folder, dirs_exist_ok=True)
    for name, *argument in (("reference", "reference"), ("migrated",)):
        done = scripts.msprec("dump", "--out", name, "train.py", *argument)
        assert done.status == 0, done.err
    told = scripts.msprec("compare", "tensors", "reference", "migrated", "--lang", "en").out
    assert "The first whose inputs agree and whose output does not is activation (LeakyReLU) (step 1, forward)" in told
    same = scripts.msprec("compare", "tensors", "reference", "reference", "--lang", "en").out
    assert "27 pass, 0 fail" in same
    assert "LeakyReLU" not in same
