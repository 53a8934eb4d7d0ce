"""One sample holds a reading that was never divided by its unit; a sum in float16 overflows on it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(1)
rng = np.random.default_rng(0)
features = rng.normal(size=(96, 16)).astype(np.float32)
features[77, 5] = features[77, 6] = 5e4
classes = features[:, :3].argmax(1).astype(np.int32)
data = ds.NumpySlicesDataset((features, classes), ["x", "y"], shuffle=True).batch(16)


class Shares(nn.Cell):
    """Each feature as a share of all."""

    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(16, 16), nn.Dense(16, 3)

    def construct(self, x):
        half = x.astype(ms.float16)
        total = ops.sum(ops.abs(half), 1, keepdim=True).astype(ms.float32)
        return self.out(ops.relu(self.hidden(x / total * 16))) + 0 * total


net = Shares()
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for x, y in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
