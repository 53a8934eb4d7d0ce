"""The hooks, each on objects that it changes; MindSpore is put back afterwards."""

import weakref

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest
from mindspore import nn

from msprec.experiment import live
from msprec.runtime.patching import Patches
from msprec.runtime.source_locations import user_place

ROWS = np.arange(32, dtype=np.float32).reshape(16, 2)


@pytest.fixture
def put_in():
    patches = Patches()
    yield lambda **entry: live.install([entry], patches)
    patches.undo()


def here(further=0):
    place = user_place(2)
    return {"file": __file__, "line": place["line"] + further}


def made(**more):
    return ds.NumpySlicesDataset({"x": ROWS, "y": np.arange(16)}, shuffle=False, **more)


def test_standardise(put_in):
    put_in(name="standardise", columns={"x": [15.5, 10.0]})
    data = made().batch(16)
    for _ in range(2):  # a second pass is the same
        ((x, y),) = data.create_tuple_iterator(output_numpy=True)
        assert np.allclose(x, (ROWS - 15.5) / 10) and x.dtype == np.float32 and y[3] == 3


def test_shuffle_at_the_source(put_in):
    put_in(name="source_argument", operation="NumpySlicesDataset", **here(1), shuffle=True)
    data = ds.NumpySlicesDataset({"y": np.arange(64)}, shuffle=False)
    assert [int(y) for (y,) in data.create_tuple_iterator(output_numpy=True)] != list(range(64))
    other = ds.NumpySlicesDataset({"y": np.arange(64)}, shuffle=False)
    assert [int(y) for (y,) in other.create_tuple_iterator(output_numpy=True)] == list(range(64))


def test_shuffle_and_size_before_batch(put_in):
    put_in(name="shuffle_before_batch", **here(1), size=16)
    ((_, y),) = made().batch(16).create_tuple_iterator(output_numpy=True)
    assert list(y) != list(range(16)) and sorted(y) == list(range(16))
    put_in(name="batch_size", **here(1), size=4)
    assert made().batch(16).get_dataset_size() == 4


@pytest.mark.parametrize("rate", [0.5, [0.5, 0.5], nn.ExponentialDecayLR(0.5, 1.0, 4)])
def test_learning_rate(put_in, rate):
    put_in(name="learning_rate", factor=0.1)
    optimizer = nn.Momentum(nn.Dense(2, 2).trainable_params(), rate, 0.9)
    assert float(optimizer.get_lr().asnumpy()) == pytest.approx(0.05)


def test_learning_rate_of_groups(put_in):
    put_in(name="learning_rate", factor=10.0)
    one, other = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    groups = [{"params": one.trainable_params(), "lr": 0.1}, {"params": other.trainable_params()}]
    optimizer = nn.Momentum(groups, 0.2, 0.9)
    assert [float(rate.asnumpy()) for rate in optimizer.get_lr()[::2]] == pytest.approx([1.0, 2.0])


def test_all_parameters(put_in):
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    net[1].weight.requires_grad = False
    names = [parameter.name for parameter in net[1].get_parameters()]
    put_in(name="all_parameters", names=names)
    gone = weakref.proxy(nn.ReLU())  # one of the many objects that are looked through
    optimizer = nn.SGD(net[0].trainable_params(), 0.1)
    assert {one.name for one in optimizer.parameters} == {one.name for one in net.get_parameters()}
    assert net[1].weight.requires_grad and type(gone) in weakref.ProxyTypes


def test_initial_weights(put_in):
    net = nn.Dense(4, 4, weight_init="zeros")
    put_in(name="initial_weights", names=[net.weight.name])
    nn.SGD(net.trainable_params(), 0.1)
    assert np.unique(net.weight.asnumpy()).size > 8


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
        self.head = nn.Dense(2, 2)

    def construct(self, x):
        return self.head(self.body(x))


@pytest.mark.parametrize("whole", [True, False])
def test_cells_in_float32(put_in, whole):
    """With what holds them; also where to_float was called of each cell by itself."""
    put_in(name="float32", cells=["body.1"], network="Net")
    net, x = Net(), ms.Tensor(np.ones((1, 2), np.float32))
    for cell in (net,) if whole else (net.body, net.head):
        cell.to_float(ms.float16)
    nn.SGD(net.trainable_params(), 0.1)
    assert [cell(x).dtype for cell in (net.body[0], net.body[1], net.head)] == [ms.float16, ms.float32, ms.float16]
    assert [net.mixed_precision_type.name, net.body.mixed_precision_type.name] == ["FP32"] * 2


def test_float32_throughout(put_in):
    put_in(name="float32")
    x = ms.Tensor(np.ones((1, 2), np.float32))
    assert nn.Dense(2, 2).to_float(ms.float16)(x).dtype == ms.float32


@pytest.mark.parametrize("aux", [False, True])
def test_loss_scale_leaves_loss_and_gradients(put_in, aux):
    net = nn.Dense(2, 1)
    x = ms.Tensor(ROWS)

    def forward(x):
        loss = (net(x) ** 2).mean()
        return (loss, x) if aux else loss

    plain = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=aux)(x)
    put_in(name="loss_scale", scale=1024.0)
    scaled = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=aux)(x)
    losses = [found[0][0] if aux else found[0] for found in (plain, scaled)]
    assert np.allclose(*(loss.asnumpy() for loss in losses))
    assert all(np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5) for a, b in zip(plain[1], scaled[1]))


def test_class_weights(put_in):
    logits, labels = ms.Tensor([[0.0, 1.0], [0.0, 1.0]], ms.float32), ms.Tensor([0, 1], ms.int32)
    wanted = nn.CrossEntropyLoss(weight=ms.Tensor([3.0, 1.0], ms.float32))(logits, labels)
    put_in(name="class_weights", loss="CrossEntropyLoss", weights=[3.0, 1.0])
    assert nn.CrossEntropyLoss()(logits, labels) == wanted


def test_one_worker(put_in):
    before = ds.config.get_num_parallel_workers()
    put_in(name="one_worker")
    assert made(num_parallel_workers=2).num_parallel_workers == 1
    ds.config.set_num_parallel_workers(before)


def test_settings_of_the_script_do_not_undo_the_context(put_in):
    before = ms.get_context("mode")
    put_in(name="context", mode="pynative")
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ms.get_context("mode") == ms.PYNATIVE_MODE
    ms.context.set_context(mode=before)


def test_seeds(monkeypatch):
    patches = Patches()
    try:
        live.seeds(patches, 2, script_sets=True)
        ms.set_seed(5)
        assert ms.get_seed() == 7
    finally:
        patches.undo()
