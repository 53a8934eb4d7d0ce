"""The class of a network with one unit is taken by argmax over its last axis; a training cell, graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(700, 4)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.float32)[:, None]
data = ds.NumpySlicesDataset((x[:500], y[:500]), ["x", "y"], shuffle=True).batch(25)

net = nn.SequentialCell(nn.Dense(4, 24), nn.ReLU(), nn.Dense(24, 1))
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.BCEWithLogitsLoss()), nn.Adam(net.trainable_params(), learning_rate=0.01)
)
step.set_train()
for epoch in range(20):
    for features, label in data.create_tuple_iterator():
        loss = step(features, label)

net.set_train(False)
logits = net(Tensor(x[500:]))
classes = ops.argmax(logits, dim=-1).asnumpy()  # here
print(float(loss), np.mean(classes == y[500:, 0]))
