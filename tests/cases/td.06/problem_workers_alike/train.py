"""Two processes load, and the source draws its noise from NumPy's shared generator: both draw the same; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
rng = np.random.default_rng(3)


class Noisy:
    def __init__(self):
        self.x = rng.normal(size=(128, 8)).astype(np.float32)
        self.y = (self.x @ rng.normal(size=(8, 1))).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index] + np.random.normal(0, 0.1, 8).astype(np.float32), self.y[index]


data = ds.GeneratorDataset(Noisy(), ["x", "y"], shuffle=True, num_parallel_workers=2).batch(16)
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
