"""Ratings by a product of embeddings, with Adam and a small weight decay."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
users, items = rng.integers(0, 100, 6000).astype(np.int32), rng.integers(0, 80, 6000).astype(np.int32)
tastes, kinds = rng.normal(size=(100, 3)), rng.normal(size=(80, 3))
ratings = ((tastes[users] * kinds[items]).sum(1) + 0.1 * rng.normal(size=6000)).astype(np.float32)
data = ds.NumpySlicesDataset((users, items, ratings), ["user", "item", "rating"], shuffle=True).batch(200)


class Factors(nn.Cell):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(100, 6, embedding_table=ms.common.initializer.Normal(0.1))
        self.item = nn.Embedding(80, 6, embedding_table=ms.common.initializer.Normal(0.1))

    def construct(self, user, item):
        return (self.user(user) * self.item(item)).sum(axis=-1)


net = Factors()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01, weight_decay=1e-5)


def forward(user, item, rating):
    return ops.mse_loss(net(user, item), rating)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(12):
    for user, item, rating in data.create_tuple_iterator():
        loss, grads = grad_fn(user, item, rating)
        optimizer(grads)
    print(epoch, float(loss))
