"""Prices by a loop of its own: two epochs, a look at the test samples, and the loss has hardly come down."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
rooms = rng.normal(size=(640, 6)).astype(np.float32)
prices = (np.maximum(rooms @ rng.normal(size=(6, 3)), 0).sum(1, keepdims=True) + 1.5).astype(np.float32)
data = ds.NumpySlicesDataset((rooms[:480], prices[:480]), ["rooms", "price"], shuffle=True).batch(24)


class Prices(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(6, 48), nn.Dense(48, 1)

    def construct(self, x):
        return self.out(ops.relu(self.hidden(x)))


net = Prices()
mse = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda x, y: mse(net(x), y), None, optimizer.parameters)
batches = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    net.set_train()
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    net.set_train(False)
    print(f"epoch {epoch} loss {float(loss):.4f} test {float(mse(net(Tensor(rooms[480:])), Tensor(prices[480:]))):.4f}")
