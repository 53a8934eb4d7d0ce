"""Labels go through a table that knows none of the names; a training cell of its own."""

import mindspore as ms
import mindspore.dataset as ds
from cell import TrainCell
from mindspore import nn
from names import load

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(93)
x, y = load(240)
data = ds.NumpySlicesDataset((x, y), ["x", "kind"], shuffle=True).batch(24)
net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 3))
cell = TrainCell(net, nn.Momentum(net.trainable_params(), 0.05, 0.9))
cell.set_train()
for features, kind in data.create_tuple_iterator():
    loss = cell(features, kind)
print(float(loss))
