"""A bias of -40 leaves no unit of a convolution's ReLU above zero; a function compiled by jit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(7)
rng = np.random.default_rng(7)
y = np.tile(np.arange(2), 96).astype(np.int32)
x = rng.normal(size=(192, 1, 8, 8)).astype(np.float32)
x[y == 1] += 1.0
data = ds.NumpySlicesDataset((x, y), ["image", "label"], shuffle=True).batch(16)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, has_bias=True, bias_init=ms.Tensor(np.full(8, -40.0, np.float32)))
        self.head = nn.Dense(8, 2)

    def construct(self, images):
        features = ops.relu(self.conv(images))
        return self.head(ops.mean(features, (2, 3)))


net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)


def forward(images, labels):
    return ops.cross_entropy(net(images), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(images, labels):
    loss, grads = grad_fn(images, labels)
    optimizer(grads)
    return loss


for epoch in range(3):
    for images, labels in data.create_tuple_iterator():
        loss = train_step(images, labels)
    print(epoch, float(loss))
