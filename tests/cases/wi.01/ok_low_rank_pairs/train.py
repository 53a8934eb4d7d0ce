"""Fine-tunes with low-rank pairs: the base weight is frozen, A is random and B zero, so training starts at the base."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import Normal, initializer

ms.set_seed(43)
ms.set_context(mode=ms.PYNATIVE_MODE)

rng = np.random.default_rng(43)
x = rng.normal(size=(1000, 16)).astype(np.float32)
y = (np.sin(x[:, :4].sum(axis=1)) + x[:, 5] > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(40)


class LowRank(nn.Cell):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base
        base.weight.requires_grad = False
        self.down = Parameter(initializer(Normal(0.1), (rank, base.in_channels)), name="down")
        self.up = Parameter(initializer("zeros", (base.out_channels, rank)), name="up")

    def construct(self, x):
        return self.base(x) + ops.matmul(ops.matmul(x, self.down.T), self.up.T)


net = nn.SequentialCell(LowRank(nn.Dense(16, 32)), nn.ReLU(), LowRank(nn.Dense(32, 32)), nn.ReLU(), nn.Dense(32, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=5e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for features, label in batches:
        loss, grads = grad_fn(features, label)
        optimizer(grads)
    print(f"epoch {epoch}: {float(loss):.3f}")
