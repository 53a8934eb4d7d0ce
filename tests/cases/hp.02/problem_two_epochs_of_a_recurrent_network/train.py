"""The sum of a sequence by a GRU in a loop of its own: two epochs, and the loss has hardly come down."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(5)
rng = np.random.default_rng(5)
series = rng.uniform(-1, 1, (480, 10, 2)).astype(np.float32)
sums = (series[:, :, 0] - series[:, :, 1]).sum(1, keepdims=True).astype(np.float32)
data = ds.NumpySlicesDataset((series, sums), ["series", "sum"], shuffle=True).batch(24)


class Summer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Dense(24, 1)

    def construct(self, x):
        return self.out(self.gru(x)[0][:, -1])


net = Summer()
mse = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda x, y: mse(net(x), y), None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(f"epoch {epoch} loss {float(loss):.4f}")
