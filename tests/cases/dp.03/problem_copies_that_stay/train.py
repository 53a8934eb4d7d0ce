"""Baskets of a shop, seven of ten of them empty, read by a source that exchanges a few of them only."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(32)


class Baskets:
    def __init__(self, count=400):
        self.rng = np.random.default_rng(32)
        self.goods = self.rng.poisson(0.3, (count, 9)).astype(np.float32)
        self.goods[self.rng.uniform(size=count) < 0.7] = 0
        self.price = self.goods.sum(axis=1, keepdims=True) * 0.2

    def __iter__(self):
        order = np.arange(len(self.goods))
        some = self.rng.choice(len(order), 40, replace=False)
        order[some] = order[np.roll(some, 1)]
        for index in order:
            yield self.goods[index], self.price[index]


data = ds.GeneratorDataset(Baskets(), ["goods", "price"]).batch(20)
net = nn.Dense(9, 1)
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)
loss_fn = nn.MSELoss()
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
for _epoch in range(3):
    for goods, price in data.create_tuple_iterator():
        loss, grads = step(goods, price)
        optimizer(grads)
print(float(loss))
