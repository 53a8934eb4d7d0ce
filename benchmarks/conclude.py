"""CPU seconds to conclude a run of a large project and of many ranks, and where they went.

    python benchmarks/conclude.py RUN [--files 700] [--ranks 1024]

RUN is a recorded run folder (``msprec run --out RUN examples/…/train.py`` makes one). Two copies of it are concluded: one
whose ``source/`` holds a generated project in the style of a model zoo (registered networks, layers, data, schedules,
configurations, all imported by the script that was started), one whose rank 0 is there many times. For the project the
physical limit is to read and parse the same files once (``ast.parse``), for the ranks to read their JSON and CSV files once; the
ratio to it is printed, and the functions that took most of the time. The limits are the project's own: 5 s and 30 s.
"""

import argparse
import ast
import cProfile
import json
import pstats
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from msprec.engine import conclude
from msprec.source.gc_pause import collector_paused

FILES, RANKS = 700, 1024
SECONDS = {"files": 5.0, "ranks": 30.0}
_MODEL = '''"""Network {n} of the zoo."""

import math
from functools import partial
from typing import Optional

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common import initializer as init

from ..layers.block_{layer} import Attention{layer}, Mlp{layer}, make_norm_{layer}
from .helpers import build_model_with_cfg
from .registry import register_model

__all__ = ["Net{n}", "net{n}_small", "net{n}_base"]


def _cfg(url="", **kwargs):
    return {{"url": url, "num_classes": 1000, "dataset_transform": {{"resize": 256}}, "first_conv": "stem.conv", **kwargs}}


default_cfgs = {{"net{n}_small": _cfg(url="net{n}_small.ckpt"), "net{n}_base": _cfg(url="net{n}_base.ckpt")}}


class Stem{n}(nn.Cell):
    """Two convolutions that halve the picture twice."""

    def __init__(self, in_channels: int, width: int, norm: Optional[nn.Cell] = None, stride: int = 2) -> None:
        super().__init__()
        norm = norm or partial(nn.BatchNorm2d, momentum=0.9)
        self.conv1 = nn.Conv2d(in_channels, width // 2, 3, stride=stride, pad_mode="pad", padding=1, has_bias=False)
        self.bn1 = norm(width // 2)
        self.conv2 = nn.Conv2d(width // 2, width, 3, stride=2, pad_mode="pad", padding=1, has_bias=False)
        self.bn2 = norm(width)
        self.relu = nn.ReLU()
        self.downsample = None
        if stride > 2:
            self.downsample = nn.SequentialCell([nn.AvgPool2d(stride, stride), nn.Conv2d(in_channels, width, 1)])

    def construct(self, x: Tensor) -> Tensor:
        identity = x
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        if self.downsample is not None:
            x = x + self.downsample(identity)
        return x


class Block{n}(nn.Cell):
    """A residual block: attention, then two dense layers."""

    expansion: int = 4

    def __init__(self, dim, heads=8, mlp_ratio=4.0, drop=0.0, drop_path=0.0, layer_scale=1e-5, window={window}):
        super().__init__()
        self.norm1 = make_norm_{layer}(dim)
        self.attn = Attention{layer}(dim, heads=heads, attn_drop=drop, proj_drop=drop)
        self.norm2 = make_norm_{layer}(dim)
        self.mlp = Mlp{layer}(dim, hidden=int(dim * mlp_ratio), drop=drop)
        self.gamma = Parameter(Tensor(layer_scale, ms.float32), requires_grad=True)
        self.window, self.drop_path = window, drop_path

    def construct(self, x):
        shortcut = x
        x = self.norm1(x)
        if self.window > 0:
            batch, length, channels = x.shape
            x = ops.reshape(x, (batch * (length // self.window), self.window, channels))
            x = self.attn(x)
            x = ops.reshape(x, (batch, length, channels))
        else:
            x = self.attn(x)
        x = shortcut + self.gamma * x
        return x + self.gamma * self.mlp(self.norm2(x))


class Net{n}(nn.Cell):
    """The network: a stem, stages of blocks, a classifier."""

    def __init__(self, depth=({depth}), width={width}, num_classes=1000, in_channels=3, drop_rate=0.0, **kwargs):
        super().__init__()
        self.stem = Stem{n}(in_channels, width)
        stages = []
        for number, blocks in enumerate(depth):
            cells = [Block{n}(width, heads=4 + number, drop=drop_rate) for _ in range(blocks)]
            stages.append(nn.SequentialCell(cells))
        self.stages = nn.CellList(stages)
        self.norm = nn.LayerNorm((width,), epsilon=1e-6)
        self.dropout = nn.Dropout(p=drop_rate) if drop_rate > 0 else nn.Identity()
        self.head = nn.Dense(width, num_classes)
        self._initialize_weights()

    def _initialize_weights(self) -> None:
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(init.initializer(init.HeNormal(), cell.weight.shape, cell.weight.dtype))
            elif isinstance(cell, nn.Dense):
                limit = 1 / math.sqrt(cell.weight.shape[0])
                cell.weight.set_data(init.initializer(init.Uniform(limit), cell.weight.shape, cell.weight.dtype))

    def forward_features(self, x):
        x = self.stem(x)
        batch, channels, height, width = x.shape
        x = ops.transpose(ops.reshape(x, (batch, channels, height * width)), (0, 2, 1))
        for stage in self.stages:
            x = stage(x)
        return self.norm(x)

    def forward_head(self, x):
        return self.head(self.dropout(x.mean(axis=1)))

    def construct(self, x):
        return self.forward_head(self.forward_features(x))


@register_model
def net{n}_small(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs):
    """The small network."""
    model_args = dict(depth=({depth}), width={width}, num_classes=num_classes, in_channels=in_channels, **kwargs)
    return build_model_with_cfg(Net{n}, default_cfgs["net{n}_small"], pretrained, model_args)


@register_model
def net{n}_base(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs):
    """The base network."""
    model_args = dict(depth=(3, 3, 9), width=2 * {width}, num_classes=num_classes, in_channels=in_channels, **kwargs)
    return build_model_with_cfg(Net{n}, default_cfgs["net{n}_base"], pretrained, model_args)
'''
_LAYER = '''"""Layers that networks share, variant {n}."""

from mindspore import Tensor, nn, ops


def make_norm_{n}(dim, eps=1e-{eps}):
    return nn.LayerNorm((dim,), epsilon=eps)


class Mlp{n}(nn.Cell):
    def __init__(self, dim, hidden=None, drop=0.0, act=nn.GELU):
        super().__init__()
        hidden = hidden or dim
        self.fc1, self.act = nn.Dense(dim, hidden), act()
        self.fc2, self.drop = nn.Dense(hidden, dim), nn.Dropout(p=drop)

    def construct(self, x: Tensor) -> Tensor:
        return self.drop(self.fc2(self.drop(self.act(self.fc1(x)))))


class Attention{n}(nn.Cell):
    def __init__(self, dim, heads=8, qkv_bias=True, attn_drop=0.0, proj_drop=0.0):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Dense(dim, dim * 3, has_bias=qkv_bias)
        self.attn_drop, self.proj_drop = nn.Dropout(p=attn_drop), nn.Dropout(p=proj_drop)
        self.proj, self.softmax = nn.Dense(dim, dim), nn.Softmax(axis=-1)

    def construct(self, x, mask=None):
        batch, length, dim = x.shape
        qkv = ops.transpose(ops.reshape(self.qkv(x), (batch, length, 3, self.heads, dim // self.heads)), (2, 0, 3, 1, 4))
        query, key, value = ops.unstack(qkv, axis=0)
        weights = ops.matmul(query, key.swapaxes(-2, -1)) * self.scale
        if mask is not None:
            weights = ops.masked_fill(weights, mask == 0, -1e4)
        weights = self.attn_drop(self.softmax(weights))
        x = ops.reshape(ops.transpose(ops.matmul(weights, value), (0, 2, 1, 3)), (batch, length, dim))
        return self.proj_drop(self.proj(x))
'''
_DATA = '''"""Transforms and loaders, variant {n}."""

import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore.dataset import transforms


def create_transforms_{n}(size=224, is_training=False, mean=(123.7, 116.3, 103.5), std=(58.4, 57.1, 57.4)):
    if is_training:
        steps = [vision.RandomCropDecodeResize(size), vision.RandomHorizontalFlip(0.5)]
    else:
        steps = [vision.Decode(), vision.Resize(int(size / 0.875)), vision.CenterCrop(size)]
    return steps + [vision.Normalize(mean=mean, std=std), vision.HWC2CHW()]


def create_loader_{n}(dataset, batch_size, drop_remainder=False, is_training=False, num_parallel_workers=None):
    transform = create_transforms_{n}(is_training=is_training)
    dataset = dataset.map(operations=transform, input_columns="image", num_parallel_workers=num_parallel_workers)
    dataset = dataset.map(transforms.TypeCast("int32"), input_columns="label")
    for name, value in (("batch", batch_size), ("drop", drop_remainder)):
        if value is None:
            raise ValueError(name)
    return dataset.batch(batch_size=batch_size, drop_remainder=drop_remainder)


def create_dataset_{n}(root, split="train", shuffle=True, shards=None, shard_id=None):
    return ds.ImageFolderDataset(root, shuffle=shuffle, num_shards=shards, shard_id=shard_id)
'''
_TRAIN = '''"""Schedules, losses and steps, variant {n}."""

import math

from mindspore import nn, ops


class Loss{n}(nn.LossBase):
    def __init__(self, smoothing=0.{n}, reduction="mean"):
        super().__init__(reduction)
        self.smoothing = smoothing

    def construct(self, logits, labels):
        return ops.cross_entropy(logits, labels, label_smoothing=self.smoothing)


def cosine_lr_{n}(steps, base=0.1, warmup=5):
    rates = []
    for step in range(steps):
        rates.append(base * (1 + math.cos(math.pi * step / steps)) / 2 if step >= warmup else base * step / warmup)
    return rates


class TrainStep{n}(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale_sense=1.0, clip_grad=False, clip_value=15.0, accumulate=1):
        super().__init__(network, optimizer, scale_sense)
        self.clip_grad, self.clip_value, self.accumulate = clip_grad, clip_value, accumulate

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.scale_sense)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = self.hyper_map(ops.partial(lambda scale, grad: grad / scale, self.scale_sense), grads)
        if self.clip_grad:
            grads = ops.clip_by_global_norm(grads, self.clip_value)
        return ops.depend(loss, self.optimizer(grads))
'''
_HELPERS = {
    "models/registry.py": "_entries = {}\n\n\ndef register_model(fn):\n    _entries[fn.__name__] = fn\n    return fn\n\n\n"
    "def model_entrypoint(name):\n    return _entries[name]\n",
    "models/helpers.py": "import mindspore as ms\n\n\ndef build_model_with_cfg(model_cls, default_cfg, pretrained, model_args):\n"
    "    model = model_cls(**model_args)\n    if pretrained:\n"
    '        ms.load_param_into_net(model, ms.load_checkpoint(default_cfg["url"]))\n    return model\n',
    "models/model_factory.py": "from .registry import model_entrypoint\n\n\n"
    "def create_model(model_name, num_classes=1000, pretrained=False, **kwargs):\n"
    "    return model_entrypoint(model_name)(num_classes=num_classes, pretrained=pretrained, **kwargs)\n",
}


