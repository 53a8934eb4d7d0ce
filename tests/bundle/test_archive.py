"""A bundle of a run: nothing secret goes in, it concludes the same, and a foreign one can do no harm."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from msprec.bundle import archive
from msprec.cli import main
from msprec.report.word import write_word

SECRET = "Zx-hunter2!"
SCRIPT = f'''"""By Zhang Wei <zhang.wei@example.com>."""
import mindspore as ms
password = "{SECRET}"
data = open("/home/zhangwei/data/train.csv")
net = Net()
h = x@self.weight
'''


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with secrets in its files, its data and its weights."""
    folder = tmp_path / "run"
    for name in ("facts", "rank_0/nonfinite", "source", "samples"):
        (folder / name).mkdir(parents=True)
    home = "/home/zhangwei/project"
    (folder / "run.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "script": f"{home}/train.py",
                "cwd": home,
                "script_imports_mindspore": True,
                "training_steps": 30,
                "command": ["python", "train.py", "--token", "abcdef123456", "--lr", "0.1"],
                "source_files": {"train.py": "source/train.py"},
                "exit": {"kind": "ok", "code": 0},
                "versions": {"mindspore": "2.10.0", "opencv-python": "4.10.0.84"},
            }
        )
    )
    (folder / "facts" / "datasets.json").write_text(
        json.dumps(
            {
                "datasets": [
                    {
                        "id": 0,
                        "role": "train",
                        "batch_size": 4,
                        "columns": [
                            {
                                "name": "x",
                                "dtype": "float32",
                                "kind": "float",
                                "shape": [4],
                                "elements": 480,
                                "nan": 7,
                                "inf": 0,
                                "min": 0.0,
                                "max": 1.0,
                                "first_nonfinite": [3],
                            }
                        ],
                        "samples": 120,
                        "batches": 30,
                        "scanned": {"samples": 120, "share": 1.0},
                        "pipeline": [{"op": "GeneratorDataset", "args": {"source": f"{home}/a.csv"}}],
                    }
                ]
            }
        )
    )
    (folder / "rank_0" / "steps.csv").write_text(
        "step,epoch,loss\n" + "".join(f"{i},1,{1 / i}\n" for i in range(1, 31))
    )
    (folder / "rank_0" / "events.jsonl").write_text(
        json.dumps({"event": "exception", "message": f"login with password={SECRET} at 10.1.2.3"}) + "\n"
    )
    (folder / "source" / "train.py").write_text(SCRIPT)
    np.savez(folder / "rank_0" / "nonfinite" / "batch.npz", x=np.arange(40.0).reshape(10, 4), step=np.array(3))
    np.savez(folder / "rank_0" / "nonfinite" / "weights.npz", w=np.ones(3))
    for i in range(3):
        (folder / "samples" / f"{i}.png").write_bytes(b"\x89PNG" + bytes(10))
    (folder / "core.bin").write_bytes(b"\0" * 10)
    (folder / "zhangwei_notes.txt").write_text("mail zhang.wei@example.com")
    return folder


def everything(path: Path) -> str:
    """All text of an archive, of the documents inside too."""
    out = []
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            data = packed.read(name)
            out.append(name)
            if name.endswith(".docx"):
                with zipfile.ZipFile(io.BytesIO(data)) as document:
                    out += [document.read(part).decode("utf-8", "replace") for part in document.namelist()]
            else:
                out.append(data.decode("utf-8", "replace"))
    return "\n".join(out)


def bundle(*arguments):
    return CliRunner().invoke(main, ["bundle", *map(str, arguments)])


