"""Sparse activations, each unit active for its own samples; a hinge loss whose ReLU ends at zero; a sure softmax at the end."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
y = np.tile(np.arange(16), 20).astype(np.int32)
x = (np.eye(16, dtype=np.float32)[y] * 6 + 0.1 * rng.normal(size=(320, 16))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        start = ms.Tensor(np.eye(16, dtype=np.float32) * 2)
        self.code = nn.Dense(16, 16, weight_init=start, bias_init=ms.Tensor(np.full(16, -2.0, np.float32)))
        self.head = nn.Dense(16, 16)

    def construct(self, x):
        return self.head(ops.relu(self.code(x)))


net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)


def forward(x, y):
    scores = net(x)
    right = ops.gather_elements(scores, 1, y.reshape(-1, 1))
    hinge = ops.relu(1.0 - (right - scores)).sum(-1).mean() - 1.0
    sure = ops.softmax(scores, axis=-1)
    return hinge + 0.1 * ops.log(ops.gather_elements(sure, 1, y.reshape(-1, 1)) + 1e-6).mean() * -1.0


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(4):
    for features, labels in data.create_tuple_iterator():
        loss, grads = grad_fn(features, labels)
        optimizer(grads)
    print(epoch, float(loss))
