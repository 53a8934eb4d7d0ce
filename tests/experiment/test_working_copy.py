"""Nothing that a script writes in its copy reaches the user's files."""

import os
import subprocess
import sys
import textwrap

import pytest

from msprec.experiment import working_copy
from msprec.experiment.working_copy import WorkingCopy


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(working_copy, "_SMALL", 1000)  # so that what is larger is linked
    made = tmp_path / "user" / "project"
    (made / "checkpoints").mkdir(parents=True)
    (tmp_path / "user" / "data").mkdir()
    (tmp_path / "user" / "data" / "all.csv").write_text("1,2")
    (made / "checkpoints" / "net.ckpt").write_bytes(b"k" * 5000)
    (made / "notes.txt").write_text("mine")
    return made


def run(project, tmp_path, code):
    """Runs code in the copy, guarded; ``(output, copy)``."""
    copy = WorkingCopy(tmp_path / "copy", (project,))
    guard = f"from msprec.experiment.working_copy import keep_inside\nkeep_inside({str(copy.home)!r}, [{str(project)!r}], [])\n"
    done = subprocess.run(
        [sys.executable, "-c", guard + textwrap.dedent(code)],
        cwd=copy.inside(project),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    return done.stdout + done.stderr, copy


def test_writes_stay_in_the_copy(project, tmp_path):
    before = contents(tmp_path / "user")
    said, copy = run(
        project,
        tmp_path,
        """
        import os, shutil
        from pathlib import Path
        assert os.path.islink("checkpoints/net.ckpt")
        with open("checkpoints/net.ckpt", "r+b") as file:
            file.write(b"new")
        os.chmod("notes.txt", 0o600)
        Path("notes.txt").write_text("theirs")
        Path("../data/all.csv").write_text("3")
        Path("../data/more.csv").write_text("4")
        os.makedirs("out/deep", exist_ok=True)
        os.rename("notes.txt", "out/notes.txt")
        shutil.rmtree("checkpoints")
        print(open("../data/all.csv").read(), open("out/notes.txt").read())
        """,
    )
    assert said == "3 theirs\n"
    assert contents(tmp_path / "user") == before
    assert copy.inside(project / "out" / "notes.txt").read_text() == "theirs"


@pytest.mark.parametrize(
    "write",
    [
        "open({path!r}, 'w')",
        "os.remove({path!r})",
        "os.rename({path!r}, 'here')",
        "os.chmod({path!r}, 0o600)",
        "os.mkdir({path!r} + '.d')",
        "os.truncate({path!r}, 0)",
        "__import__('shutil').rmtree(os.path.dirname({path!r}))",
        "__import__('shutil').copy('notes.txt', {path!r})",
        "os.symlink('notes.txt', {path!r} + '.link')",
    ],
)
def test_an_absolute_path_of_the_users_is_refused(project, tmp_path, write):
    before = contents(tmp_path / "user")
    said, _ = run(project, tmp_path, "import os\n" + write.format(path=str(project / "notes.txt")))
    assert "PermissionError: msprec remedy lets the script write into its copy only" in said
    assert contents(tmp_path / "user") == before


def test_arguments_that_name_the_folder_name_the_copy(project, tmp_path):
    copy = WorkingCopy(tmp_path / "copy", (project,))
    given = [f"--out={project}/runs", str(project), "project", f"{project}er"]
    assert [copy.text(one, (project,)) for one in given] == [
        f"--out={copy.inside(project)}/runs",
        str(copy.inside(project)),
        "project",
        f"{project}er",
    ]


def test_a_virtual_environment_is_linked(project, tmp_path):
    (project / ".venv").mkdir()
    (project / ".venv" / "pyvenv.cfg").write_text("home = /usr")
    copy = WorkingCopy(tmp_path / "copy", (project,))
    assert copy.inside(project / ".venv").is_symlink() and not copy.inside(project / "checkpoints").is_symlink()
