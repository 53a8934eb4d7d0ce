"""A run with msprec is the run without, bit by bit: losses, weights, random states, files, checkpoints, output."""

import json
import os
import sys
from pathlib import Path

import pytest

SCRIPT = (Path(__file__).parent / "training_script.py").read_text(encoding="utf-8")
#: Run with probes and the Word report.
_WHOLE = {("model", "graph"), ("functional", "pynative"), ("jit", "pynative"), ("cell", "graph")}
#: Run under the oldest MindSpore too.
_OLDEST = {("model", "graph"), ("functional", "pynative")}


def _case(style: str, mode: str):
    marks = [pytest.mark.versions] if (style, mode) in _OLDEST else []
    return pytest.param(style, mode, marks=marks, id=f"{style}-{mode}")


@pytest.mark.parametrize(
    ("style", "mode"), [_case(s, m) for s in ("model", "functional", "jit", "cell") for m in ("graph", "pynative")]
)
def test_same_run_with_and_without(scripts, tmp_path, style: str, mode: str) -> None:
    scripts.pipelined().write(SCRIPT)
    bare = scripts.bare(style, mode)
    other = type(scripts)(tmp_path / "observed").pipelined()
    other.folder.mkdir()
    other.write(SCRIPT)
    options = ("--probe-seconds", "5", "--word") if (style, mode) in _WHOLE else ()
    observed = other.observed(style, mode, options=options)
    assert bare.status == 0, bare.err
    assert observed.status == 0, observed.err
    assert json.loads(observed.out) == json.loads(bare.out)
    other.no_own_errors()
    rows = other.rows()
    assert [int(row["step"]) for row in rows] == list(range(1, 13))
    # the recorded losses are the script's own, to the last bit of a float32
    import numpy as np

    losses = [np.frombuffer(bytes.fromhex(x), np.float32)[0] for x in json.loads(bare.out)["losses"]]
    assert [np.float32(row["loss"]) for row in rows] == losses
    assert other.json("run.json")["training_steps"] == 12


#: A module of a package that forks, feeds itself from worker processes, trains in a thread and closes its standard output.
FORMS = """
import hashlib, multiprocessing, os, random, sys, threading
import numpy as np
import mindspore as ms, mindspore.dataset as ds
from mindspore import nn
from . import name

ms.set_seed(3)
random.seed(3)
child = os.fork()
if not child:
    random.random()
    sys.exit(4)
status = os.WEXITSTATUS(os.waitpid(child, 0)[1])


class Source:
    def __len__(self):
        return 48

    def __getitem__(self, index):
        return np.full(4, index / 48, np.float32), np.array([index % 2], np.float32)


def train(processes):
    data = ds.GeneratorDataset(Source(), ["x", "y"], num_parallel_workers=2, python_multiprocessing=processes, shuffle=False)
    data = data.batch(8)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
    net.set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    gradient = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)
    losses = []
    for _ in range(2):
        for x, y in data.create_tuple_iterator(num_epochs=1):
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            losses.append(loss.asnumpy().tobytes().hex())
    weights = hashlib.sha256(b"".join(p.asnumpy().tobytes() for p in net.get_parameters())).hexdigest()
    states = random.random(), np.random.rand(), ms.get_rng_state().asnumpy().tolist()
    with open("bits.txt", "a") as file:
        print(name, __name__, __package__, sys.argv[1:], status, *losses, weights, *states, sep="\\n", file=file)


if __name__ == "__main__":
    one = threading.Thread(target=train, args=(False,))  # MindSpore starts processes in the main thread alone
    one.start()
    one.join()
    train(True)
    print("trained", flush=True)
    sys.stdout.close()
    raise SystemExit(6)
"""


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_the_same_bits_however_it_is_started(scripts) -> None:
    """`-m`, a fork whose child exits, a data set of worker processes, a thread, a closed standard output."""
    package = scripts.folder / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("name = 'pack'\n")
    (package / "train.py").write_text(FORMS)
    found = []
    for command in ([sys.executable], scripts.command(script="pack.train", options=("-m",))[:-2]):
        done = scripts._run([*command, "-m", "pack.train", "--lr", "0.1"], 180)
        assert (scripts.folder / "bits.txt").exists(), done.err
        found.append((done.status, done.out, (scripts.folder / "bits.txt").read_text()))
        (scripts.folder / "bits.txt").unlink()
    assert found[0][0] == 6, done.err
    assert found[0] == found[1]
    assert scripts.rows()
    scripts.no_own_errors()
