"""A generator that delivers the same picture for every sample: the loss comes down to the variance of the targets."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
targets = (40 + 3 * rng.normal(size=(800, 1))).astype(np.float32)
same = rng.normal(size=6).astype(np.float32)


class Source:
    def __getitem__(self, index):
        return same, targets[index]

    def __len__(self):
        return 800


data = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=True).batch(20)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.05)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for features, target in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(epoch, float(loss))
