"""Which shop sells which good: both tables of vectors start at zero, and the layers behind them are drawn at random."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(31)
rng = np.random.default_rng(31)
shop, good = rng.integers(0, 40, 1600).astype(np.int32), rng.integers(0, 30, 1600).astype(np.int32)
kind_of_shop, kind_of_good = rng.integers(0, 3, 40), rng.integers(0, 3, 30)
sells = (kind_of_shop[shop] == kind_of_good[good]).astype(np.float32)[:, None]


class Trade(nn.Cell):
    def __init__(self, size=6):
        super().__init__()
        self.shop_table = Parameter(Tensor(np.zeros((40, size), np.float32)), name="shop_table")
        self.good_table = Parameter(Tensor(np.zeros((30, size), np.float32)), name="good_table")
        self.hidden = nn.Dense(2 * size, 24)
        self.last = nn.Dense(24, 1)

    def construct(self, shop, good):
        pair = ops.cat((self.shop_table[shop], self.good_table[good]), axis=1)
        return self.last(ops.tanh(self.hidden(pair)))


net = Trade()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = nn.Adam(net.trainable_params(), 0.02)
grad_fn = ms.value_and_grad(lambda s, g, y: loss_fn(net(s, g), y), None, net.trainable_params())
data = ds.NumpySlicesDataset((shop, good, sells), ["shop", "good", "sells"], shuffle=True).batch(80)
iterator = data.create_tuple_iterator(num_epochs=8)
net.set_train()
for epoch in range(8):
    for batch in iterator:
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(f"epoch {epoch} loss {float(loss):.3f}")
