"""Biases of -20 before a ReLU: no unit of the hidden layer ever fires, and nothing before it gets a gradient."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Constant

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.uniform(size=(600, 6)).astype(np.float32)
y = np.argmax(x[:, :3], axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)
net = nn.SequentialCell(
    nn.Dense(6, 16),  # here
    nn.Tanh(),
    nn.Dense(16, 16, bias_init=Constant(-20.0)),
    nn.ReLU(),
    nn.Dense(16, 3),
)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1))
step.set_train()
for epoch in range(4):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss))
