"""A small real training in every way of scaling the loss, with or without callbacks."""

import csv
import json
import random
from functools import partial
from types import SimpleNamespace

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest
from mindspore import nn, ops
from mindspore.common import seed as op_seed
from mindspore.train import Model

from msprec.runtime.cpu_loss_scale import enable_loss_scale_on_cpu

BATCH, BATCHES = 8, 12


class OwnCheckCell(nn.TrainOneStepWithLossScaleCell):
    """A user's subclass with its own overflow check, which works on any device."""

    def get_overflow_status(self, status, compute_output):
        return ops.logical_not(ms.amp.all_finite(compute_output))


class ShuffledCell(OwnCheckCell):
    """A user's subclass that puts out more, in another order."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        scale = self.scale_sense
        sens = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = self.hyper_map(ops.partial(ms.nn.wrap.loss_scale._grad_scale, scale), grads)
        overflow = self.get_overflow_status(None, grads)
        flag = self.process_loss_scale(overflow)
        if not flag:
            loss = ops.depend(loss, self.optimizer(grads))
        return scale, ops.ones((3,), ms.int32), overflow, loss, inputs[0]


class GuisedCell(OwnCheckCell):
    """A user's subclass: ``guise`` "flags" puts another bool first, "opposite" all-finite, "flagless" no bool."""

    def __init__(self, network, optimizer, scale_sense, guise):
        super().__init__(network, optimizer, scale_sense)
        self.guise = guise

    def construct(self, *inputs):
        loss, overflow, scale = super().construct(*inputs)
        if self.guise == "flags":
            return loss, ops.equal(loss, loss), overflow, scale
        if self.guise == "opposite":
            return loss, ops.logical_not(overflow), scale
        return loss, scale


class AccumulatingCell(OwnCheckCell):
    """A user's subclass that adds up the gradients of two batches for an update."""

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, scale_sense)
        self.sums = optimizer.parameters.clone(prefix="sum", init="zeros")
        self.count = ms.Parameter(ms.Tensor(0, ms.int32), name="count")
        self.assign_all = ops.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        scale = self.scale_sense
        sens = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = self.hyper_map(ops.partial(ms.nn.wrap.loss_scale._grad_scale, scale), grads)
        overflow = self.process_loss_scale(self.get_overflow_status(None, grads))
        if not overflow:
            loss = ops.depend(loss, self.assign_all(ops.assign_add, self.sums, grads))
            loss = ops.depend(loss, ops.assign_add(self.count, ms.Tensor(1, ms.int32)))
            if self.count % 2 == 0:
                loss = ops.depend(loss, self.optimizer(self.sums))
                loss = ops.depend(
                    loss, self.assign_all(ops.assign, self.sums, self.assign_all(ops.zeros_like, self.sums))
                )
        return loss, overflow, scale


class Drawing(nn.Cell):
    """A network whose code names NumPy's generator, and so may draw from it."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        assert np.random is not None
        return self.net(x)


def arrays():
    random_numbers = np.random.RandomState(3)
    x = random_numbers.randn(BATCH * BATCHES, 4).astype(np.float32)
    return x, (x @ np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32)).astype(np.float32)


def data(repeat_batches=BATCHES):
    x, y = arrays()
    size = BATCH * repeat_batches
    return ds.NumpySlicesDataset({"x": x[:size], "y": y[:size]}, shuffle=False).batch(BATCH)


def network(half: bool):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
    return net.to_float(ms.float16) if half else net


def model(kind: str, rate=0.01, scale=2.0**24, window=3, optimizer_scale=1.0):
    """``kind``: plain, host, dynamic, fixed_drop, fixed_keep, o2, o3, or one of ``cells``."""
    half = kind not in ("plain", "fixed_keep", "o2", "o3")
    net, loss = network(half), nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9, loss_scale=optimizer_scale)
    cells = {
        "cell": nn.TrainOneStepWithLossScaleCell,
        "own": OwnCheckCell,
        "shuffled": ShuffledCell,
        **{guise: partial(GuisedCell, guise=guise) for guise in ("flags", "opposite", "flagless")},
        "accumulating": AccumulatingCell,
    }
    if kind in (*cells, "host"):
        sense = nn.DynamicLossScaleUpdateCell(scale, 2, window) if kind != "host" else ms.Tensor(scale, ms.float32)
        return Model(cells.get(kind, OwnCheckCell)(nn.WithLossCell(net, loss), optimizer, sense))
    arguments = {
        "plain": {},
        "dynamic": {"loss_scale_manager": ms.amp.DynamicLossScaleManager(scale, 2, window)},
        "fixed_drop": {"loss_scale_manager": ms.amp.FixedLossScaleManager(scale, True)},
        "fixed_keep": {"loss_scale_manager": ms.amp.FixedLossScaleManager(scale, False)},
        "o2": {"amp_level": "O2"},
        "o3": {"amp_level": "O3"},
    }[kind]
    return Model(net, loss, optimizer, **arguments)


def start(mode: str) -> None:
    """The same state for every training: seeds, op seeds, mode."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(5)
    random.seed(5)
    ds.config.set_seed(5)


