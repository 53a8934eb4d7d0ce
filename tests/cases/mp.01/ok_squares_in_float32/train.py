"""A norm squares values of hundreds in float32; a functional loop with a static loss scale."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
inputs = (150 * rng.standard_normal((320, 8))).astype(np.float32)
labels = (inputs[:, 0] > inputs[:, 1]).astype(np.int32)


class Normed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 16).to_float(ms.float16), nn.Dense(16, 2)

    def construct(self, x):
        hidden = self.first(x).astype(ms.float32)
        squares = (hidden * hidden).mean(-1, keep_dims=True)
        normed = hidden * ops.rsqrt(squares + 1e-6)
        return self.last(ops.relu(normed).astype(ms.float32))


net = Normed()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01, loss_scale=64.0)
grad_fn = ms.value_and_grad(lambda x, y: 64.0 * ops.cross_entropy(net(x), y), None, optimizer.parameters)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)
for epoch in range(3):
    for x, y in data.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss) / 64)
