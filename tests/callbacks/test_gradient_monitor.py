"""What the monitor writes, against gradients worked out with NumPy."""

import csv
from functools import partial

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from printing_cell import Counting, Printing

from msprec import GradientMonitor, PrecisionMonitor
from msprec.callbacks import precision
from msprec.callbacks.gradient_sampler import GradientSampler


def gradients(folder) -> list:
    with open(folder / "rank_0" / "gradients.csv", newline="") as file:
        return list(csv.DictReader(file))


def linear(scale_manager=None):
    """A layer whose gradient is easy: mean over the batch of 2·(prediction − y)·x."""
    net = nn.Dense(4, 1, weight_init=ms.Tensor(np.array([[0.5, 0.0, 1.0, 2.0]], np.float32)), has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    options = {"loss_scale_manager": scale_manager} if scale_manager else {}
    return ms.train.Model(net, nn.MSELoss(), optimizer, **options)


def expected(kit, steps: int, rate=0.1) -> list:
    """``(gradient, weight before)`` of each step."""
    x, y = kit.arrays()
    weight, seen = np.array([[0.5, 0.0, 1.0, 2.0]]), []
    for step in range(steps):
        at = slice(step * kit.BATCH, (step + 1) * kit.BATCH)
        gradient = (2 * (x[at] @ weight.T - y[at]) * x[at]).mean(0, keepdims=True)
        seen.append((gradient, weight))
        weight = weight - rate * gradient
    return seen


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("scaled", [False, True])
def test_numbers(kit, mode, scaled):
    kit.start(mode)
    manager = ms.amp.FixedLossScaleManager(1024.0, drop_overflow_update=True) if scaled else None
    monitor = GradientMonitor("run", every=1)
    linear(manager).train(1, kit.data(), callbacks=[monitor], dataset_sink_mode=False)
    rows, scale = gradients(monitor.folder), 1024.0 if scaled else 1.0
    assert [int(row["step"]) for row in rows] == list(range(1, kit.BATCHES + 1))
    for row, (gradient, weight) in zip(rows, expected(kit, kit.BATCHES)):
        assert row["parameter"] == "weight"
        assert row["source"] == ("replay" if mode == "graph" else "optimizer")
        norm = np.linalg.norm(gradient)
        assert float(row["norm"]) == pytest.approx(norm, rel=1e-4)
        assert float(row["max_abs"]) == pytest.approx(np.abs(gradient).max(), rel=1e-4)
        assert float(row["update_ratio"]) == pytest.approx(0.1 * norm / np.linalg.norm(weight), rel=1e-3)
        half = (np.abs(gradient) * scale).astype(np.float16)
        assert float(row["underflow"]) == np.mean(half == 0)
        assert float(row["subnormal"]) == np.mean((half > 0) & (half < 2.0**-14))
    summary = monitor.summary()
    assert summary["samples"] == kit.BATCHES
    largest = max(np.abs(g).max() for g, _ in expected(kit, kit.BATCHES))
    assert summary["largest_scale"] == 2.0 ** np.floor(np.log2(65504 / largest))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_skipped_updates_and_other_layers(kit, mode):
    """Steps that overflow are not taken for missing gradients; every parameter has its row."""
    kit.start(mode)
    monitor = GradientMonitor("run", every=1)
    kit.model("own", scale=2.0**24).train(2, kit.data(), callbacks=[monitor], dataset_sink_mode=False)
    rows = gradients(monitor.folder)
    steps = {row["step"] for row in rows}
    assert all(sum(row["step"] == step for row in rows) == 4 for step in steps)
    assert len(steps) >= 6
    assert monitor.summary()["why_not"] is None


def test_the_share_bounds_the_samples(kit):
    kit.start("pynative")
    monitor = GradientMonitor("run", share=1e-9)
    linear().train(2, kit.data(), callbacks=[monitor], dataset_sink_mode=False)
    assert monitor.summary()["samples"] == 1


@pytest.mark.parametrize("cell", [Printing, Counting])
def test_a_network_that_would_be_seen_is_not_run_again(kit, cell, capfd):
    kit.start("graph")
    net, monitor = cell(), GradientMonitor("run", every=1)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    ms.train.Model(net, nn.MSELoss(), optimizer).train(1, kit.data(2), callbacks=[monitor], dataset_sink_mode=False)
    told = monitor.summary()
    assert told["samples"] == 0
    assert cell.WHAT in told["why_not"]


def test_not_on_other_devices_unless_asked(kit, monkeypatch):
    kit.start("graph")
    monkeypatch.setattr("msprec.callbacks.gradient_sampler.on_cpu", lambda: False)
    monitor = GradientMonitor("run", every=1)
    linear().train(1, kit.data(2), callbacks=[monitor], dataset_sink_mode=False)
    assert "this device" in monitor.summary()["why_not"]
    asked = GradientMonitor("run2", every=1, replay=True)
    linear().train(1, kit.data(2), callbacks=[asked], dataset_sink_mode=False)
    assert asked.summary()["samples"] == 2


@pytest.mark.parametrize("first, samples", [(precision.FIRST_SAMPLE, False), (0.0, True)], ids=["short", "long"])
def test_member_of_the_precision_monitor(kit, monkeypatch, first, samples):
    """A training of a second is not sampled: its first sample alone would be several per cent of it."""
    monkeypatch.setattr(precision, "FIRST_SAMPLE", first)
    kit.start("pynative")
    monitor = PrecisionMonitor(out="run")
    linear().train(1, kit.data(), callbacks=[monitor], dataset_sink_mode=False)
    assert bool(monitor.summary()["gradients"]["samples"]) == samples


@pytest.mark.parametrize("tries, due", [(60.0, [2, 8, 16, 32]), (0.0, [2])], ids=["tries", "none"])
def test_a_short_training_is_sampled_in_its_second_half(kit, monkeypatch, tries, due):
    """Beyond its share, and as long as the seconds of `tries` last, at steps that are powers of two."""
    monkeypatch.setattr("msprec.callbacks.gradients.GradientSampler", partial(GradientSampler, tries=tries))
    kit.start("pynative")
    monitor = GradientMonitor("run", share=1e-9)
    linear().train(5, kit.data(), callbacks=[monitor], dataset_sink_mode=False)
    assert 32 <= 5 * kit.BATCHES < 64
    assert sorted({int(row["step"]) for row in gradients(monitor.folder)}) == due