def test_a_bundle_holds_what_helps_and_nothing_secret(run: Path, tmp_path: Path) -> None:
    from msprec.engine import conclude

    write_word(conclude(run), run / "checklist.docx", run, "en")
    out = tmp_path / "q.zip"
    done = bundle(run, "--out", out, "--lang", "en")
    assert done.exit_code == 0, done.output
    text = everything(out)
    for secret in (SECRET, "abcdef123456", "zhangwei", "zhang.wei@", "10.1.2.3"):
        assert secret not in text, secret
    with zipfile.ZipFile(out) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read("manifest.json"))
        assert names == {entry["path"] for entry in manifest["files"]} | {"manifest.json"}
        for entry in manifest["files"]:
            data = packed.read(entry["path"])
            assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
        compile(packed.read("run/source/train.py"), "train.py", "exec")
        assert b"h = x@self.weight" in packed.read("run/source/train.py")
        assert json.loads(packed.read("run/run.json"))["versions"]["opencv-python"] == "4.10.0.84"
    assert {
        "README.txt",
        "env.json",
        "env.txt",
        "run/checklist.docx",
        "run/rank_0/steps.csv",
        "run/REMOVED_USER_1_notes.txt",
    } <= names
    assert not any(name.endswith((".npz", ".png", ".bin")) for name in names)
    assert len(manifest["left_out"]) == 6 and manifest["same_conclusions"] is True
    assert (
        manifest["repeat"]
        == "msprec run train.py --token REMOVED_SECRET_" + manifest["repeat"].split("_")[2].split()[0] + " --lr 0.1"
    )
    where = {(row["kind"], row["file"]) for row in manifest["replaced"]}
    assert {
        ("secret", "run/source/train.py"),
        ("email", "run/source/train.py"),
        ("ip", "run/rank_0/events.jsonl"),
    } <= where
    for line in ("run/source/train.py", "weights.npz: weights", "The conclusions are the same"):
        assert line in done.output


