"""The command line: help that costs nothing, clear errors, exit statuses, concluding again from a folder alone."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("cli")

LOOP = """
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn
ms.set_seed(1)
rng = np.random.RandomState(0)
x = (rng.rand(120, 6) * 255).astype(np.float32)
y = rng.randint(0, 3, 120).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "label"], shuffle=False).batch(12)
net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 3))
opt = nn.SGD(net.trainable_params(), 1e-5)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
net.set_train()
for epoch in range(3):
    for a, b in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        opt(grads)
"""


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory) -> Path:
    """One recorded run for the tests below."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "train.py").write_text(LOOP)
    done = subprocess.run(
        [sys.executable, "-m", "msprec", "run", "--lang", "zh", "--out", "run", "train.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "run"


def msprec(*args: str, code: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "msprec", *args], capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_help_is_light() -> None:
    code = (
        "import sys, time\n"
        "from msprec.cli import main\n"
        "try: main(['--help'], prog_name='msprec')\n"
        "except SystemExit: pass\n"
        "print('IMPORTED', sorted({m.split('.')[0] for m in sys.modules} & {'mindspore', 'pandas', 'matplotlib', 'numpy'}))\n"
        "print('CPU', time.process_time())\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "IMPORTED []" in out
    assert float(out.split("CPU ")[1]) < 0.3


@pytest.mark.parametrize("command", ["run", "checklist", "explain", "env", "bundle"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = msprec(command, "--help")
    assert done.returncode == 0
    assert "Examples:" in done.stdout


def test_what_a_run_leaves(run_folder: Path) -> None:
    for name in (
        "run.json",
        "facts/datasets.json",
        "rank_0/steps.csv",
        "source/train.py",
        "checklist.json",
        "checklist.docx",
    ):
        assert (run_folder / name).is_file(), name
    items = {i["id"]: i for i in json.loads((run_folder / "checklist.json").read_text(encoding="utf-8"))["items"]}
    assert items["dp.03"]["conclusion"] == "undecided"
    assert items["dp.01"]["conclusion"] == "problem"
    assert items["dp.03"]["locations"][0]["file"] == "train.py"


def test_concluding_again_gives_the_same_without_mindspore(run_folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(run_folder, moved)
    code = (
        "import sys, time\n"
        "from msprec.cli import main\n"
        f"try: main(['checklist', '--lang', 'zh', '--run', {str(moved)!r}, '--json', {str(tmp_path / 'f.json')!r}])\n"
        "except SystemExit as stop: assert not stop.code, stop.code\n"
        "print('IMPORTED', 'mindspore' in sys.modules)\n"
        "print('CPU', time.process_time())\n"
    )
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert time.perf_counter() - begin < 6
    assert "IMPORTED False" in done.stdout
    assert float(done.stdout.split("CPU ")[1]) < 2
    first = json.loads((run_folder / "checklist.json").read_text(encoding="utf-8"))
    again = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    first.pop("run"), again.pop("run")
    assert again == first


def test_fail_on_and_only(run_folder: Path) -> None:
    assert msprec("checklist", "--run", str(run_folder), "--fail-on", "problem").returncode == 1
    assert msprec("checklist", "--run", str(run_folder), "--only", "wi.01", "--fail-on", "problem").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["checklist"],
        ["checklist", "--run", "nowhere"],
        ["checklist", "--run", "nowhere", "--blank"],
        ["checklist", "--blank"],
        ["checklist", "--run", ".", "--only", "zz.99"],
        ["explain", "zz.99"],
        ["run", "missing.py"],
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "msprec", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_what_is_no_run_folder_is_one_line(run_folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{not json")
    for folder in (broken, run_folder / "run.json", tmp_path):
        done = msprec("checklist", "--run", str(folder))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), folder
        assert "Traceback" not in done.stderr


def test_torn_files_lose_only_themselves(run_folder: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn"
    shutil.copytree(run_folder, torn)
    (torn / "facts" / "parameters.json").write_bytes(b"\x80\x04pickle")
    steps = torn / "rank_0" / "steps.csv"
    steps.write_bytes(steps.read_bytes()[:-9])
    done = msprec("checklist", "--run", str(torn), "--lang", "en", "--json", "-")
    assert done.returncode == 0, done.stderr
    items = {i["id"]: i["conclusion"] for i in json.loads(done.stdout)["items"]}
    assert items["dp.03"] == "undecided"
    assert items["wi.01"] == "undecided"


def test_explain_in_both_languages() -> None:
    english, chinese = msprec("explain", "--lang", "en", "mp.02"), msprec("explain", "--lang", "zh", "mp.02")
    assert "mp.02" in english.stdout
    assert "混合精度" in chinese.stdout
    assert len(english.stdout) > 500


def test_the_empty_form(tmp_path: Path) -> None:
    import docx

    done = msprec("checklist", "--blank", "--lang", "zh", "--out", str(tmp_path / "form.docx"))
    assert done.returncode == 0, done.stderr
    text = "\n".join(p.text for p in docx.Document(str(tmp_path / "form.docx")).paragraphs)
    assert "请填写" in text
    assert "ds.01" in text


def test_a_checkout_that_is_not_installed_has_its_checklists() -> None:
    root = Path(__file__).parents[2]
    code = "import msprec, msprec.checklists as c; print(msprec.__file__, c.__file__)"
    # -S: nothing installed is seen, an editable install's finder neither
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(root / "msprec" / "__init__.py"), str(root / "checklists" / "__init__.py")]


# --- scripts that are read, not run

READ = """
import mindspore as ms
from mindspore import nn
from blocks import Block
net = nn.SequentialCell(Block(), nn.Dropout(0.1), nn.Dense(8, 2))
opt = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt(grads)
raise SystemExit("this must not run")
"""


@pytest.fixture
def scripts_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(READ)
    (folder / "blocks.py").write_text(
        "from mindspore import nn\nclass Block(nn.Cell):\n    def construct(self, x):\n        return x\n"
    )
    (folder / "old.py").write_text("print 'Python 2'\n")
    (folder / "notes.ipynb").write_text("{}")
    return folder


def read(*arguments: str) -> dict:
    done = msprec("checklist", "--lang", "en", "--json", "-", *arguments)
    assert done.returncode == 0, done.stderr
    return {item["id"]: item for item in json.loads(done.stdout)["items"]}


def test_scripts_are_read_without_a_run(scripts_folder: Path) -> None:
    for given in (scripts_folder / "train.py", scripts_folder):
        items = read(str(given))
        assert items["api.01"]["conclusion"] == "problem"
        assert items["api.01"]["locations"][0]["line"] == 5
        assert items["mp.03"]["conclusion"] == items["mp.04"]["conclusion"] == "not_applicable"
        others = [item for name, item in items.items() if name not in ("api.01", "mp.03", "mp.04")]
        assert {item["conclusion"] for item in others} == {"undecided"}
        assert all("msprec run" in item["would_decide"] for item in others)


def test_what_is_passed_over_is_one_line_each(scripts_folder: Path) -> None:
    done = msprec("checklist", "--lang", "en", "--only", "api", str(scripts_folder))
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if "passed over" in line]
    assert len(lines) == 2
    assert any("old.py: Python 2" in line for line in lines)
    assert any("notes.ipynb: a notebook" in line for line in lines)


def test_a_reference_script_is_read(scripts_folder: Path) -> None:
    reference = scripts_folder / "original.py"
    reference.write_text("from torch import nn\nnet = nn.Sequential(nn.Dropout(0.1), nn.Linear(8, 2, bias=False))\n")
    item = read(str(scripts_folder / "train.py"), "--reference-script", str(reference))["api.01"]
    assert item["conclusion"] == "problem"
    assert "2 effective arguments differ" in item["summary"]
    assert {"reference"} <= {piece["source"] for piece in item["evidence"]}


def test_scripts_and_a_run_together(run_folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "evaluate.py"
    extra.write_text("from mindspore import nn\nnet = nn.Dropout(0.1)\n")
    items = read("--run", str(run_folder), str(extra))
    assert items["dp.03"]["conclusion"] == "undecided"
    assert items["mp.03"]["conclusion"] == "not_applicable"
    assert items["api.01"]["conclusion"] != "problem", "the run's own script counts, not what it never started"


@pytest.mark.parametrize(
    "arguments",
    [
        ["checklist", "missing.py"],
        ["checklist", "notes.ipynb"],
        ["checklist", "empty"],
        ["checklist", "--blank", "train.py"],
        ["checklist", "train.py", "--reference-script", "missing.py"],
        ["run", "--reference-script", "missing.py", "train.py"],
        ["checklist", "train.py", "--reference-script", "empty"],
    ],
)
def test_nothing_to_read_is_one_line_and_exit_2(arguments: list, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    (tmp_path / "notes.ipynb").write_text("{}")
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "msprec", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Traceback" not in done.stderr
