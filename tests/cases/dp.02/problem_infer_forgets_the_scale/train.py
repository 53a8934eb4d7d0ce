"""Trains with a cell of its own, then names the kind of some new pictures."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from predict import name_kinds
from steps import TrainCell
from tiles import read_tiles

ms.set_seed(33)
tiles, kind = read_tiles(seed=3, size=300)
train_set = ds.NumpySlicesDataset((tiles / np.float32(255.0), kind), ["tile", "kind"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Conv2d(3, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(4 * 36, 2))
train_cell = TrainCell(net, nn.Momentum(net.trainable_params(), 0.02, 0.9))
train_cell.set_train()
for epoch in range(2):
    for tile, target in train_set.create_tuple_iterator():
        loss = train_cell(tile, target)
    print("epoch", epoch, float(loss))
print(name_kinds(net, *read_tiles(seed=4, size=20)))
