"""A step of the user's adds gradients to sums that nothing sets back, until all units are dead; PyNative mode, own loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, ParameterTuple, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
y = np.tile(np.arange(3), 128).astype(np.int32)
x = (rng.normal(size=(384, 6)) + 2 * rng.normal(size=(3, 6))[y]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(8)


class SummingStep(nn.Cell):
    def __init__(self, network, loss_fn, optimizer, parts):
        super().__init__(auto_prefix=False)
        self.network, self.loss_fn, self.optimizer, self.parts = network, loss_fn, optimizer, parts
        self.sums = ParameterTuple(
            [Parameter(ops.zeros_like(p), name="sum." + p.name, requires_grad=False) for p in optimizer.parameters]
        )
        self.grad_fn = ms.value_and_grad(self.forward, None, optimizer.parameters)
        self.count = 0

    def forward(self, x, y):
        return self.loss_fn(self.network(x), y)

    def construct(self, x, y):
        loss, grads = self.grad_fn(x, y)
        for total, grad in zip(self.sums, grads):
            ops.assign_add(total, grad / self.parts)
        self.count += 1
        if self.count % self.parts == 0:
            self.optimizer(tuple(total.value() for total in self.sums))
        return loss


net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 3))
step = SummingStep(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.8, momentum=0.9), 2)
net.set_train()
for _ in range(4):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print("loss", loss)
