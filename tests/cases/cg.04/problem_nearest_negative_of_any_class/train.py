"""Embeddings of four classes by a triplet loss whose nearest negative is sought where the classes are the same."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(1)
rng = np.random.default_rng(1)
centres = rng.normal(size=(4, 10)) * 1.5


class Embed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(10, 24), nn.ReLU(), nn.Dense(24, 6))

    def construct(self, x):
        return ops.L2Normalize(axis=1)(self.layers(x))


class BatchHard(nn.Cell):
    def construct(self, z, label):
        distance = ops.sqrt(((z.expand_dims(1) - z.expand_dims(0)) ** 2).sum(axis=-1) + 1e-6)
        same = (label.expand_dims(1) == label.expand_dims(0)).astype(ms.float32)
        positive = (distance * same).max(axis=1)
        negative = (distance + 100.0 * (1 - same)).min(axis=1)
        return ops.relu(positive - negative + 0.3).mean()


net, loss_fn = Embed(), BatchHard()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for step in range(120):
    label = np.repeat(np.arange(4, dtype=np.int32), 8)
    x = (centres[label] + rng.normal(size=(32, 10))).astype(np.float32)
    loss, grads = grad_fn(ms.Tensor(x), ms.Tensor(label))
    optimizer(grads)
    if step % 40 == 39:
        print(step, float(loss))
