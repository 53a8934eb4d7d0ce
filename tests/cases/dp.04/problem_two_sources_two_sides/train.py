"""Commands from two recorders, which fill up on different sides; a training cell of its own and a compiled forward."""

import mindspore as ms
import mindspore.dataset as ds
from cell import TrainCell
from mindspore import nn
from recorders import commands

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(73)
ids, kind = commands(300)
data = ds.NumpySlicesDataset((ids, kind), ["ids", "kind"], shuffle=True).batch(30)
net = nn.SequentialCell(nn.Embedding(40, 6), nn.Flatten(), nn.Dense(60, 2))
cell = TrainCell(net, nn.Momentum(net.trainable_params(), 0.05, 0.9))
cell.set_train()
for tokens, target in data.create_tuple_iterator():
    loss = cell(tokens, target)
print(float(loss))
