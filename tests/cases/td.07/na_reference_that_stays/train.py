"""A network is kept close to a frozen copy of its start, as a policy is to its reference; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
inputs = rng.standard_normal((320, 8)).astype(np.float32)
labels = (inputs[:, 0] > inputs[:, 1]).astype(np.int32)


class Policy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 2)

    def construct(self, x):
        return self.out(ops.relu(self.hidden(x)))


policy, reference = Policy(), Policy()
for own, other in zip(reference.get_parameters(), policy.get_parameters()):
    own.set_data(ms.Tensor(other.asnumpy()))
    own.requires_grad = False
optimizer = nn.Adam(policy.trainable_params(), learning_rate=0.01)


def forward(x, y):
    scores, before = policy(x), ops.stop_gradient(reference(x))
    return ops.cross_entropy(scores, y) + 0.05 * ops.mse_loss(scores, before)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)
for epoch in range(4):
    for x, y in data.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
