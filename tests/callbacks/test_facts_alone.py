"""What is decided of a training that nothing but callbacks watched: plain `python train.py`, then `msprec checklist`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn

import msprec
from msprec.observe import callback_facts
from msprec.observe.data import held_batches
from msprec.observe.data.held_batches import HeldBatches
from msprec.record.time_budget import Budget

EXAMPLES = Path(__file__).parents[2] / "examples"

FIT = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model
from net import Net

import msprec


class Points:
    def __init__(self, seed, count):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 3, count).astype(np.int32)
        self.x = (rng.normal(size=(count, 6)) + self.y[:, None]).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, at):
        return self.x[at], self.y[at]


ms.set_seed(3)
ds.config.set_seed(3)
train = ds.GeneratorDataset(Points(1, 320), ["point", "label"], shuffle=True).batch(16)
test = ds.GeneratorDataset(Points(2, 64), ["point", "label"], shuffle=False).batch(16)
net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=nn.cosine_decay_lr(0.0, 0.01, 60, 20, 3))
model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy": Accuracy()})
model.fit(3, train, test, callbacks=CALLBACKS, dataset_sink_mode=False)
"""
TRAINED = """
import atexit
import random

import mindspore as ms
import mindspore.dataset as ds
import numpy as np

atexit.register(lambda: print(random.random(), np.random.rand(), ms.get_rng_state().asnumpy().sum()))
from mindspore import nn
from mindspore.train import Model

import msprec

ms.set_seed(3)
ds.config.set_seed(3)
random.seed(3)
x = np.random.rand(192, 6).astype(np.float32)
source = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
Model(net, nn.MSELoss(), optimizer).train(3, source, callbacks=CALLBACKS)
print([p.asnumpy().tobytes().hex() for p in (*net.get_parameters(), *optimizer.moments)], np.random.rand())
"""
NET = """
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(p=0.2))
        self.head = nn.Dense(16, 3)

    def construct(self, x):
        return self.head(self.body(x))
"""
OWN_LOOP = """
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

import msprec

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)
rng = np.random.default_rng(0)
y = rng.integers(0, 3, 320).astype(np.int32)
x = (rng.normal(size=(320, 6)) + y[:, None]).astype(np.float32)


def batches(size=16):
    order = rng.permutation(len(x))
    for at in range(0, len(x), size):
        yield Tensor(x[order[at : at + size]]), Tensor(y[order[at : at + size]])


net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
monitor = msprec.watch(net, optimizer)
for epoch in range(20):
    for images, labels in monitor.batches(batches()):
        monitor.step(step(images, labels))
monitor.close()
"""


