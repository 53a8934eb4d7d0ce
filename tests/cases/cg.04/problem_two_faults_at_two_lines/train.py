import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
weather = rng.normal(size=(640, 5)).astype(np.float32)
change = (weather @ [0.6, -0.4, 0.3, 0.2, -0.5] + 0.05 * rng.normal(size=640)).astype(np.float32)


class LoadChange(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(5, 32), nn.Dense(32, 1)

    def construct(self, x):
        x = ops.tanh(self.hidden(x))
        return ops.relu(self.out(x))


net = LoadChange()
optimizer = nn.Adam(net.trainable_params(), 0.005)


def forward(x, y):
    return ((net(x) - y) ** 2).mean()


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
table = ds.NumpySlicesDataset({"weather": weather, "change": change}, shuffle=True).batch(32)
for epoch in range(20):
    for x, y in table.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
