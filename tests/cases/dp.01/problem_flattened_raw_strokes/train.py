"""Strokes of 20 × 20 pixels, flattened and left at 0 to 255."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(12)
rng = np.random.default_rng(11)
rows, columns = np.mgrid[:20, :20]


def stroke(kind):
    """A line through the middle, upright or lying, with a soft edge: the border is nearly always black."""
    across, along = (columns, rows) if kind else (rows, columns)
    line = np.exp(-((across - rng.normal(9.5, 1.5)) ** 2) / 4) * np.exp(-((along - 9.5) ** 2) / 30)
    return np.clip(line * rng.uniform(260, 420), 0, 255).astype(np.uint8)


kinds = rng.integers(0, 2, 400).astype(np.int32)
pixels = np.stack([stroke(kind) for kind in kinds]).reshape(400, 400).astype(np.float32)
train_set = ds.NumpySlicesDataset({"pixels": pixels, "label": kinds}, shuffle=True).batch(20)
net = nn.SequentialCell(nn.Dense(400, 32), nn.ReLU(), nn.Dense(32, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.05, 0.9)).train(2, train_set)
