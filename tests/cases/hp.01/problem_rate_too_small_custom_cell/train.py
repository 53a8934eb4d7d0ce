"""Group rates divided by a million for a fine-tuning that is none; a training cell of the user's own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self, width=16, outputs=4):
        super().__init__()
        self.first = nn.Dense(10, width)
        self.act = nn.ReLU()
        self.last = nn.Dense(width, outputs)

    def construct(self, x):
        return self.last(self.act(self.first(x)))


class Trainer(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss) * self.sens)
        return ops.depend(loss, self.optimizer(grads))


net = Net()
groups = [{"params": net.first.trainable_params(), "lr": 1e-9}, {"params": net.last.trainable_params(), "lr": 1e-8}]
optimizer = nn.SGD(groups, learning_rate=1e-8)  # here
step = Trainer(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
for epoch in range(3):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss))
