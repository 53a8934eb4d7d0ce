"""``msprec.watch`` in loops without ``Model``, and `PrecisionMonitor`."""

import json
import math

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn

import msprec
from msprec.callbacks import watch


def build(scaler=None, rate=0.01):
    ms.set_seed(1)
    net = nn.Dense(4, 1)
    optimizer = nn.SGD(net.trainable_params(), rate)
    loss_fn = nn.MSELoss()

    def forward(x, y):
        loss = loss_fn(net(x), y)
        return loss if scaler is None else scaler.scale(loss)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(x, y):
        loss, grads = gradient(x, y)
        if scaler is not None:
            finite = ms.amp.all_finite(grads)
            loss, grads = scaler.unscale(loss), scaler.unscale(grads)
            scaler.adjust(finite)
            if not finite:
                return loss
        optimizer(grads)
        return loss

    return net, optimizer, train_step


def loop(kit, monitor, train_step, epochs=1):
    """The losses of a loop; each is read by the user as well."""
    losses = []
    for _ in range(epochs):
        source = kit.data().create_tuple_iterator(num_epochs=1)
        for x, y in source if monitor is None else monitor.batches(source):
            loss = train_step(x, y)
            if monitor is not None:
                monitor.step(loss)
            losses.append(float(loss.asnumpy()))
            if monitor is not None and monitor.stopped:
                return losses
    return losses


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_rows_and_the_same_bits(kit, mode):
    kit.start(mode)
    net, _, train_step = build()
    bare = loop(kit, None, train_step, 2), [p.asnumpy().tobytes() for p in net.get_parameters()], np.random.rand()
    kit.start(mode)
    net, optimizer, train_step = build()
    with msprec.watch(net, optimizer, out="run") as monitor:
        seen = loop(kit, monitor, train_step, 2)
    assert (seen, [p.asnumpy().tobytes() for p in net.get_parameters()], np.random.rand()) == bare
    rows = kit.rows(monitor.folder)
    assert [row["loss"] for row in rows] == seen
    assert [row["step"] for row in rows] == list(range(1, 25))
    assert {(row["lr"], row["batch"]) for row in rows} == {(float(np.float32(0.01)), 8)}
    assert all(row["seconds"] > 0 and row["data_seconds"] >= 0 for row in rows)
    run = json.loads((monitor.folder / "run.json").read_text())
    assert run["exit"]["kind"] == "ok" and run["training_steps"] == 24
    steps = json.loads((monitor.folder / "facts" / "train_step.json").read_text())["steps"]
    assert [(one["style"], one["count"]) for one in steps] == [("functional", 24)]


def test_dynamic_scaler(kit):
    kit.start("pynative")
    scaler = ms.amp.DynamicLossScaler(2.0**126, 2, 3)
    net, optimizer, train_step = build(scaler)
    monitor = msprec.watch(net, optimizer, scaler, out="run")
    expected = []
    for x, y in monitor.batches(kit.data().create_tuple_iterator(num_epochs=1)):
        before = float(scaler.scale_value.asnumpy())
        monitor.step(train_step(x, y))
        expected.append((before, float(scaler.scale_value.asnumpy())))
    monitor.close()
    rows = kit.rows(monitor.folder)
    assert [(row["scale"], row["next_scale"]) for row in rows] == expected
    assert [row["overflow"] for row in rows] == [float(after < before) for before, after in expected]
    summary = monitor.summary()["loss_scale"]
    assert summary["overflows"] == sum(after < before for before, after in expected) > 0


@pytest.mark.parametrize("policy", ["warn", "stop", "raise", "record"])
def test_policies(kit, policy, recwarn):
    kit.start("pynative")
    net, optimizer, train_step = build(rate=[0.01] * 3 + [1e30] * 30)
    monitor = msprec.watch(net, optimizer, policy=policy, out="run")
    if policy == "raise":
        with pytest.raises(msprec.NonFiniteError), monitor:
            loop(kit, monitor, train_step)
    else:
        with monitor:
            losses = loop(kit, monitor, train_step)
        assert len(losses) == (monitor.first[0] if policy == "stop" else 12)
    step = monitor.first[0]
    rows = kit.rows(monitor.folder)
    assert [math.isfinite(row["loss"]) for row in rows[:step]] == [True] * (step - 1) + [False]
    assert len([w for w in recwarn if "the loss is" in str(w.message)]) == (policy != "record")
    x, _ = kit.arrays()
    kept = np.load(monitor.folder / "rank_0" / "nonfinite" / "batch.npz", allow_pickle=False)
    assert np.array_equal(kept["input_0"], x[(step - 1) * 8 : step * 8])


