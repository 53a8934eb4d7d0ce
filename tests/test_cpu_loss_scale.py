"""Loss-scale cells on a CPU: the flag is exactly "some gradient is not finite", and nothing else changes."""

import subprocess
import sys

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn, ops
from mindspore.train import Model

from msprec import enable_loss_scale_on_cpu
from msprec.runtime import cpu_loss_scale

MODES = ("graph", "pynative")


def set_mode(mode):
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)


class Line(nn.Cell):
    """y = (x·w)²: its gradient to w is 2 x²·w, worked out by hand below."""

    def __init__(self, weights=1):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([3.0], ms.float32))
        self.v = ms.Parameter(ms.Tensor([0.0], ms.float32)) if weights == 2 else None

    def construct(self, x):
        y = ops.sum((x * self.w) ** 2)
        return y if self.v is None else y + ops.sum(x * self.v)


def trained(x, cell_class=nn.TrainOneStepWithLossScaleCell, scale=4.0, weights=1):
    net = Line(weights)
    cell = cell_class(net, nn.SGD(net.trainable_params(), 0.25), nn.DynamicLossScaleUpdateCell(scale, 2, 1000))
    cell.set_train()
    loss, overflow, _ = cell(ms.Tensor([x], ms.float32))
    return float(loss.asnumpy()), bool(overflow.asnumpy()), float(net.w.asnumpy()[0]), float(cell.scale_sense.asnumpy())


@pytest.mark.versions
@pytest.mark.parametrize("weights", [1, 2])
@pytest.mark.parametrize("mode", MODES)
def test_flag_update_and_scale_by_hand(mode, weights):
    assert enable_loss_scale_on_cpu() is True
    set_mode(mode)
    # finite: w ← 3 − 0.25·2·0.5²·3, scale kept
    assert trained(0.5, weights=weights) == (2.25, False, 2.625, 4.0)
    # (1e19·3)²·4 passes float32's range: no update, scale halved
    loss, overflow, w, scale = trained(1e19, weights=weights)
    assert (overflow, w, scale) == (True, 3.0, 2.0)
    loss, overflow, w, scale = trained(float("nan"), weights=weights)
    assert np.isnan(loss)
    assert (overflow, w, scale) == (True, 3.0, 2.0)
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", MODES)
def test_a_subclass_keeps_its_own_check(mode):
    class Always(nn.TrainOneStepWithLossScaleCell):
        def get_overflow_status(self, status, compute_output):
            return ms.Tensor(True)

    class Inherits(nn.TrainOneStepWithLossScaleCell):
        pass

    enable_loss_scale_on_cpu()
    set_mode(mode)
    assert trained(0.5, Always)[1:] == (True, 3.0, 2.0)
    assert trained(0.5, Inherits)[1:] == (False, 2.625, 4.0)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_idempotent_and_other_devices_keep_theirs(monkeypatch):
    assert enable_loss_scale_on_cpu()
    before = nn.TrainOneStepWithLossScaleCell.get_overflow_status
    original = nn.TrainOneStepWithLossScaleCell._msprec_device_overflow_status
    assert enable_loss_scale_on_cpu()
    assert nn.TrainOneStepWithLossScaleCell.get_overflow_status is before
    assert nn.TrainOneStepWithLossScaleCell._msprec_device_overflow_status is original
    assert original is not before

    class Elsewhere:
        @staticmethod
        def get_context(key):
            return "Ascend" if key == "device_target" else ms.get_context(key)

    ms.set_context(mode=ms.PYNATIVE_MODE)
    monkeypatch.setattr(cpu_loss_scale, "context", Elsewhere)
    called = []
    monkeypatch.setattr(
        nn.TrainOneStepWithLossScaleCell,
        "_msprec_device_overflow_status",
        lambda self, status, grads: called.append(len(grads)) or ms.Tensor(True),
    )
    assert trained(0.5)[1] is True
    assert called == [1], "on another device the flag is the device's own"
    assert cpu_loss_scale._Context.get_context("enable_ge") == ms.get_context("enable_ge")


@pytest.mark.versions
@pytest.mark.parametrize("mode", MODES)
def test_model_with_managers_and_levels(mode):
    enable_loss_scale_on_cpu()
    set_mode(mode)
    import mindspore.dataset as ds

    x = np.random.RandomState(0).randn(32, 4).astype(np.float32)
    for arguments in (
        {"loss_scale_manager": ms.amp.DynamicLossScaleManager()},
        {"loss_scale_manager": ms.amp.FixedLossScaleManager(128.0, True)},
        {"amp_level": "O2"},
        {"amp_level": "O3"},
        {"amp_level": "O3", "loss_scale_manager": ms.amp.DynamicLossScaleManager(2**10)},
    ):
        net = nn.Dense(4, 1)
        before = net.weight.asnumpy().copy()
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), **arguments)
        model.train(6, ds.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(8))
        assert not np.array_equal(before, net.weight.asnumpy()), arguments
        assert np.isfinite(net.weight.asnumpy()).all(), arguments
    ms.set_context(mode=ms.PYNATIVE_MODE)


WITHOUT = """
import mindspore as ms
from mindspore import nn
from mindspore.train import Model
net = nn.Dense(4, 1)
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), loss_scale_manager=ms.amp.DynamicLossScaleManager())
"""


def test_importing_changes_nothing():
    """MindSpore still refuses where the function was not called; when it no longer does, this module has had its
    day."""
    bare = subprocess.run(
        [sys.executable, "-c", "import msprec.runtime.cpu_loss_scale\n" + WITHOUT], capture_output=True, text=True
    )
    assert bare.returncode == 1
    assert "are supported on device `CPU`" in bare.stderr
    enabled = "from msprec import enable_loss_scale_on_cpu as on\nassert on()\n"
    assert subprocess.run([sys.executable, "-c", enabled + WITHOUT]).returncode == 0