def project_files(count: int) -> dict:
    """``{name: text}`` of a generated package `zoo_of_models` of about ``count`` files, and of what imports all of it."""
    kinds = {
        "models/net": (_MODEL, 0.5),
        "layers/block": (_LAYER, 0.2),
        "data/loader": (_DATA, 0.2),
        "train/step": (_TRAIN, 0.1),
    }
    made, inits = dict(_HELPERS), {}
    layers = max(1, int((count - 8) * kinds["layers/block"][1]))
    for stem, (template, share) in kinds.items():
        folder = stem.partition("/")[0]
        for n in range(max(1, int((count - 8) * share))):
            text = template.format(
                n=n, layer=n % layers, eps=5 + n % 3, window=n % 2 * 7, depth="2, 2, 6", width=32 + n % 4
            )
            made[f"{stem}_{n}.py"] = text
            inits.setdefault(folder, []).append(f"from .{stem.partition('/')[2]}_{n} import *")
    for folder, lines in inits.items():
        extra = ["from .model_factory import create_model"] if folder == "models" else []
        made[f"{folder}/__init__.py"] = "\n".join([*lines, *extra, ""])
    made["__init__.py"] = "from . import data, layers, models, train\n"
    return {f"zoo_of_models/{name}": text for name, text in made.items()}