def test_the_same_run_gives_the_same_archive(run: Path, tmp_path: Path) -> None:
    env = {
        "schema": 1,
        "tool": {"version": "0"},
        "python": {},
        "system": {},
        "hardware": {},
        "cann": {},
        "devices": [],
        "packages": {},
        "variables": {},
        "notes": [],
    }
    for name in ("a.zip", "b.zip"):
        archive.write(archive.gather(run, env=env), tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_it_concludes_again_on_the_other_side(run: Path, tmp_path: Path) -> None:
    assert bundle(run, "--out", tmp_path / "q.zip").exit_code == 0
    for source in (["--run", run], ["--bundle", tmp_path / "q.zip"]):
        arguments = [
            *map(str, source),
            "--lang",
            "en",
            "--json",
            str(tmp_path / f"{source[0]}.json"),
            "--out",
            str(tmp_path / "r.docx"),
        ]
        done = CliRunner().invoke(main, ["checklist", *arguments])
        assert done.exit_code == 0, done.output
    one, two = (json.loads((tmp_path / f"--{name}.json").read_text(encoding="utf-8")) for name in ("run", "bundle"))
    assert [i["conclusion"] for i in one["items"]] == [i["conclusion"] for i in two["items"]]
    assert one["items"][0]["conclusion"] == "problem"
    assert one["items"][0]["summary"] == two["items"][0]["summary"]
    # an item needs its evidence: the report of the bundle has the code that the places name
    assert (tmp_path / "r.docx").stat().st_size > 10_000


def test_with_data_takes_that_many_samples(run: Path, tmp_path: Path) -> None:
    assert bundle(run, "--out", tmp_path / "q.zip", "--with-data", 2).exit_code == 0
    with zipfile.ZipFile(tmp_path / "q.zip") as packed:
        with np.load(io.BytesIO(packed.read("run/rank_0/nonfinite/batch.npz")), allow_pickle=False) as arrays:
            assert arrays["x"].tolist() == np.arange(8.0).reshape(2, 4).tolist() and arrays["step"] == 3
        names = packed.namelist()
    assert "run/samples/1.png" in names and "run/samples/2.png" not in names
    assert not any("weights" in name for name in names)


def test_keep_and_list(run: Path, tmp_path: Path) -> None:
    done = bundle(run, "--out", tmp_path / "q.zip", "--list", "--lang", "zh")
    assert done.exit_code == 0 and not (tmp_path / "q.zip").exists() and "打包内容" in done.output
    assert bundle(run, "--out", tmp_path / "q.zip", "--keep", "ip", "--keep", "zhang.wei@example.com").exit_code == 0
    text = everything(tmp_path / "q.zip")
    assert "10.1.2.3" in text and "zhang.wei@example.com" in text and SECRET not in text
    assert bundle(run, "--out", tmp_path / "q.zip").exit_code == 2
    assert bundle(tmp_path / "nowhere", "--out", tmp_path / "r.zip").exit_code == 2


def test_a_report_filled_in_by_hand_goes_along(run: Path, tmp_path: Path) -> None:
    from msprec.engine import blank

    found = blank("en")
    found["items"][3]["comment"] = f"asked zhangwei, password: {SECRET}"
    write_word(found, tmp_path / "mine.docx", None, "en")
    assert bundle(run, "--out", tmp_path / "q.zip", "--report", tmp_path / "mine.docx").exit_code == 0
    text = everything(tmp_path / "q.zip")
    assert "report/mine.docx" in text and SECRET not in text and "asked REMOVED_USER_1" in text


def test_mindspore_is_not_imported(run: Path, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom msprec.cli import main\n"
        f"for arguments in (['bundle', {str(run)!r}, '--out', {str(tmp_path / 'q.zip')!r}], ['env', '--json'],\n"
        f"                  ['checklist', '--bundle', {str(tmp_path / 'q.zip')!r}]):\n"
        "    try: main(arguments)\n"
        "    except SystemExit as stop: assert not stop.code, stop.code\n"
        "print('IMPORTED', 'mindspore' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False)
    assert "IMPORTED False" in done.stdout, done.stderr


# --- foreign archives -----------------------------------------------------------------------------------------------
def forged(path: Path, members: dict, manifest: bool = True, **attributes) -> Path:
    files = [{"path": n, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in members.items()]
    with zipfile.ZipFile(path, "w") as packed:
        if manifest:
            packed.writestr("manifest.json", json.dumps({"schema": 1, "files": files}))
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes.get("mode", 0o100644) << 16
            packed.writestr(info, data)
    return path


@pytest.mark.parametrize(
    "name",
    ["../evil.txt", "run/../../evil.txt", "/tmp/evil_of_a_bundle.txt", "run\\..\\evil.txt", "C:evil.txt", "run/a|b"],
)
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    path = forged(tmp_path / "e.zip", {"run/run.json": b"{}", name: b"evil"})
    with pytest.raises(archive.BundleError, match="outside"), archive.opened(path):
        pass
    assert not list(tmp_path.rglob("evil*")) and not Path("/tmp/evil_of_a_bundle.txt").exists()
    done = CliRunner().invoke(main, ["checklist", "--bundle", str(path)])
    assert done.exit_code == 2 and done.output.count("\n") == 1


def test_links_changes_bombs_and_rubbish_are_refused(tmp_path: Path) -> None:
    link = forged(tmp_path / "l.zip", {"run/run.json": b"/etc/passwd"}, mode=0o120777)
    other = forged(tmp_path / "o.zip", {"run/run.json": b"{}"}, manifest=False)
    (tmp_path / "r.zip").write_bytes(b"PK\x03\x04rubbish")
    changed = tmp_path / "c.zip"
    with zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as packed:
        entry = {"path": "run/run.json", "bytes": 2, "sha256": hashlib.sha256(b"{}").hexdigest()}
        packed.writestr("manifest.json", json.dumps({"schema": 1, "files": [entry]}))
        packed.writestr("run/run.json", b"{ }" + b" " * 5_000_000)
    newer = tmp_path / "n.zip"
    with zipfile.ZipFile(newer, "w") as packed:
        packed.writestr("manifest.json", json.dumps({"schema": 99, "files": []}))
    for path in (link, other, tmp_path / "r.zip", changed, newer, tmp_path / "missing.zip"):
        with pytest.raises(archive.BundleError), archive.opened(path):
            pass


def test_what_the_manifest_does_not_name_is_not_unpacked(tmp_path: Path) -> None:
    path = forged(tmp_path / "b.zip", {"run/run.json": b'{"schema": 1}'})
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("run/extra.txt", "x")
    with archive.opened(path) as folder:
        assert [p.name for p in folder.iterdir()] == ["run.json"]
        place = folder
    assert not place.exists()


def test_review_shows_each_replacement_and_asks(run: Path, tmp_path: Path) -> None:
    arguments = ["bundle", str(run), "--out", str(tmp_path / "q.zip"), "--review", "--lang", "en"]
    done = CliRunner().invoke(main, arguments, input="n\n")
    assert done.exit_code == 0 and not (tmp_path / "q.zip").exists()
    assert f"run/source/train.py:3 secret: {SECRET} -> REMOVED_SECRET_" in done.output
    assert "run/source/train.py:4 home: /home/zhangwei -> ~  | " in done.output
    assert CliRunner().invoke(main, arguments, input="y\n").exit_code == 0
    assert SECRET not in everything(tmp_path / "q.zip")


def test_what_cannot_be_searched_is_listed_and_not_packed(run: Path, tmp_path: Path) -> None:
    np.savez(run / "features.npz", secret_of_wei=np.array(["ghp_" + "a1" * 18]))
    (run / "net.ckpt").write_bytes(b"weights")
    (run / "binary.txt").write_bytes(b"\0\1password=x")
    (run / "link.txt").symlink_to("/etc/hostname")
    np.savez(run / "rank_0" / "nonfinite" / "batch.npz", x=np.arange(4.0), names=np.array(["a", "b", "c", "d"]))
    done = bundle(run, "--out", tmp_path / "q.zip", "--with-data", 2, "--lang", "en")
    assert done.exit_code == 0, done.output
    for line in (
        "run/features.npz: arrays: 1 entries (secret_of_wei.npy), not packed",
        "run/net.ckpt: weights: not packed",
        "run/binary.txt: no text, whatever its name says",
        "run/link.txt: a symbolic link, which is not followed",
        "run/rank_0/nonfinite/batch.npz: data of the training",
    ):
        assert line in done.output, line
    with zipfile.ZipFile(tmp_path / "q.zip") as packed:
        assert not [n for n in packed.namelist() if n.endswith((".npz", ".ckpt", "binary.txt", "link.txt"))]


def test_a_lone_surrogate_and_another_encoding(run: Path, tmp_path: Path) -> None:
    (run / "notes.txt").write_bytes(f"数据库密码：{SECRET}\n".encode("gb18030"))
    (run / "facts" / "odd.json").write_text('{"name": "\\ud800", "password": "' + SECRET + '"}', encoding="utf-8")
    assert bundle(run, "--out", tmp_path / "q.zip").exit_code == 0
    with zipfile.ZipFile(tmp_path / "q.zip") as packed:
        assert "数据库密码：REMOVED_SECRET_" in packed.read("run/notes.txt").decode("gb18030")
        assert json.loads(packed.read("run/facts/odd.json"))["name"] == "\ud800"
    assert SECRET not in everything(tmp_path / "q.zip")


def test_people_hosts_and_accounts_that_environment_and_git_name(run: Path, tmp_path: Path, monkeypatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for command in (
        ["init", "-q"],
        ["config", "user.name", "Li Xiaolong"],
        ["config", "user.email", "xl.dragon@example.org"],
    ):
        subprocess.run(["git", *command], cwd=project, check=True)
    subprocess.run(["git", "remote", "add", "o", "git@example.org:drachenreiter/net.git"], cwd=project, check=True)
    monkeypatch.setenv("SLURM_JOB_USER", "slurmling")
    monkeypatch.setenv("SLURMD_NODENAME", "pluto-a17")
    (run / "run.json").write_text(
        json.dumps({**json.loads((run / "run.json").read_text()), "script": str(project / "train.py")})
    )
    (run / "log of xiaolong.li.txt").write_text(
        "slurmling on pluto-a17 with drachenreiter; ask Xiaolong Li or xl.dragon\n"
    )
    assert bundle(run, "--out", tmp_path / "q.zip").exit_code == 0
    text = everything(tmp_path / "q.zip").lower()
    for mark in ("xiaolong", "slurmling", "pluto-a17", "drachenreiter", "xl.dragon"):
        assert mark not in text, mark


def test_a_secret_that_one_file_tells_goes_out_of_all(run: Path, tmp_path: Path) -> None:
    (run / "a_before.txt").write_text(f"expect send {SECRET}\n")
    (run / "z_after.txt").write_text(f"then {SECRET} again\n")
    assert bundle(run, "--out", tmp_path / "q.zip").exit_code == 0
    assert SECRET not in everything(tmp_path / "q.zip")
