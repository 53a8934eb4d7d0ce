"""The blocks stand in a Python list: they compute, and nobody trains them; custom training cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Dense(10, 16)
        self.blocks = [nn.Dense(16, 16) for _ in range(3)]  # here
        self.head = nn.Dense(16, 4)

    def construct(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = ops.relu(block(x))
        return self.head(x)


net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.05))
step.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss))