def with_project(run: Path, target: Path, count: int) -> Path:
    """A copy of a run folder whose script imports a large project."""
    shutil.copytree(run, target)
    known = json.loads((target / "run.json").read_text(encoding="utf-8"))
    for name, text in project_files(count).items():
        path = target / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        known["source_files"][name] = f"source/{name}"
    script = known["script"].replace("\\", "/").rpartition("/")[2]
    started = next(copy for name, copy in known["source_files"].items() if name.rpartition("/")[2] == script)
    with (target / started).open("a", encoding="utf-8") as file:
        file.write("\nfrom zoo_of_models import data, models, train\n")
    (target / "run.json").write_text(json.dumps(known), encoding="utf-8")
    return target


def with_ranks(run: Path, target: Path, count: int) -> Path:
    """A copy of a run folder whose rank 0 is there ``count`` times."""
    shutil.copytree(run, target)
    known = json.loads((target / "run.json").read_text(encoding="utf-8"))
    known["rank_size"] = count
    (target / "run.json").write_text(json.dumps(known), encoding="utf-8")
    for rank in range(1, count):
        home = target / f"rank_{rank}"
        shutil.copytree(target / "rank_0", home)
        shutil.copytree(target / "facts", home / "facts")
        (home / "run.json").write_text(json.dumps({**known, "rank": rank}), encoding="utf-8")
    return target


