"""Fine-tuning all of a good network with a small rate, its backbone at a tenth of it, in a compiled step: the loss hardly
falls, as there is little left to learn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(67)
rng = np.random.default_rng(67)
x = rng.normal(size=(800, 10)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = nn.SequentialCell(nn.Dense(10, 64), nn.ReLU(), nn.Dense(64, 32), nn.ReLU())
        self.head = nn.Dense(32, 2)

    def construct(self, x):
        return self.head(self.backbone(x))


def trained(net, groups, steps):
    optimizer = nn.Adam(groups)

    def forward(a, b):
        return ops.cross_entropy(net(a), b)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def step(a, b):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
        return loss

    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40).repeat()
    for _, (a, b) in zip(range(steps), data.create_tuple_iterator(num_epochs=1)):
        loss = step(a, b)
    return loss


first = Net()
print("before", trained(first, [{"params": first.trainable_params(), "lr": 5e-3}], 300))
ms.save_checkpoint(first, "good.ckpt")
second = Net()
ms.load_checkpoint("good.ckpt", second)
groups = [
    {"params": second.backbone.trainable_params(), "lr": 1e-5},
    {"params": second.head.trainable_params(), "lr": 1e-4},
]
print("fine-tuned", trained(second, groups, 100))
