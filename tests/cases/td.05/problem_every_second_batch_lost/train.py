"""A loop over the iterator takes another batch from it inside: half of them never meet a step; nn.TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
inputs = rng.normal(size=(640, 6)).astype(np.float32)
targets = (inputs @ rng.normal(size=(6, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((inputs, targets), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(6, 16), nn.Tanh(), nn.Dense(16, 1))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), learning_rate=0.01))
step.set_train()

iterator = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for x, y in iterator:
        x, y = next(iterator)
        loss = step(x, y)
    print(epoch, float(loss))
