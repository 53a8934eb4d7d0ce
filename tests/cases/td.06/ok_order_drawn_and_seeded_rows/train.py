"""Two processes whose source makes a generator by the sample's number and the epoch; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import transforms

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)


class Noisy:
    def __init__(self):
        self.x = rng.normal(size=(128, 8)).astype(np.float32)
        self.y = (self.x @ rng.normal(size=(8, 1))).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        noise = np.random.default_rng((7, int(index))).normal(0, 0.1, 8)
        return self.x[index] + noise.astype(np.float32), self.y[index]


def jitter(row):
    return (row + np.random.normal(0, 0.01, row.shape)).astype(np.float32)


data = ds.GeneratorDataset(Noisy(), ["x", "y"], shuffle=True, num_parallel_workers=2)
data = data.map([jitter, transforms.TypeCast(ms.float32)], "x").batch(16)
net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

iterator = data.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, target in iterator:
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(epoch, float(loss))