def concluded(folder: Path) -> dict:
    run = next((folder / "msprec_runs").iterdir())
    told = folder / "found.json"
    command = [sys.executable, "-m", "msprec", "checklist", "--run", str(run), "--json", str(told), "--out", "x.docx"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return {item["id"]: item for item in json.loads(told.read_text(encoding="utf-8"))["items"]}


def decided(items: dict) -> list:
    return [i for i, item in items.items() if item["conclusion"] in ("ok", "problem", "not_applicable")]


def problems(items: dict) -> list:
    return [i for i, item in items.items() if item["conclusion"] == "problem"]


@pytest.mark.versions
@pytest.mark.parametrize(("example", "wrong"), [("callbacks", ["mp.01", "mp.02"]), ("watch", [])])
def test_examples(scripts, example, wrong):
    shutil.copy(EXAMPLES / example / "train.py", scripts.folder)
    done = scripts.bare()
    assert done.status == 0, done.err
    items = concluded(scripts.folder)
    assert len(decided(items)) >= 14, decided(items)
    assert problems(items) == wrong


def test_a_script_prints_the_same(scripts):
    """Its weights, and the random states when the facts have been written too."""
    scripts.write(TRAINED.replace("CALLBACKS", "[]"), "bare.py")
    scripts.write(TRAINED.replace("CALLBACKS", "[msprec.PrecisionMonitor()]"))
    bare, watched = scripts.bare(script="bare.py"), scripts.bare()
    assert (watched.status, watched.out, watched.err) == (0, bare.out, bare.err)
    assert (next((scripts.folder / "msprec_runs").iterdir()) / "facts" / "parameters.json").exists()


def test_fit_in_two_files(scripts):
    scripts.write(NET, "net.py")
    scripts.write(FIT.replace("CALLBACKS", "[msprec.PrecisionMonitor()]"))
    done = scripts.bare()
    assert done.status == 0, done.err
    items = concluded(scripts.folder)
    assert len(decided(items)) >= 14, decided(items)
    assert not problems(items)
    assert items["api.02"]["conclusion"] == "ok"
    run = json.loads(next((scripts.folder / "msprec_runs").iterdir()).joinpath("run.json").read_text())
    assert sorted(run["source_files"]) == ["net.py", "train.py"]


def test_own_loop_over_arrays(scripts):
    scripts.write(OWN_LOOP)
    done = scripts.bare()
    assert done.status == 0, done.err
    items = concluded(scripts.folder)
    assert len(decided(items)) >= 14, decided(items)
    assert not problems(items)


def test_what_is_not_seen_is_not_decided(scripts):
    """A training without evaluation of a network with dropout, which loads weights: callbacks see neither."""
    scripts.write(NET, "net.py")
    loads = "net = Net()\nms.save_checkpoint(net, 'n.ckpt')\nms.load_checkpoint('n.ckpt', net)"
    text = FIT.replace("net = Net()", loads).replace("model.fit(3, train, test,", "model.train(3, train,")
    scripts.write(text.replace("CALLBACKS", "[msprec.PrecisionMonitor()]"))
    done = scripts.bare()
    assert done.status == 0, done.err
    items = concluded(scripts.folder)
    assert items["api.02"]["conclusion"] == items["wi.02"]["conclusion"] == "undecided"
    assert not problems(items)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_the_same_bits_with_all_facts(kit, mode):
    found = []
    for watched in (False, True):
        kit.start(mode)
        trained = kit.model("own")
        monitors = [msprec.PrecisionMonitor(out="run")] if watched else []
        trained.train(2, kit.data(), callbacks=monitors)
        callback_facts.write_waiting()
        found.append((kit.weights(trained), kit.state()))
    (bare, state), (weights, after) = found
    assert after == state
    assert all(np.array_equal(weights[name], bare[name]) for name in bare)
    names = {path.stem for path in (monitors[0].folder / "facts").iterdir()}
    assert names >= {"datasets", "network", "parameters", "optimizer", "loss", "modes", "precision", "train_step"}
    assert not [e for e in kit.events(monitors[0].folder) if e["event"] == "monitor_error"]


@pytest.mark.parametrize("method", ["begins", "delivered", "epoch_ended", "ends", "_networks"])
def test_an_error_reaches_nobody(kit, monkeypatch, method):
    def fails(*_, **__):
        raise RuntimeError("injected")

    monkeypatch.setattr(callback_facts.TrainingFacts, method, callback_facts.safely(fails))
    kit.start("graph")
    monitor = msprec.PrecisionMonitor(out="run")
    with pytest.warns(RuntimeWarning, match="injected"):
        kit.model("plain").train(1, kit.data(), callbacks=[monitor])
        callback_facts.write_waiting()
    assert monitor.summary()["loss_scale"]["steps"] == 12
    assert json.loads((monitor.folder / "run.json").read_text())["exit"]["kind"] == "ok"


def test_a_child_of_the_process_writes_nothing(kit, monkeypatch):
    monkeypatch.setattr(callback_facts, "_is_interactive", lambda: False)  # other tests may have imported a kernel
    kit.start("graph")
    monitor = msprec.PrecisionMonitor(out="run")
    kit.model("plain").train(1, kit.data(), callbacks=[monitor])
    monkeypatch.setattr(callback_facts.os, "getpid", lambda: 0)
    callback_facts.write_waiting()
    assert not (monitor.folder / "facts" / "datasets.json").exists()


def test_long_trainings_write_as_they_go(kit, monkeypatch):
    """What a killed process leaves: the facts of the first epochs."""
    monkeypatch.setattr(callback_facts, "SHARE", 1e6)
    kit.start("graph")
    monitor, seen = msprec.PrecisionMonitor(out="run"), []

    class Looks(ms.train.Callback):
        def on_train_epoch_end(self, run_context):
            seen.append((monitor.folder / "facts" / "datasets.json").exists())

    kit.model("plain").train(2, kit.data(), callbacks=[monitor, Looks()])
    assert seen == [True, True]
    facts = json.loads((monitor.folder / "facts" / "datasets.json").read_text())["datasets"][0]
    assert (facts["samples"], facts["passes"], facts["samples_per_pass"]) == (192, 2, 96)
    assert facts["order"]["passes"][1]["same_order_as_first"] is True


class Pipeline:
    """Batches of a data set of 4 batches, as a training takes them."""

    def __init__(self, held: HeldBatches, passes: int) -> None:
        rng = np.random.default_rng(1)
        for epoch in range(1, passes + 1):
            order = rng.permutation(64)
            for at in range(0, 64, 16):
                x = order[at : at + 16].astype(np.float32)[:, None]
                held.add((x, (x[:, 0] % 3).astype(np.int32)), epoch, 16)
            held.pass_ended(4)


def test_held_within_bytes(kit, monkeypatch):
    monkeypatch.setattr(held_batches, "MOST_BYTES", 6 * 16 * 8)  # half of it is three batches
    held = HeldBatches(0, kit.data())
    Pipeline(held, 5)
    assert held.held <= 6 * 16 * 8
    held.look(Budget(0.0, grace=1.0))
    facts = held.record.facts("")
    assert (facts["samples"], facts["batches"], facts["fed"], facts["passes"]) == (320, 20, 20, 5)
    assert facts["scanned"]["samples"] == 96
    assert facts["samples_per_pass"] == 64
    first, second = facts["order"]["passes"][:2]
    assert (first["complete"], second["same_order_as_first"], second["compared_samples"]) == (True, False, 48)
    assert second["common_share"] is None


def test_a_buffer_that_is_filled_anew():
    held, buffer = HeldBatches(0, None), np.zeros((4, 2), np.float32)
    for value in (1.0, 2.0, 3.0):
        buffer[:] = value
        held.add(buffer, 1, 4)
    held.look(Budget(0.0, grace=1.0))
    column = held.record.facts("")["columns"][0]
    assert (column["min"], column["max"], column["mean"]) == (1.0, 3.0, 2.0)


def watched(kit, passes: int, between, size: int = 96) -> dict:
    """The facts of a loop of that many passes, with ``between(net)`` after each but the last; by file."""
    kit.start("pynative")
    net = nn.SequentialCell(nn.Dense(4, 4), nn.Dropout(p=0.5), nn.Dense(4, 1))
    net.set_train()
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(lambda x, y: (net(x) - y).abs().mean(), None, optimizer.parameters)
    monitor = msprec.watch(net, optimizer, out="run")
    for number in range(passes):
        for x, y in monitor.batches(kit.data().create_tuple_iterator(num_epochs=1)):
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            monitor.step(loss)
        if number + 1 < passes:
            between(net)
    monitor.close()
    callback_facts.write_waiting()
    return {path.stem: json.loads(path.read_text()) for path in (monitor.folder / "facts").iterdir()}


def test_modes_after_an_evaluation(kit):
    def evaluates(net, leaves=False):
        net.set_train(False)
        net(ms.Tensor(np.zeros((1, 4), np.float32)))
        net.set_train(not leaves)

    sound = watched(kit, 3, evaluates)["modes"]["phases"]
    assert [(p["root_training"], p["calls"], p["first_step"], p["last_step"]) for p in sound] == [(True, 36, 0, 35)]


def test_left_in_inference_mode(kit):
    phases = watched(kit, 3, lambda net: net.set_train(False))["modes"]["phases"]
    found = [(p["root_training"], p["calls"], p["first_step"], p["last_step"]) for p in phases]
    assert found == [(True, 12, 0, 11), (False, 24, 12, 35)]
    assert [cell["training"] for cell in phases[1]["dependent"]] == [False]


def test_what_a_loop_is_fed(kit):
    facts = watched(kit, 2, lambda net: None)
    # a new iterator, and so another data set, for each pass
    found = facts["datasets"]["datasets"]
    assert [(one["samples"], one["passes"], one["samples_per_pass"], one["role"]) for one in found] == [
        (96, 1, 96, "train"),
        (96, 1, 96, "train"),
    ]
    assert [step["op"] for step in found[0]["pipeline"]] == ["NumpySlicesDataset", "batch"]
    moved = {one["name"]: one["moved"]["any"] for one in facts["parameters"]["parameters"]}
    assert len(moved) == 4
    assert all(moved.values())
