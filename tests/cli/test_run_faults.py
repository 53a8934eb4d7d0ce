"""``msprec run`` where the disk, the streams or the script are not as they should be: the script's own status, always."""

import re
import subprocess
import sys
from pathlib import Path

import pytest


def run(script: str, *options: str, folder: Path, plain: bool = False, **kwargs):
    """The script below msprec, or by itself."""
    (folder / "train.py").write_text(script, encoding="utf-8")
    command = [sys.executable, *([] if plain else ["-m", "msprec", "run", "--lang", "en", *options]), "train.py"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False, **kwargs
    )


def test_a_run_folder_that_cannot_be_made_is_replaced_by_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("print('trained'); raise SystemExit(7)", "--out", "file/run", folder=tmp_path)
    assert done.returncode == 7 and done.stdout == "trained\n"
    found = re.search(r"cannot be written \(.+\); this run is recorded in (\S+)", done.stderr)
    assert found and (Path(found[1]) / "checklist.json").is_file() and (Path(found[1]) / "checklist.docx").is_file()


def test_nowhere_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "train.py").write_text("print('trained'); raise SystemExit(7)")
    code = (
        "import tempfile\ntempfile.tempdir = '/dev/null'\nfrom msprec.cli import main\n"
        "main(['run', '--lang', 'en', '--out', 'file/run', 'train.py'])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (
        done.returncode == 7
        and done.stdout == "trained\n"
        and "no report" in done.stderr
        and "Traceback" not in done.stderr
    )


def test_a_folder_that_is_removed_by_the_script(tmp_path: Path) -> None:
    done = run("import shutil; shutil.rmtree('out'); raise SystemExit(3)", "--out", "out", folder=tmp_path)
    assert done.returncode == 3 and "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_report_for_which_there_is_no_room(tmp_path: Path) -> None:
    script = "import os\nos.symlink('/dev/full', 'out/checklist.json')\nos.symlink('/dev/full', 'out/checklist.docx')\n"
    done = run(script, "--out", "out", folder=tmp_path)
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("how", ["sys.{0}.close()", "sys.{0} = None", "os.close({1})"])
def test_a_stream_that_the_script_closes(tmp_path: Path, stream: str, how: str) -> None:
    line = how.format(stream, {"stdout": 1, "stderr": 2}[stream])
    done = run(
        f"import os, sys\nprint('trained', flush=True)\n{line}\nraise SystemExit(5)\n", "--out", "out", folder=tmp_path
    )
    assert done.returncode == 5 and done.stdout == "trained\n" and "Traceback" not in done.stderr
    assert (tmp_path / "out" / "checklist.json").is_file()


def test_a_syntax_error_is_pythons_own(tmp_path: Path) -> None:
    script = "x = 1\nif x = 2:\n    pass\n"
    plain, done = run(script, folder=tmp_path, plain=True), run(script, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert "^" in done.stderr and not list((tmp_path / "msprec_runs").glob("*"))
