"""Two layers drawn wide, at a rate that brings the outputs down to the targets; a training cell in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
inputs = rng.standard_normal((640, 12)).astype(np.float32)
targets = np.sin(inputs[:, :1]) + inputs[:, 1:2]
data = ds.NumpySlicesDataset((inputs, targets.astype(np.float32)), ["x", "y"], shuffle=True).batch(32)

layers, width = [], 12
for _ in range(2):
    layers += [nn.Dense(width, 64, weight_init=Normal(0.7)), nn.ReLU()]
    width = 64
net = nn.SequentialCell(*layers, nn.Dense(64, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
for epoch in range(6):
    for x, y in data.create_tuple_iterator(num_epochs=1):
        loss = step(x, y)
    print(epoch, float(loss))
