"""Sorts small colour tiles; the pictures stay 8 bit in the pipeline, the network brings them to [0, 1]."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(14)

rng = np.random.default_rng(14)
colour = rng.integers(0, 3, 450).astype(np.int32)
tiles = rng.integers(0, 120, (450, 3, 8, 8))
tiles[np.arange(450), colour] += 100
tiles = tiles.astype(np.uint8)


class Sorter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="valid")
        self.flatten = nn.Flatten()
        self.head = nn.Dense(8 * 6 * 6, 3)

    def construct(self, tile):
        tile = ops.cast(tile, ms.float32) / 255.0
        return self.head(self.flatten(ops.relu(self.conv(tile))))


train_set = ds.NumpySlicesDataset((tiles, colour), ["tile", "colour"], shuffle=True).batch(30)
net = Sorter()
loss = nn.CrossEntropyLoss()
cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.05, 0.9))
cell.set_train()
iterator = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for tile, target in iterator:
        value = cell(tile, target)
    print("epoch", epoch, "loss", float(value))
