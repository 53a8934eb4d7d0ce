"""Ratings by factors and biases, by Adam at a thousandth of the rate: four epochs leave all weights where they were."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(4)
rng = np.random.default_rng(4)
USERS, ITEMS = 90, 60
likes, liked = rng.normal(0, 0.6, USERS), rng.normal(0, 0.6, ITEMS)
user = rng.integers(0, USERS, 2400).astype(np.int32)
item = rng.integers(0, ITEMS, 2400).astype(np.int32)
rating = (3.5 + likes[user] + liked[item] + 0.3 * rng.normal(size=2400)).astype(np.float32)
data = ds.NumpySlicesDataset((user, item, rating), ["user", "item", "rating"], shuffle=True).batch(60)


class Ratings(nn.Cell):
    def __init__(self, size=6):
        super().__init__()
        self.users, self.items = nn.Embedding(USERS, size), nn.Embedding(ITEMS, size)
        self.of_user = nn.Embedding(USERS, 1, embedding_table="zeros")
        self.of_item = nn.Embedding(ITEMS, 1, embedding_table="zeros")

    def construct(self, users, items):
        both = (self.users(users) * self.items(items)).sum(-1)
        return both + self.of_user(users)[:, 0] + self.of_item(items)[:, 0] + 3.5


net = Ratings()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-5)
mse = nn.MSELoss()


@ms.jit
def forward(users, items, ratings):
    return mse(net(users, items), ratings)


step = ms.value_and_grad(forward, None, optimizer.parameters)
batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for batch in batches:
        loss, gradients = step(*batch)
        optimizer(gradients)
    print(epoch, loss)
