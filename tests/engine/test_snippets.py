"""The code under "how to fix" runs as it stands, given the user's things that it names."""

import re

import numpy as np
import pytest

from msprec.engine import items

pytestmark = [pytest.mark.versions, pytest.mark.xdist_group("snippets")]


def snippets() -> list:
    found = []
    for item in items():
        codes = re.findall(r"^```python\n(.*?)^```$", item.text("en").fix, re.MULTILINE | re.DOTALL)
        found += [pytest.param(item.id, code, id=f"{item.id}-{n}") for n, code in enumerate(codes, 1)]
    return found


class Source:
    """Twelve samples of 32 by 32 pixels; or of what is given."""

    def __init__(self, make=lambda i: np.full((32, 32, 3), i, np.uint8)):
        self.make = make

    def __getitem__(self, index):
        return self.make(index), np.int32(index % 3)

    def __len__(self):
        return 12


def user_things(item_id: str) -> dict:
    """What a user's script has before the snippet: data, a network, a loss, an optimizer."""
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Tensor, nn

    ms.set_seed(1)
    rng = np.random.default_rng(1)

    def features():
        return ds.GeneratorDataset(Source(lambda i: np.full(4, i, np.float32)), ["image", "label"], shuffle=False)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Dense(4, 8)
            self.norm = nn.LayerNorm((8,))
            self.head = nn.Dense(8, 3)

        def construct(self, x):
            return self.head(self.norm(self.backbone(x)))

    net = Net()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    things = {
        "__name__": "train",
        "num_classes": 3,
        "epochs": 2,
        "vocab_size": 100,
        "max_length": 6,
        "train_features": rng.normal(size=(12, 4)),
        "labels": np.arange(12) % 3,
        "source": Source(),
        "net": net,
        "loss_fn": loss_fn,
        "optimizer": optimizer,
        "image": Tensor(rng.normal(size=(5, 4)), ms.float32),
        "label": Tensor([0, 1, 2, 0, 1], ms.int32),
        "train_step": lambda image, label: None,
        "generate": lambda: iter(Source()[i] for i in range(12)),
        "train_dataset": features().batch(4),
        "valid_dataset": features().batch(4),
        "dataset": features(),
        "FileSource": lambda files: Source(),
    }
    if item_id == "ds.01":
        things["train_features"][3, 1] = -999.0
    if item_id == "dp.01":
        things["dataset"] = ds.GeneratorDataset(Source(), ["image", "label"])
    if item_id == "dp.03":
        things["source"] = Source(lambda i: np.float32(i))
        things["seen"] = []
        things["train_step"] = lambda image, label: things["seen"].append(image.asnumpy().tolist())
    if item_id == "dp.04":

        def ragged(i):
            return np.arange(1, 2 + i % 5, dtype=np.int32)

        things["dataset"] = ds.GeneratorDataset([(ragged(i), ragged(i)) for i in range(12)], ["ids", "targets"])
    if item_id == "wi.02":
        weights = [{"name": "module." + p.name, "data": p} for p in net.get_parameters()]
        ms.save_checkpoint(weights, "pretrained.ckpt")
    if item_id == "mp.04":
        things["critic"] = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))
        things["optimizer"] = nn.Adam(things["critic"].trainable_params(), 1e-3)
    if item_id in ("td.01", "td.09"):
        things["inputs"], things["labels"] = things["image"], things["label"]
        things["grad_fn"] = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    if item_id == "td.08":
        things["targets"] = 50 + 9 * rng.normal(size=(12, 2))
        things["outputs"] = rng.normal(size=(12, 2))
    return things


