"""One table holds the users and, after them, the items."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
USERS, ITEMS = 40, 50
left, right = rng.normal(size=(USERS, 3)), rng.normal(size=(ITEMS, 3))
user, item = rng.integers(0, USERS, 1600).astype(np.int32), rng.integers(0, ITEMS, 1600).astype(np.int32)
score = (left[user] * right[item]).sum(1).astype(np.float32)
data = ds.NumpySlicesDataset((user, item, score), ["user", "item", "score"], shuffle=True).batch(32)


class Factors(nn.Cell):
    def __init__(self):
        super().__init__()
        table = nn.Embedding(USERS + ITEMS, 8, embedding_table="normal")
        self.user_table = table
        self.item_table = table
        self.out = nn.Dense(8, 1)

    def construct(self, user, item):
        return self.out(self.user_table(user) * self.item_table(item + USERS)).squeeze(-1)


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.mse = net, nn.MSELoss()

    def construct(self, user, item, score):
        return self.mse(self.net(user, item), score)


loss = Loss(Factors())
step = nn.TrainOneStepCell(loss, nn.Adam(loss.trainable_params(), 0.02)).set_train()
for epoch in range(3):
    for batch in data.create_tuple_iterator():
        value = step(*batch)
    print(epoch, float(value))
