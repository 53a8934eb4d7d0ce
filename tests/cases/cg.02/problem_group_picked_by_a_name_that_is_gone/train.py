"""Tables are picked for a group by names, one of which is no longer in the network; TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
user, film = (rng.integers(0, 30, 640).astype(np.int32) for _ in range(2))
rating = (rng.standard_normal(30)[user] + rng.standard_normal(30)[film]).astype(np.float32)


class Ratings(nn.Cell):
    def __init__(self):
        super().__init__()
        self.user_table, self.film_table = nn.Embedding(30, 6), nn.Embedding(30, 6)
        self.head = nn.Dense(6, 1)
        self.loss = nn.MSELoss()

    def construct(self, user, film, rating):
        return self.loss(self.head(self.user_table(user) + self.film_table(film))[:, 0], rating)


def optimizer_of(net):
    head = list(net.head.trainable_params())
    tables = [one for one in net.trainable_params() if "film_" in one.name or "person_" in one.name]
    groups = [{"params": tables, "lr": 0.02}, {"params": head}]
    return nn.Adam(groups, learning_rate=0.005)


net = Ratings()
step = nn.TrainOneStepCell(net, optimizer_of(net))
step.set_train()
data = ds.NumpySlicesDataset((user, film, rating), ["user", "film", "rating"], shuffle=True).batch(32)
batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for batch in batches:
        loss = step(*batch)
print("loss", loss)
