"""Gradients of four batches are added up in parameters by one cell, and given to the optimizer by another."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import ParameterTuple, Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
points = rng.normal(size=(960, 6)).astype(np.float32)
kind = (points[:, 0] * points[:, 1] > 0).astype(np.int32) + (points[:, 2] > 1)
data = ds.NumpySlicesDataset((points, kind.astype(np.int32)), ["points", "kind"], shuffle=True).batch(20)

add = ops.MultitypeFuncGraph("add")


@add.register("Tensor", "Tensor")
def _add(total, gradient):
    return ops.assign_add(total, gradient)


class ForwardBackward(nn.Cell):
    def __init__(self, network, weights, sums):
        super().__init__(auto_prefix=False)
        self.network, self.weights, self.sums = network, weights, sums
        self.grad, self.map = ops.GradOperation(get_by_list=True), ops.HyperMap()

    def construct(self, *batch):
        loss = self.network(*batch)
        gradients = self.grad(self.network, self.weights)(*batch)
        return ops.depend(loss, self.map(ops.partial(add), self.sums, gradients))


class Update(nn.Cell):
    def __init__(self, optimizer, sums):
        super().__init__(auto_prefix=False)
        self.optimizer, self.sums = optimizer, sums

    def construct(self):
        return self.optimizer(self.sums)


net = nn.SequentialCell(nn.Dense(6, 32), nn.ReLU(), nn.Dense(32, 3))
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
sums = optimizer.parameters.clone(prefix="sum", init="zeros")
forward_backward = ForwardBackward(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), ParameterTuple(net.trainable_params()), sums
)
update = Update(optimizer, sums)
forward_backward.set_train()
for epoch in range(6):
    for number, (x, y) in enumerate(data.create_tuple_iterator(num_epochs=1), 1):
        loss = forward_backward(x, y)
        if number % 4 == 0:
            update()
    print(epoch, loss)
net.set_train(False)
print((net(Tensor(points)).asnumpy().argmax(1) == kind).mean())
