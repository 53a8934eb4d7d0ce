"""Inputs that are damaged, of another version or of another kind: each is told in one line that names the user's file."""

import csv
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from msprec.cli import main
from msprec.cli.common import table_csv
from msprec.range_test.lr_curve import Curve


def ask(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "facts").mkdir(parents=True)
    (folder / "run.json").write_text(
        json.dumps({"schema": 1, "script": "train.py", "training_steps": 3}), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("rest", [["--run", "RUN"], ["--blank", "--json", "-"], ["train.py"]])
def test_an_item_that_does_not_exist_is_refused_everywhere(run: Path, rest: list) -> None:
    done = ask("checklist", "--only", "zz.99", *[str(run) if word == "RUN" else word for word in rest])
    assert done.exit_code == 2 and "no such item or family: zz.99" in done.output


def test_a_run_folder_is_no_folder_of_scripts(run: Path) -> None:
    done = ask("checklist", run)
    assert done.exit_code == 2 and f"name it with --run {run}" in done.output


def test_a_blank_form_is_whole(tmp_path: Path) -> None:
    done = ask("checklist", "--blank", "--only", "mp", "--json", "-")
    assert done.exit_code == 2 and "leave out --only" in done.output


@pytest.mark.parametrize("option", ["--out", "--update"])
def test_a_report_is_a_word_document(run: Path, tmp_path: Path, option: str) -> None:
    done = ask("checklist", "--run", run, option, tmp_path / "x.pdf")
    assert (
        done.exit_code == 2
        and "x.pdf: the report is a Word document" in done.output
        and not (tmp_path / "x.pdf").exists()
    )


def test_a_fact_file_that_cannot_be_read_is_told(run: Path, tmp_path: Path) -> None:
    (run / "facts" / "datasets.json").write_text('{"datasets": [', encoding="utf-8")
    (run / "facts" / "parameters.json").mkdir()
    done = ask("checklist", "--run", run, "--lang", "en", "--json", tmp_path / "c.json")
    assert done.exit_code == 0
    for name in ("facts/datasets.json", "facts/parameters.json"):
        assert f"cannot be read, and counts in no conclusion: {name}: " in done.output
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [line.split(":")[0] for line in sorted(found["unreadable"])] == [
        "facts/datasets.json",
        "facts/parameters.json",
    ]
    (run / "facts" / "datasets.json").unlink()
    (run / "facts" / "parameters.json").rmdir()
    done = ask("checklist", "--run", run, "--lang", "en", "--json", tmp_path / "c.json")
    assert "cannot be read" not in done.output and "unreadable" not in json.loads(
        (tmp_path / "c.json").read_text(encoding="utf-8")
    )


def test_a_newer_schema_names_the_users_file(tmp_path: Path) -> None:
    data = b'{"schema": 99}'
    entry = {"path": "run/run.json", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with zipfile.ZipFile(tmp_path / "q.zip", "w") as packed:
        packed.writestr("manifest.json", json.dumps({"schema": 1, "files": [entry]}))
        packed.writestr("run/run.json", data)
    done = ask("checklist", "--bundle", tmp_path / "q.zip")
    assert done.exit_code == 2 and f"{tmp_path / 'q.zip'}: written by a newer msprec (schema 99" in done.output
    assert "msprec-bundle-" not in done.output


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb", "=1+1"])
def test_odd_texts_in_a_run_folder(run: Path, tmp_path: Path, text: str) -> None:
    (run / "run.json").write_text(
        json.dumps(
            {"schema": 1, "script": f"{text}.py", "training_steps": 3, "command": ["python", text], "notes": [text]}
        ),
        encoding="utf-8",
    )
    (run / "facts" / "parameters.json").write_text(
        json.dumps({"parameters": [{"name": text, "shape": [2]}]}), encoding="utf-8"
    )
    for option in (
        ("--json", tmp_path / "c.json"),
        ("--out", tmp_path / "c.docx"),
        ("--html", tmp_path / "c.html"),
        ("--markdown", "-"),
        ("--junit", "-"),
    ):
        done = ask("checklist", "--run", run, *option)
        assert done.exit_code == 0, done.output
    assert ask("bundle", run, "--out", tmp_path / "q.zip").exit_code == 0
    assert ask("checklist", "--bundle", tmp_path / "q.zip").exit_code == 0


def test_cells_of_a_table_are_no_formulas() -> None:
    rows = [{"name": '=HYPERLINK("x")', "value": -0.5, "text": "-1.5", "other": "+cmd", "at": "@x"}]
    head, cells = csv.reader(io.StringIO(table_csv(rows).decode("utf-8")))
    assert dict(zip(head, cells)) == {
        "name": '\'=HYPERLINK("x")',
        "value": "-0.5",
        "text": "-1.5",
        "other": "'+cmd",
        "at": "'@x",
    }


def test_a_curve_tells_what_it_found() -> None:
    text = str(Curve([1e-4, 1e-3], [1.0, 0.9]))
    assert (
        text
        == "Curve(lower=None, steepest=None, upper=None, diverged=None, unavailable_reason='few'; 2 steps from 0.0001 to 0.001)"
    )


def test_a_callback_without_mindspore_says_what_to_install() -> None:
    code = "import sys\nsys.modules['mindspore'] = None\nfrom msprec import PrecisionMonitor\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert (
        done.returncode == 1
        and last.startswith("ImportError: msprec.PrecisionMonitor: this needs MindSpore")
        and "pip install mindspore" in last
    )
    assert "ModuleNotFoundError" not in done.stderr


def test_a_lone_surrogate_in_a_run_folder(run: Path, tmp_path: Path) -> None:
    """As Python reads a file name that is no UTF-8."""
    odd = "tr\udc80ain.py"
    facts = json.loads((run / "run.json").read_text(encoding="utf-8"))
    seed = {"function": "mindspore.set_seed", "value": "\ud800", "place": {"file": odd, "line": 1}}
    facts.update(script=f"/home/{odd}", cwd="/home", command=["python", odd], seeds=[seed])
    (run / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    forms = [
        word
        for option, name in (("--out", "a.docx"), ("--json", "a.json"), ("--html", "a.html"), ("--markdown", "a.md"))
        for word in (option, tmp_path / name)
    ]
    done = ask("checklist", "--run", run, "--lang", "en", *forms, "--junit", tmp_path / "a.xml")
    assert done.exit_code == 0, done.output
    assert {path.suffix for path in tmp_path.glob("a.*")} == {".docx", ".json", ".html", ".md", ".xml"}
    for path in tmp_path.glob("a.[jhmx]*"):
        path.read_text(encoding="utf-8")