def read_once(run: Path) -> None:
    """The limit: every file of the folder read, parsed and forgotten."""
    for path in sorted(run.rglob("*")):
        if path.suffix == ".py":
            ast.parse(path.read_bytes())
        elif path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix in (".csv", ".jsonl"):
            path.read_text(encoding="utf-8").split("\n")


def seconds(work: Callable) -> float:
    """Seconds of process time, with the garbage collector paused as the commands of msprec pause it."""
    with collector_paused():
        began = time.process_time()
        work()
        return time.process_time() - began


def where(run: Path, most: int = 14) -> list:
    """(seconds in itself, seconds with what it calls, calls, function) of the functions that took most."""
    profile = cProfile.Profile()
    profile.runcall(conclude, run, "en")
    rows = []
    for (file, line, name), (_, calls, own, whole, _) in pstats.Stats(profile).stats.items():
        place = "/".join(Path(file).parts[-2:])
        rows.append((own, whole, calls, f"{place}:{line} {name}"))
    return sorted(rows, reverse=True)[:most]


def measured(what: str, run: Path, profiled: bool) -> None:
    limit = seconds(lambda: read_once(run))
    spent = min(seconds(lambda: conclude(run, "en")) for _ in range(2))
    verdict = "within" if spent <= SECONDS[what] else "above"
    print(f"{what}: concluded in {spent:.2f} s of CPU, {verdict} the limit of {SECONDS[what]:g} s; "
          f"reading the same files once takes {limit:.2f} s ({spent / limit:.1f} times)")  # fmt: skip
    if profiled:
        print(f"  {'own s':>7} {'whole s':>8} {'calls':>9}  (profiled, so slower)")
        for own, whole, calls, name in where(run):
            print(f"  {own:7.2f} {whole:8.2f} {calls:9}  {name}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("run", type=Path)
    arguments.add_argument("--files", type=int, default=FILES)
    arguments.add_argument("--ranks", type=int, default=RANKS)
    arguments.add_argument("--no-profile", action="store_true")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.files:
            measured("files", with_project(chosen.run, Path(folder, "files"), chosen.files), not chosen.no_profile)
        if chosen.ranks:
            measured("ranks", with_ranks(chosen.run, Path(folder, "ranks"), chosen.ranks), not chosen.no_profile)


if __name__ == "__main__":
    main()