def test_errors_inside_do_not_reach_the_loop(kit, monkeypatch):
    kit.start("pynative")
    net, optimizer, train_step = build()
    monitor = msprec.watch(net, optimizer, out="run")
    monkeypatch.setattr(type(monitor._keeper), "end", lambda *_: 1 / 0)
    with pytest.warns(RuntimeWarning, match="training goes on"):
        assert len(loop(kit, monitor, train_step)) == 12
    monitor.close()
    assert [e["event"] for e in kit.events(monitor.folder)] == ["monitor_error"]


def test_steps_after_closing_are_ignored(kit):
    kit.start("pynative")
    monitor = msprec.watch(out="run")
    monitor.step(1.0)
    monitor.close()
    monitor.step(2.0)
    monitor.close()
    assert [row["loss"] for row in kit.rows(monitor.folder)] == [1.0]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_precision_monitor_is_its_members(kit, mode):
    kit.start(mode)
    monitor = msprec.PrecisionMonitor(out="run")
    kit.model("own").train(1, kit.data(), callbacks=[monitor])
    alone = msprec.LossScaleMonitor("alone")
    kit.start(mode)
    kit.model("own").train(1, kit.data(), callbacks=[alone])
    keys = ("loss", "overflow", "scale", "next_scale", "lr", "batch")
    rows = [[row[key] for key in keys] for row in kit.rows(monitor.folder)]
    assert rows == [[row[key] for key in keys] for row in kit.rows(alone.folder)]
    assert all(row["seconds"] is not None for row in kit.rows(monitor.folder))
    summary = monitor.summary()
    assert summary["loss_scale"] == alone.summary()
    assert summary["step_time"]["steps"] == 12 and summary["first_nonfinite"] is None


def test_gradients_are_sampled(kit, monkeypatch):
    monkeypatch.setattr(watch, "FIRST_SAMPLE", 0.0)
    kit.start("pynative")
    call = nn.Cell.__call__
    net, optimizer, train_step = build()
    monitor = msprec.watch(net, optimizer, out="run")
    loop(kit, monitor, train_step)
    monitor.close()
    assert monitor.summary()["gradients"]["samples"] >= 1
    assert nn.Cell.__call__ is call


@pytest.mark.parametrize("given", ["cell", "network"])
def test_the_whole_output_of_a_training_cell(kit, given):
    """``(loss, overflow, scale)`` of each step of a cell with a loss scale."""
    kit.start("graph")
    wanted = kit.by_hand("own", 12)
    kit.start("graph")
    cell = kit.model("own").train_network
    cell.set_train()
    watched = cell if given == "cell" else cell.network
    with msprec.watch(watched, cell.optimizer, out="run") as monitor:
        for x, y in monitor.batches(kit.data().create_tuple_iterator(num_epochs=1)):
            monitor.step(cell(x, y))
    rows = kit.rows(monitor.folder)
    assert [(row["loss"], bool(row["overflow"])) for row in rows] == [(loss, flag) for loss, flag, _, _ in wanted]
    assert any(row["overflow"] for row in rows)
    if given == "cell":
        assert [(row["scale"], row["next_scale"]) for row in rows] == [
            (before, after) for _, _, before, after in wanted
        ]
        assert monitor.summary()["loss_scale"]["kind"] == "dynamic"


def test_a_rate_that_is_set_is_recorded_where_it_is(kit, monkeypatch):
    """It is read seldom once it stays: of the steps before the reading that finds it changed, none has a wrong one."""
    kit.start("pynative")
    net, optimizer, train_step = build()
    readings = []
    monkeypatch.setattr(watch.LearningRate, "still", counted(watch.LearningRate.still, readings))
    monitor, wanted = msprec.watch(net, optimizer, out="run"), []
    for epoch in range(4):
        optimizer.learning_rate.set_data(ms.Tensor(0.01 if epoch < 2 else 0.001 * epoch, ms.float32))
        for number, (x, y) in enumerate(monitor.batches(kit.data().create_tuple_iterator(num_epochs=1))):
            if (epoch, number) == (1, 9):
                optimizer.learning_rate.set_data(ms.Tensor(0.5, ms.float32))
            wanted.append(float(optimizer.learning_rate.asnumpy()))
            monitor.step(train_step(x, y))
    monitor.close()
    found = [row["lr"] for row in kit.rows(monitor.folder)]
    assert all(a is None or a == pytest.approx(b) for a, b in zip(found, wanted))
    assert sum(a is None for a in found) <= 12
    assert [found[at] for at in (0, 12, 24, 36)] == [pytest.approx(wanted[at]) for at in (0, 12, 24, 36)]
    assert len(readings) < 48


def counted(method, calls):
    def call(self):
        calls.append(1)
        return method(self)

    return call