def state() -> tuple:
    """All random states that a monitor could disturb."""
    numpy_state = np.random.get_state()
    return (
        ms.get_rng_state().asnumpy().tobytes(),
        numpy_state[1].tobytes(),
        numpy_state[2],
        random.getstate(),
        {name: repr(value) for name, value in vars(op_seed).items() if name.isupper()},
        float(ops.rand(1).asnumpy()[0]),
        float(nn.Dense(2, 2).weight.asnumpy()[0, 0]),
    )


def weights(trained: Model) -> dict:
    return {p.name: p.asnumpy().copy() for p in trained.train_network.get_parameters()}


def by_hand(kind: str, step_recorder: int, **options) -> list:
    """What a loop that reads everything at each step sees of the same training: (loss, overflow, scale before, scale
    after)."""
    trained = model(kind, **options)
    cell = trained.train_network
    cell.set_train()
    x, y = arrays()
    seen = []
    for step in range(step_recorder):
        at = slice((step % BATCHES) * BATCH, (step % BATCHES + 1) * BATCH)
        before = float(cell.scale_sense.asnumpy()) if hasattr(cell, "scale_sense") else None
        outputs = cell(ms.Tensor(x[at]), ms.Tensor(y[at]))
        after = float(cell.scale_sense.asnumpy()) if hasattr(cell, "scale_sense") else None
        if kind == "shuffled":
            seen.append((float(outputs[3].asnumpy()), bool(outputs[2].asnumpy()), before, after))
        elif before is None:
            seen.append((float(outputs.asnumpy()), None, None, None))
        else:
            seen.append((float(outputs[0].asnumpy()), bool(outputs[1].asnumpy()), before, after))
    return seen


def rows(folder, rank=0) -> list:
    """``steps.csv`` with floats, None where a cell is empty."""
    with open(folder / f"rank_{rank}" / "steps.csv", newline="") as file:
        return [{k: float(v) if v else None for k, v in row.items()} for row in csv.DictReader(file)]


def events(folder, rank=0) -> list:
    path = folder / f"rank_{rank}" / "events.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def kit(monkeypatch, tmp_path):
    """The helpers of this file; the working directory is an empty folder and no recorder is left from another test."""
    from msprec.observe import callback_facts
    from msprec.observe.source_copies import SourceObserver
    from msprec.record import step_recorder

    # else each run would be given a copy of all the tests that this process has loaded; those of a script: test_facts_alone.py
    monkeypatch.setattr(SourceObserver, "collect", lambda self, *files: None)
    monkeypatch.setattr(callback_facts, "_waiting", [])
    assert enable_loss_scale_on_cpu()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(step_recorder, "_recorders", {})
    monkeypatch.setattr(step_recorder, "_default", None)
    yield SimpleNamespace(
        model=model,
        data=data,
        arrays=arrays,
        start=start,
        state=state,
        weights=weights,
        by_hand=by_hand,
        rows=rows,
        events=events,
        network=network,
        OwnCheckCell=OwnCheckCell,
        Drawing=Drawing,
        BATCH=BATCH,
        BATCHES=BATCHES,
    )
    ms.set_context(mode=ms.PYNATIVE_MODE)
