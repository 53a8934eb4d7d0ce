"""A PyTorch network and its migration to MindSpore: a faithful one is clean, each fault is pointed at the right cell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("mindspore")

import msprec.torch  # noqa: E402
from msprec.compare.dumps.read_dump import read_dump  # noqa: E402
from msprec.compare.errors import CannotRead  # noqa: E402

TORCH = """
import sys
import numpy as np, torch
from torch import nn
import msprec.torch

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.relu = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True)
    def forward(self, x):
        return x + self.relu(self.bn(self.conv(x)))

class Net(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.stem = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.layers = nn.Sequential(Block(), Block())
        self.drop = nn.Dropout(p)
        self.norm = nn.LayerNorm(4)
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        x = self.layers(self.stem(x))
        return self.fc(self.norm(self.drop(x).mean((2, 3))))

torch.manual_seed(0)
net = Net(float(sys.argv[1]))
np.savez("weights.npz", **{k: v.numpy() for k, v in net.state_dict().items()})
optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
r = np.random.RandomState(0)
with msprec.torch.dump(net, "pytorch", steps="1-2") as dump:
    for _ in range(3):
        x, y = torch.tensor(r.randn(8, 2, 10, 10).astype("f4")), torch.tensor(r.randint(0, 3, 8))
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
"""

MINDSPORE = """
import sys
import numpy as np, mindspore as ms
from mindspore import nn, ops

p, mode, fault = float(sys.argv[1]), sys.argv[2], sys.argv[3]
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)

class Block(nn.Cell):
    def __init__(self, fault=""):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, pad_mode="pad", padding=1, has_bias=fault != "bias")
        self.bn = nn.BatchNorm2d(4, eps=1e-3 if fault == "epsilon" else 1e-5, momentum=0.1 if fault == "momentum" else 0.9)
        self.relu = nn.ReLU()
    def construct(self, x):
        return x + self.relu(self.bn(self.conv(x)))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        pad = {"pad_mode": "same"} if fault == "padding" else {"pad_mode": "pad", "padding": 1}
        self.stem = nn.Conv2d(2, 4, 3, stride=2, has_bias=True, **pad)
        self.layers = nn.SequentialCell(Block(), Block(fault))
        self.drop = nn.Dropout(p=1 - p if fault == "dropout" else p)
        self.norm = nn.LayerNorm((4,), epsilon=1e-5)
        self.fc = nn.Dense(4, 3)
    def construct(self, x):
        x = self.layers(self.stem(x))
        return self.fc(self.norm(self.drop(x).mean((2, 3))))

