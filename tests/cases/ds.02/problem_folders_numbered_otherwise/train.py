"""Pictures in folders of classes; the validation folder lacks one class."""

import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn
from PIL import Image

ms.set_seed(5)
rng = np.random.default_rng(5)
root = tempfile.mkdtemp()
colours = {"apple": (200, 60, 50), "banana": (210, 200, 60), "cherry": (120, 20, 50), "grape": (90, 60, 140)}
for part, n, names in (("train", 40, list(colours)), ("val", 15, ["apple", "cherry", "grape"])):
    for name in names:
        os.makedirs(os.path.join(root, part, name))
        for k in range(n):
            a = np.clip(np.array(colours[name]) + rng.normal(0, 20, (16, 16, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(a).save(os.path.join(root, part, name, f"{k:03d}.png"))


def loader(part, train):
    d = ds.ImageFolderDataset(os.path.join(root, part), decode=True, shuffle=train)
    t = [vision.Resize((16, 16)), vision.Normalize([127.5] * 3, [127.5] * 3), vision.HWC2CHW()]
    return d.map(t, "image").batch(16)


net = nn.SequentialCell(nn.Conv2d(3, 6, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Dense(6 * 64, 4))
model = ms.Model(
    net,
    nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    nn.Adam(net.trainable_params(), 2e-3),
    metrics={"acc"},
)
model.fit(5, loader("train", True), loader("val", False), dataset_sink_mode=False)
