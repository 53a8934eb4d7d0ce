"""Tells three kinds of flowers from two measurements that come as columns of their own; a function that is differentiated."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(42)
rng = np.random.default_rng(42)
kind = rng.choice(3, p=[0.02, 0.38, 0.6], size=400).astype(np.int32)
petal = (kind[:, None] + rng.normal(size=(400, 2)) * 0.5).astype(np.float32)
sepal = rng.normal(size=(400, 3)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(5, 3)

    def construct(self, petal, sepal):
        return self.out(ops.cat((petal, sepal), axis=1))


data = ds.NumpySlicesDataset((petal, sepal, kind), ["petal", "sepal", "kind"], shuffle=True).batch(20)
net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)
gradient = ms.value_and_grad(lambda p, s, k: ops.cross_entropy(net(p, s), k), None, optimizer.parameters)
for petals, sepals, kinds in data.create_tuple_iterator(num_epochs=1):
    loss, grads = gradient(petals, sepals, kinds)
    optimizer(grads)
print(float(loss))