net = Net()
words = {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var"}
weights = np.load("weights.npz")
for parameter in net.get_parameters():
    head, _, last = parameter.name.rpartition(".")
    parameter.set_data(ms.Tensor(weights[f"{head}.{words.get(last, last)}"]))
optimizer = nn.SGD(net.trainable_params(), 0.1, momentum=0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
r = np.random.RandomState(0)
for _ in range(3):
    x, y = r.randn(8, 2, 10, 10).astype("f4"), r.randint(0, 3, 8).astype("i4")
    step(ms.Tensor(x), ms.Tensor(y))
open("finished", "w").close()
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "GLOG_v": "3", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """The dumps of the PyTorch script, without and with dropout."""
    folders = {}
    for p in ("0", "0.1"):
        folders[p] = tmp_path_factory.mktemp(f"torch{p}")
        (folders[p] / "train.py").write_text(TORCH)
        run(folders[p], "train.py", p)
    return folders


def compared(references, tmp_path: Path, fault: str, p: str = "0", mode: str = "pynative") -> tuple:
    home = references[p]
    (tmp_path / "train.py").write_text(MINDSPORE)
    (tmp_path / "weights.npz").write_bytes((home / "weights.npz").read_bytes())
    run(tmp_path, "-m", "msprec", "dump", "--steps", "1-2", "--out", "mindspore", "train.py", p, mode, fault)
    assert not (tmp_path / "finished").exists()  # it ends after the last step that is wanted
    done = run(
        tmp_path,
        "-m",
        "msprec",
        "compare",
        "tensors",
        str(home / "pytorch"),
        "mindspore",
        "--lang",
        "en",
        "--json",
        "-",
    )
    found = json.loads(done.stdout)
    return found["culprit"], found


@pytest.mark.parametrize("mode", ["pynative", "graph"])
def test_a_faithful_migration_is_clean(references, tmp_path, mode):
    culprit, found = compared(references, tmp_path, "none", mode=mode)
    assert culprit["kind"] == "clean" and culprit["judged"] > 40, found["conclusion"]
    verdicts = {row["a"]: row["verdict"] for row in found["rows"]}
    assert set(verdicts.values()) <= {"yes", "noise"}
    # the bias before a normalisation has no gradient but rounding
    assert all(name.endswith("conv.backward.gradient.bias") for name, verdict in verdicts.items() if verdict == "noise")
    assert not culprit["random"]
    assert not found["only_a"] and {name.split(".")[0] for name in found["only_b"]} == {"loss"}


@pytest.mark.parametrize(
    ("fault", "kind", "op", "step", "words"),
    [
        ("padding", "output", "stem", 1, "Its inputs and its parameters agree"),
        ("bias", "missing", "layers.1.conv", 1, "Only A has its parameter bias"),
        ("epsilon", "output", "layers.1.bn", 1, "look at how it computes and at its settings"),
        ("momentum", "state", "layers.1.bn", 1, "look at its momentum"),
    ],
)
def test_a_fault_is_pointed_at(references, tmp_path, fault, kind, op, step, words):
    culprit, found = compared(references, tmp_path, fault)
    assert (culprit["kind"], culprit["op"], culprit["step"]) == (kind, op, step), found["conclusion"]
    assert any(words in line for line in found["conclusion"])


def test_dropout_that_means_something_else(references, tmp_path):
    culprit, found = compared(references, tmp_path, "dropout", p="0.1")
    assert (culprit["kind"], culprit["op"]) == ("dropout", "drop"), found["conclusion"]
    assert any("Look at what p and keep_prob mean" in line for line in found["conclusion"])


def test_dropout_that_means_the_same(references, tmp_path):
    culprit, found = compared(references, tmp_path, "none", p="0.1")
    assert culprit["kind"] == "clean" and culprit["random"], found["conclusion"]
    assert any("Random operations (dropout): drop" in line for line in found["conclusion"])


# --- the dump of PyTorch ------------------------------------------------------------------------------------------
class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.act, self.lstm = torch.nn.Linear(3, 3), torch.nn.ReLU(inplace=True), torch.nn.LSTM(3, 2)

    def forward(self, x, scale=None):
        x = self.act(self.a(x)) + self.a(x)
        return {"out": self.lstm(x)[0] * scale["by"], "x": x}


def train(steps=3, dump=None, **kwargs):
    torch.manual_seed(1)
    net = Small()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses, made = [], dump(net) if dump else None
    for _ in range(steps):
        x = torch.randn(5, 3)
        with torch.no_grad():
            net(x, scale={"by": torch.tensor(2.0)})  # evaluation: no step
        loss = net(x, scale={"by": torch.tensor(2.0)})["out"].square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if made is not None:
        made.close()
    return losses, [p.detach().numpy().copy() for p in net.parameters()]


def test_a_dump_changes_nothing(tmp_path):
    plain, weights = train()
    seen, same = train(dump=lambda net: msprec.torch.dump(net, tmp_path / "d", "1,3"))
    assert plain == seen and all(np.array_equal(a, b) for a, b in zip(weights, same))
    dump = read_dump(tmp_path / "d")
    assert {item.step for item in dump.items} == {1, 3}
    names = {item.name for item in dump.items}
    assert {
        "(network).forward.input.scale.by",
        "(network).forward.output.out",
        "lstm.forward.output.1.0",
        "a.forward.1.output.0",
        "a.backward.gradient.weight",
        "lstm.backward.gradient.weight_hh_l0",
        "act.backward.output.0",
    } <= names


def test_gradients_are_those_of_each_use(tmp_path):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    with msprec.torch.dump(net, tmp_path / "d"):
        x = torch.randn(3, 2, requires_grad=True)
        (net(x) * 3).sum().backward()
    items = {item.name: item.open().load() for item in read_dump(tmp_path / "d").items}
    np.testing.assert_allclose(items["0.backward.gradient.weight"], net[0].weight.grad.numpy(), rtol=1e-6)
    np.testing.assert_allclose(items["0.backward.output.0"], x.grad.numpy(), rtol=1e-6)
    np.testing.assert_allclose(items["1.backward.input.0"], np.full((3, 2), 3.0))


def test_statistics_and_half_precision(tmp_path):
    net = torch.nn.Linear(2, 2).bfloat16()
    with msprec.torch.dump(net, tmp_path / "d"):
        net(torch.ones(1, 2, dtype=torch.bfloat16)).sum().backward()
    item = next(i for i in read_dump(tmp_path / "d").items if i.name == "(network).forward.output.0")
    assert item.dtype == "bfloat16" and item.open().load().dtype == np.float32
    with pytest.raises(FileExistsError, match="holds a dump already"):
        msprec.torch.dump(net, tmp_path / "d")
    with pytest.raises(CannotRead, match="no steps"):
        msprec.torch.dump(net, tmp_path / "e", steps="2-1")
    with msprec.torch.dump(net, tmp_path / "s", statistics=True):
        net(torch.ones(1, 2, dtype=torch.bfloat16)).sum().backward()
    assert not list((tmp_path / "s").rglob("*.npy")) and read_dump(tmp_path / "s").items[0].one.max is not None


def test_mindspore_is_not_imported(tmp_path):
    code = "import sys, msprec.torch; assert not {'mindspore', 'pandas', 'matplotlib'} & set(sys.modules), sys.modules"
    run(tmp_path, "-c", code)