def after(item_id: str, names: dict) -> None:
    """What the snippet leaves behind has to work, too."""
    import mindspore as ms
    from mindspore import Tensor

    image, label = names["image"], names["label"]
    if item_id == "ds.03":
        assert np.isfinite(float(names["loss_fn"](names["net"](image), label)))
        assert sum(1 for _ in names["dataset"].create_tuple_iterator(num_epochs=1)) == 12
    if item_id == "ds.04":
        assert names["differing"] == ["b.txt"]
    if item_id == "dp.01":
        delivered = next(names["dataset"].create_tuple_iterator(num_epochs=1))[0]
        assert delivered.shape == (3, 32, 32)
        assert abs(float(names["train_features"].std()) - 1) < 1e-3
    if item_id == "dp.02":
        for training, batches in ((True, 2), (False, 3)):
            delivered = list(names["build_dataset"](Source(), training, 5).create_tuple_iterator(num_epochs=1))
            assert len(delivered) == batches
            assert delivered[0][0].shape == (5, 3, 32, 32)
    if item_id == "dp.03":
        first, second = names["seen"]
        assert sorted(first) == sorted(second)
        assert first != second
        assert [len(label) for _, label in names["stream"].create_tuple_iterator(num_epochs=1)] == [12]
    if item_id == "td.08":
        assert np.allclose(names["train_targets"].std(axis=0), 1, atol=1e-5)
    if item_id == "dp.04":
        ids, targets = next(names["dataset"].create_tuple_iterator(num_epochs=1))
        assert ids.shape == (4, 6)
        logits = names["embedding"](ids)
        assert np.isfinite(float(names["loss_fn"](logits.reshape(-1, 16), targets.reshape(-1))))
        assert names["mask_of"](Tensor([1, 6], ms.int32)).asnumpy().sum(axis=1).tolist() == [1, 6]
    if item_id == "dp.05":
        assert names["dataset"].get_dataset_size() == 0 or names["dataset"].is_sharded() is not None
    if item_id in ("hp.01", "hp.03"):
        assert len(names["rates" if item_id == "hp.03" else "falling"]) == names["steps"]
    if item_id == "api.01":
        assert names["layers"](Tensor(np.ones((2, 3, 32, 32)), ms.float32)).shape == (2, 10)
    if item_id == "mp.01":
        assert names["net"](image).dtype == ms.float16
        assert names["net"].norm(Tensor(np.ones((2, 8)), ms.float32)).dtype == ms.float32
    if item_id == "mp.03":
        before = [p.asnumpy().copy() for p in names["optimizer"].parameters]
        losses = [float(names["train_step"](image, label)) for _ in range(10)]
        assert losses[-1] < losses[0]
        assert any((old != new.asnumpy()).any() for old, new in zip(before, names["optimizer"].parameters))
    if item_id == "mp.04":
        (scaled, loss), gradients = names["grad_fn"](image, image * 2, image + 1)
        assert float(scaled) == pytest.approx(float(loss) * 2**16, rel=1e-5)
        assert all(np.isfinite(gradient.asnumpy()).all() for gradient in gradients)


def loss_scale_on_cpu(monkeypatch) -> None:
    """For this one test; the tests after it find MindSpore as it was."""
    from mindspore import nn
    from mindspore.train import amp

    import msprec

    cell = nn.TrainOneStepWithLossScaleCell
    monkeypatch.setattr(amp, "context", amp.context)
    monkeypatch.setattr(cell, "get_overflow_status", cell.get_overflow_status)
    before = set(vars(cell))
    msprec.enable_loss_scale_on_cpu()
    for name in set(vars(cell)) - before:
        added = getattr(cell, name)
        delattr(cell, name)
        monkeypatch.setattr(cell, name, added, raising=False)


@pytest.mark.parametrize(("item_id", "code"), snippets())
def test_snippet_runs(item_id, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corrections.csv").write_text("index,label\n3,1\n")
    for folder in ("data", "reference_data"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("a")
    (tmp_path / "data" / "b.txt").write_text("b")
    if item_id == "dp.05":  # without a second process
        import mindspore.communication as communication

        monkeypatch.setattr(communication, "init", lambda: None)
        monkeypatch.setattr(communication, "get_group_size", lambda: 2)
        monkeypatch.setattr(communication, "get_rank", lambda: 0)
    names = user_things(item_id)
    if item_id == "mp.02":  # Model takes a dynamic scale on a CPU only after this
        loss_scale_on_cpu(monkeypatch)
    script = tmp_path / "train.py"
    script.write_text(code, encoding="utf-8")  # MindSpore reads the source of what it compiles
    exec(compile(code, str(script), "exec"), names)
    after(item_id, names)
