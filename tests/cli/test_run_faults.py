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


def test_two_processes_that_are_given_one_folder(tmp_path: Path) -> None:
    import json

    (tmp_path / "train.py").write_text("import sys, time\ntime.sleep(1)\nprint(sys.argv[1])\n")
    command = [sys.executable, "-m", "msprec", "run", "--lang", "en", "--out", "out", "--no-word", "train.py"]
    runs = [subprocess.Popen([*command, str(n)], cwd=tmp_path, stdout=-1, stderr=-1, text=True) for n in range(3)]
    ended = [(one.communicate(timeout=120), one.returncode) for one in runs]
    assert [out for (out, _), _ in ended] == ["0\n", "1\n", "2\n"] or any("not empty" in err for (_, err), _ in ended)
    folders = sorted(tmp_path.glob("out*"))
    assert len(folders) == sum(status == 0 for _, status in ended)
    given = [json.loads((folder / "run.json").read_text())["command"][-1] for folder in folders]
    assert len(set(given)) == len(folders)  # each its own


def test_a_claimed_folder_is_left_to_its_process(tmp_path: Path) -> None:
    from msprec.cli.run_folder import writable_or_temporary

    names = [writable_or_temporary(tmp_path / "run").name for _ in range(3)]
    assert names == ["run", "run-2", "run-3"]


def test_an_option_that_does_not_exist_and_a_notebook(tmp_path: Path) -> None:
    done = run("", "--lokate", folder=tmp_path)
    assert done.returncode == 2 and "no such option: --lokate" in done.stderr
    (tmp_path / "a.ipynb").write_text("{}")
    command = [sys.executable, "-m", "msprec", "run", "a.ipynb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (
        done.returncode == 2
        and "is a notebook" in done.stderr
        and "nbconvert" in done.stderr
        and "msprec.watch" in done.stderr
    )


def test_builtins_are_those_of_a_script(tmp_path: Path) -> None:
    script = "print(type(__builtins__), __name__, __spec__, __builtins__.len('ab'))"
    assert run(script, folder=tmp_path).stdout == run(script, folder=tmp_path, plain=True).stdout


MODULE = """import sys
from . import helper
from .helper import value
print(__name__, __package__, __spec__.name, sys.argv, sys.path[0], __file__, value, __builtins__.len("ab"))
sys.exit(4)
"""


