"""Where MindSpore is not installed: what reads works, what has to run a script says what to install."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# an import of MindSpore fails as where it is not installed, and the finders know of none
HIDDEN = "import sys\nsys.modules['mindspore'] = None\nfrom msprec.cli import main\nmain({!r}, prog_name='msprec')\n"


def msprec(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    code = HIDDEN.format([str(argument) for argument in arguments])
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder, a script, and files to compare."""
    (tmp_path / "run" / "rank_0").mkdir(parents=True)
    facts = {"schema": 1, "started": "s", "ended": "e", "training_steps": 3, "script_imports_mindspore": True}
    (tmp_path / "run" / "run.json").write_text(json.dumps(facts))
    (tmp_path / "train.py").write_text("open('ran', 'w')\nimport mindspore\n")
    for name in ("a", "b"):
        np.savez(tmp_path / f"{name}.npz", weight=np.ones((2, 3), np.float32))
        (tmp_path / f"{name}.csv").write_text("step,loss\n1,1.0\n2,0.5\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "train.py"],
        ["run", "--twice", "train.py"],
        ["run", "--reference-weights", "a.npz", "train.py"],
        ["lr", "train.py"],
        ["dump", "train.py"],
        ["locate", "run"],
    ],
)
@pytest.mark.parametrize("lang", ["zh_CN.UTF-8", "C.UTF-8"])
def test_what_runs_a_script_says_in_one_line_what_to_install(arguments, lang, folder, monkeypatch) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    done = msprec(folder, *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "pip install mindspore 'numpy<2'" in done.stderr
    assert not (folder / "ran").exists() and not (folder / "msprec_runs").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["checklist", "--run", "run", "--out", "f.docx", "--html", "f.html", "--json", "f.json"],
        ["checklist", "--run", "run", "--reference-weights", "a.npz", "--reference-run", "a.csv"],
        ["checklist", "train.py"],
        ["checklist", "--blank", "--out", "f.docx"],
        ["explain", "mp.02"],
        ["compare", "losses", "a.csv", "b.csv"],
        ["compare", "weights", "a.npz", "b.npz"],
        ["compare", "data", "a.npz", "b.npz"],
        ["bundle", "run"],
        ["env"],
    ],
)
def test_what_reads_works(arguments, folder) -> None:
    done = msprec(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_mindspore_beside_the_script_is_taken(folder: Path) -> None:
    """`python train.py` finds it there, so `msprec run` does too."""
    (folder / "project").mkdir()
    (folder / "project" / "mindspore.py").write_text("x = 1\n")
    (folder / "project" / "train.py").write_text("import mindspore\nprint('x is', mindspore.x)\n")
    code = (
        "import importlib.util, sys\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == 'mindspore' else real(name, package)\n"
        "from msprec.cli import main\n"
        "main(['run', '--no-word', '--probe-seconds', '0', 'project/train.py'], prog_name='msprec')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert "x is 1" in done.stdout, done.stderr
