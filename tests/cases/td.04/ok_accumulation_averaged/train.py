"""Four micro-batches an update, averaged and cleared; a training cell of the user's in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
y = np.tile(np.arange(3), 128).astype(np.int32)
x = (rng.normal(size=(384, 6)) + 2 * rng.normal(size=(3, 6))[y]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(8)


class Accumulate(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, parts):
        super().__init__(network, optimizer)
        self.sums = ParameterTuple(self.weights).clone(prefix="sum", init="zeros")
        self.zeros = ParameterTuple(self.weights).clone(prefix="zero", init="zeros")
        self.count, self.parts = Parameter(Tensor(0, ms.int32), name="count"), parts

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) / self.parts)
        for total, grad in zip(self.sums, grads):
            loss = ops.depend(loss, ops.assign_add(total, grad))
        loss = ops.depend(loss, ops.assign_add(self.count, Tensor(1, ms.int32)))
        if self.count == self.parts:
            loss = ops.depend(loss, self.optimizer(self.sums))
            for total, zero in zip(self.sums, self.zeros):
                loss = ops.depend(loss, ops.assign(total, zero))
            loss = ops.depend(loss, ops.assign(self.count, Tensor(0, ms.int32)))
        return loss


net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 3))
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
step = Accumulate(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer, 4)
step.set_train()
for epoch in range(2):
    for features, labels in data.create_tuple_iterator():
        loss = step(features, labels)
    print(epoch, float(loss))
