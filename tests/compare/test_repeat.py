"""`msprec run --twice`: whether the loss repeats, and which random source is not fixed."""

import json

import pytest

from msprec.compare.losses.determinism import compare_runs, exit_status
from msprec.compare.losses.determinism_text import lines
from msprec.record.reader import RunFolderError

SCRIPT = """
import sys
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn
free = sys.argv[1] if len(sys.argv) > 1 else ""
if free != "all":
    ms.set_seed(1)
    np.random.seed(1)
r = np.random.RandomState(0)
x, y = r.randn(64, 8).astype(np.float32), r.randn(64, 1).astype(np.float32)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 1)
        if free == "dropout":
            ms.set_seed(np.random.RandomState().randint(1, 10**6))
        self.drop = nn.Dropout(p=0.5)
        if "weights" in free:
            self.a.weight.set_data(ms.Tensor(np.random.RandomState().randn(8, 8).astype(np.float32)))
    def construct(self, x):
        return self.b(self.drop(self.a(x)))

net = Net()
net.set_train()
if "order" in free:
    order = np.random.RandomState().permutation(64)
    x, y = x[order], y[order]
if free == "values":
    x = x + np.random.RandomState().randn(64, 8).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)
loss_fn, opt = nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grad(x, y)
    opt(grads)
print("done")
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("free", "words"),
    [
        ("", "The losses of 2 runs are the same to the last bit in all 4 steps"),
        ("weights order", "The initial weights differ (1 parameters, such as a.weight)"),
        ("values", "The training data have other values"),
        ("dropout", "the network draws at random (drop)"),
    ],
)
def test_a_script_run_twice(script_runner, free, words):
    # with probes and the Word report, as by default, where all repeats
    done = script_runner(SCRIPT, free, options=("--probe-seconds", "0", "--no-word") if free else ())
    told = [line for line in done.err.splitlines() if line.startswith("msprec: ")]
    assert done.status == 3 and done.out.count("done") == 1
    assert any(words in line for line in told), told
    if free:
        assert "it differs from step 1 on" in told[0]
        assert ("order" in free) == any("The training data come in another order" in line for line in told)
        assert any(line.startswith("msprec: Seeds that the script sets: mindspore.set_seed") for line in told)


def test_the_exit_status_is_the_scripts():
    assert exit_status([0, 0]) == 0 and exit_status([0, 2]) == 2


def run_folder(path, losses, initial=0.5, cells=(), keys=("a", "b")):
    facts = {
        "parameters": {
            "parameters": [{"name": "w", "initial": {"mean": initial}, "created": {"file": "net.py", "line": 4}}]
        },
        "network": {
            "networks": [{"role": "train", "cells": [{"class": c, "path": "d", "mode_dependent": True} for c in cells]}]
        },
        "datasets": {
            "datasets": [
                {
                    "role": "train",
                    "order": {"passes": [{"first_keys": list(keys)}]},
                    "shuffle": {"means": ["shuffle(buffer_size=2)"]},
                    "columns": [{"name": "x", "elements": 4, "min": 0, "max": 1}],
                    "pipeline": [
                        {"op": "map", "args": {"num_parallel_workers": 4}, "place": {"file": "net.py", "line": 9}}
                    ],
                }
            ]
        },
    }
    (path / "facts").mkdir(parents=True)
    (path / "rank_0").mkdir()
    (path / "run.json").write_text(json.dumps({"schema": 1, "seeds": []}))
    for name, value in facts.items():
        (path / "facts" / f"{name}.json").write_text(json.dumps(value))
    rows = "".join(f"{step},{loss}\n" for step, loss in enumerate(losses, 1))
    (path / "rank_0" / "steps.csv").write_text("step,loss\n" + rows)
    return path


def said(*runs):
    assert all("{" not in line for line in lines(compare_runs(list(runs)), "zh"))
    return "\n".join(lines(compare_runs(list(runs)), "en"))


def test_references_go_to_the_first_run_alone(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from msprec.cli import main
    from msprec.compare.losses import determinism

    commands = []
    done = type("Done", (), {"returncode": 0})
    monkeypatch.setattr(determinism.subprocess, "run", lambda command, **_: commands.append(command) or done)
    monkeypatch.setattr(
        determinism, "compare_runs", lambda runs, _: determinism.Repeated(runs, 3, None, 0.0, [], (), (), [0, 0])
    )
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("train.py", ""),
        ("eval.py", ""),
        ("torch.py", "import torch"),
        ("d.toml", "shuffle = true\n"),
        ("b.csv", "step,loss\n1,2.0\n2,1.0\n"),
        ("w.npz", ""),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    given = [
        "--also",
        "eval.py",
        "--reference-script",
        "torch.py",
        "--reference-run",
        "b.csv",
        "--reference-weights",
        "w.npz",
    ]
    given += ["--reference-data", ".", "--design", "d.toml", "--tensorboard-dir", "events", "--no-word"]
    ran = CliRunner().invoke(main, ["run", "--twice", "--out", "both", *given, "train.py", "--lr", "0.1"])
    assert ran.exit_code == 0, ran.output
    first, second = commands
    for word in (
        "--also",
        "--reference-script",
        "--reference-run",
        "--reference-weights",
        "--reference-data",
        "--design",
        "--tensorboard-dir",
    ):
        assert word in first and word not in second, word
    assert first[first.index("--reference-run") + 1] == str(tmp_path / "b.csv")
    assert "--no-word" in first and "--no-word" in second and first[-3:] == second[-3:] == ["train.py", "--lr", "0.1"]


def test_recorded_runs(tmp_path):
    a = run_folder(tmp_path / "a", [1.0, 0.5, "nan", 0.25])
    assert "reproducible" in said(a, run_folder(tmp_path / "b", [1.0, 0.5, "nan", 0.25]))
    text = said(a, run_folder(tmp_path / "c", [1.0, 0.5, "nan", 0.2500001]))
    assert "from step 4 on" in text and "no dropout" in text and "The script sets no seed." in text
    assert "map(num_parallel_workers=4)" in text
    assert "such as w" in said(a, run_folder(tmp_path / "d", [2.0], initial=0.25)) and "net.py:4" in said(
        a, tmp_path / "d"
    )
    assert "different numbers of steps: 1, 4" in said(a, tmp_path / "d")
    text = said(a, run_folder(tmp_path / "e", [1.0, 0.75], keys=("b", "a")))
    assert "another order (shuffle(buffer_size=2))" in text and "At net.py:9." in text
    dropping = [run_folder(tmp_path / n, [loss], cells=("Dropout",)) for n, loss in (("f", 1), ("g", 2))]
    assert "draws at random (d)" in said(*dropping)
    (tmp_path / "d" / "rank_0" / "steps.csv").write_text("step,loss\n")
    with pytest.raises(RunFolderError, match="no training step"):
        compare_runs([a, tmp_path / "d"])
