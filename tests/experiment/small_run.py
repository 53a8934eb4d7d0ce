"""A run folder as `msprec run` would have written it of a small script, for tests that need no MindSpore."""

import json
import textwrap
from pathlib import Path

SCRIPT = """\
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

from network import Net


def main():
    train = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False)
    train = train.batch(16)  # of 64
    test = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False).batch(16)
    net = Net()
    net.to_float(ms.float16)
    optimizer = nn.Momentum(net.body.trainable_params(), 0.001, 0.9)
    loss_fn = nn.CrossEntropyLoss()
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    for epoch in range(5):
        for x, y in train.create_tuple_iterator():
            loss, grads = grad_fn(x, y)
            grads = ops.clip_by_norm(grads, 1.0)
            grads = scaler.unscale(grads)
            optimizer(grads)
    right = 0
    for x, y in test.create_tuple_iterator():
        right += (net(x).argmax(1) == y).sum()


main()
"""
NETWORK = """\
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(4, 8)
        self.head = nn.Dense(8, 3, weight_init="zeros")

    def construct(self, x):
        return ops.softmax(self.head(self.body(x)), axis=1)  # probabilities
"""
PROBLEMS = (
    "dp.01",
    "dp.03",
    "cg.02",
    "cg.04",
    "wi.01",
    "api.02",
    "hp.01",
    "hp.02",
    "hp.03",
    "mp.01",
    "mp.02",
    "mp.03",
    "ds.03",
)


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def write_run(folder: Path, problems=PROBLEMS, script: str = SCRIPT) -> Path:
    """The run folder, beside ``project`` with the script."""
    project, run = folder / "project", folder / "run"
    (run / "facts").mkdir(parents=True)
    project.mkdir()
    (project / "train.py").write_text(textwrap.dedent(script))
    (project / "network.py").write_text(NETWORK)
    recorded = {
        "schema": 1,
        "script": str(project / "train.py"),
        "cwd": str(project),
        "training_steps": 20,
        "seconds": 4.0,
    }
    recorded.update(command=["python", "train.py", "--epochs", "3"], seeds=[], source_files={})
    (run / "run.json").write_text(json.dumps(recorded))
    for name, facts in _facts().items():
        (run / "facts" / f"{name}.json").write_text(json.dumps(facts))
    place = [{"file": "train.py", "line": line_of(SCRIPT, "clip_by")}]
    items = [{"id": id, "summary": id, "conclusion": "problem", "locations": place} for id in problems]
    (run / "checklist.json").write_text(json.dumps({"items": items}))
    return run


def _at(part: str, file: str = "train.py", text: str = SCRIPT) -> dict:
    return {"file": file, "line": line_of(text, part)}


def _facts() -> dict:
    column = {"name": "x", "kind": "float", "shape": [4], "mean": 50.0, "std": 20.0, "channels": None}
    columns = [column, {"name": "y", "kind": "int", "shape": []}]
    source = {"op": "GeneratorDataset", "args": {"shuffle": False}, "place": _at("train = ds.")}
    batch = {"op": "batch", "args": {"batch_size": 16}, "place": _at("train.batch")}
    label = {"column": "y", "counts": {"0": 40, "1": 20, "2": 4}}
    train = {"role": "train", "columns": columns, "pipeline": [source, batch], "label": label, "samples_per_pass": 64}
    test = {**train, "role": "eval", "pipeline": [{**source, "place": _at("test = ds.")}]}
    initial, head = {"constant": True}, _at("self.head =", "network.py", NETWORK)
    weights = [
        {
            "name": "body.weight",
            "kind": "weight",
            "shape": [8, 4],
            "in_optimizer": True,
            "created": head,
            "initial": {},
        },
        {
            "name": "head.weight",
            "kind": "weight",
            "shape": [3, 8],
            "in_optimizer": False,
            "created": head,
            "initial": initial,
        },
    ]
    loop = {"via": "call", "root": "Net", "dependent": [{"path": "d"}], "root_training": True}
    phases = [
        {**loop, "gradient": True, "place": _at("grad_fn = "), "first_step": 0, "last_step": 19},
        {**loop, "gradient": False, "place": _at("argmax"), "first_step": 20, "last_step": 20},
    ]
    rate = {"kind": "constant", "value": 0.001}
    optimizer = {"class": "Momentum", "used": True, "place": _at("nn.Momentum"), "learning_rate": rate}
    step = {"style": "functional", "loss_scale": {"kind": "none"}}
    network = {"role": "train", "class": "Net", "place": _at("def construct", "network.py", NETWORK), "cells": []}
    return {
        "datasets": {"datasets": [train, test]},
        "parameters": {"parameters": weights},
        "optimizer": {"optimizers": [optimizer]},
        "modes": {"phases": phases},
        "loss": {"losses": [{"class": "CrossEntropyLoss", "place": _at("loss_fn(net")}]},
        "network": {"networks": [network]},
        "train_step": {"steps": [step]},
        "precision": {"half_compute": True, "to_float": [{"place": _at("to_float")}], "amp": []},
        "range_test": {"lower": 0.005, "upper": 0.4, "steepest": 0.02, "used": 0.001},
    }
