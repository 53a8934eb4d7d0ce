"""Which shops a person visits: each batch is made of visits, and then of shops that were drawn for the same people."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
people, shops, drawn = 60, 80, 4
taste = rng.normal(0, 1, (people, 4)) @ rng.normal(0, 1, (4, shops))
visits = np.argsort(-taste, 1)[:, :12]


class Visits(nn.Cell):
    def __init__(self):
        super().__init__()
        self.person = nn.Embedding(people, 8, embedding_table="normal")
        self.shop = nn.Embedding(shops, 8, embedding_table="normal")
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, person, shop, went):
        return self.loss((self.person(person) * self.shop(shop)).sum(-1), went)


def batch(size):
    who = rng.integers(0, people, size)
    went = visits[who, rng.integers(0, 12, size)]
    others = np.repeat(who, drawn)
    elsewhere = rng.integers(0, shops, size * drawn)
    label = np.concatenate([np.ones(size), np.zeros(size * drawn)]).astype(np.float32)
    both = np.concatenate([who, others]), np.concatenate([went, elsewhere])
    return [Tensor(one.astype(np.int32)) for one in both] + [Tensor(label)]


net = Visits()
step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), learning_rate=5e-3))
step.set_train()
for number in range(1000):
    loss = step(*batch(60))
    if number % 200 == 0:
        print(number, loss)