@pytest.mark.parametrize("name", ["pack.inner.train", "pack.inner", "pack.missing"])
def test_a_module_of_a_package_runs_as_python_runs_it(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "pack" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    (inner / "helper.py").write_text("value = 3\n")
    for file in ("train.py", "__main__.py"):
        (inner / file).write_text(MODULE)
    rest = ["-m", name, "--lr", "0.1"]
    plain = subprocess.run(
        [sys.executable, *rest], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    command = [sys.executable, "-m", "msprec", "run", "--lang", "en", "--out", "out", *rest]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    if name == "pack.missing":
        assert (
            done.returncode == 2 and "no module named pack.missing" in done.stderr and not (tmp_path / "out").exists()
        )
        return
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) and done.returncode == 4
    command = [sys.executable, "-m", "msprec", "bundle", "out", "--out", "q.zip"]
    packed = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert packed.returncode == 0
    import json
    import zipfile

    with zipfile.ZipFile(tmp_path / "q.zip") as archive:
        assert json.loads(archive.read("manifest.json"))["repeat"] == f"msprec run -m {name} --lr 0.1"


@pytest.mark.parametrize("command", [["lr"], ["dump"], ["run", "--twice"]])
def test_a_syntax_error_of_another_command_is_pythons_own(tmp_path: Path, command: list) -> None:
    plain = run("if x = 2:\n    pass\n", folder=tmp_path, plain=True)
    more = [sys.executable, "-m", "msprec", *command, "train.py"]
    done = subprocess.run(more, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", plain.stderr)
    assert "^" in done.stderr and not list((tmp_path / "msprec_runs").glob("*"))


@pytest.mark.parametrize(
    ("command", "own"), [(["lr"], "run.json"), (["dump"], "msprec_dump.json"), (["run", "--twice"], "run_1/run.json")]
)
def test_two_processes_of_a_command_never_share_a_folder(tmp_path: Path, command: list, own: str) -> None:
    """Neither trains a step; what counts is where they write."""
    (tmp_path / "train.py").write_text("import time\ntime.sleep(2)\n")
    whole = [sys.executable, "-m", "msprec", *command, "--out", "out", "train.py"]
    runs = [subprocess.Popen(whole, cwd=tmp_path, stdout=-1, stderr=-1, text=True) for _ in range(2)]
    said = [one.communicate(timeout=120)[1] for one in runs]
    folders = [folder for folder in tmp_path.glob("out*") if (folder / own).exists()]
    assert len(folders) == 2 or sum("not empty" in err for err in said) == 1, said


def test_a_folder_of_remedies_is_taken_once(tmp_path: Path) -> None:
    from msprec.cli.common import Failure
    from msprec.cli.run_folder import CLAIM_OF_REMEDY, new_run_folder, own_folder

    names = [own_folder(tmp_path / "run", lambda folder: (folder / CLAIM_OF_REMEDY).mkdir()).name for _ in range(2)]
    assert names == ["run", "run-2"]
    assert new_run_folder("train.py", str(tmp_path / "run")) == tmp_path / "run"  # the script that it runs may
    (tmp_path / "run" / CLAIM_OF_REMEDY / "work").mkdir()
    with pytest.raises(Failure):
        new_run_folder("train.py", str(tmp_path / "run"))


def test_a_folder_of_the_users_stays_where_nothing_was_recorded(tmp_path: Path) -> None:
    from msprec.cli.run_folder import RUNS, forget

    for parent, stays in (("results", True), (RUNS, False)):
        folder = tmp_path / parent / "run"
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
        forget(folder)
        assert not folder.exists() and folder.parent.exists() == stays


#: Scripts that leave their process so that nothing more can be concluded in it.
SPOILT = {
    "functions": "import builtins, json\ndef no(*a, **k): raise RuntimeError\n"
    "builtins.open = json.load = json.loads = json.dumps = no\n",
    "limit": "import sys\nsys.setrecursionlimit(60)\n",
    "path": "import sys\nsys.path[:] = []\n",
    "module": "import docx, click\nassert docx.OWN == click.OWN == 1\n",
    "streams": "import io, sys\nsys.stderr = io.StringIO()\n",
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_report_is_made_whatever_the_script_has_replaced(tmp_path: Path, what: str) -> None:
    if what == "module":
        for name in ("docx", "click"):
            (tmp_path / f"{name}.py").write_text("OWN = 1\n")
    done = run(SPOILT[what] + "raise SystemExit(5)\n", "--out", "out", folder=tmp_path)
    assert done.returncode == 5, done.stderr
    assert "no report" not in done.stderr and "Traceback" not in done.stderr
    assert (tmp_path / "out" / "checklist.json").is_file() and (tmp_path / "out" / "checklist.docx").is_file()


@pytest.mark.parametrize("name", ["json", "numpy", "rich"])
def test_what_lies_in_the_working_directory_is_no_module_of_msprec(tmp_path: Path, name: str) -> None:
    """What the script does not import, it need not fear."""
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('mine')\n")
    done = run("print('trained')\n", "--out", "out", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "trained\n") and "mine" not in done.stderr, done.stderr
    assert (tmp_path / "out" / "checklist.docx").is_file()


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="POSIX")
@pytest.mark.parametrize("script", ["-", "/dev/stdin"])
def test_a_script_that_is_no_file_is_refused(tmp_path: Path, script: str) -> None:
    command = [sys.executable, "-m", "msprec", "run", script]
    done = subprocess.run(
        command, cwd=tmp_path, input="print(1)", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2 and "save it first" in done.stderr and len(done.stderr.splitlines()) == 1
