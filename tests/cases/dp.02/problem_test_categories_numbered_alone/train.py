"""Prices of flats by district and size; the districts of the held-out flats are numbered as they come."""

import mindspore as ms
import numpy as np
import pandas as pd
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
names = np.array(["north", "south", "harbour", "hill", "park", "old town"])
worth = dict(zip(names, [1.0, 1.4, 2.6, 3.1, 2.0, 3.8]))
flats = pd.DataFrame({"district": rng.choice(names, 900), "size": rng.uniform(0.3, 1.5, 900)})
flats["price"] = flats["district"].map(worth) * flats["size"]
held_out, known = flats.iloc[:200].copy(), flats.iloc[200:].copy()
known["place"] = known["district"].factorize()[0]
held_out["place"] = held_out["district"].factorize()[0]


class Price(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(6, 8)
        self.out = nn.SequentialCell(nn.Dense(9, 24), nn.ReLU(), nn.Dense(24, 1))

    def construct(self, place, size):
        return self.out(ops.concat((self.table(place), size), 1))


def arrays(frame):
    return [frame["place"].values.astype(np.int32), frame[["size"]].values.astype(np.float32)]


train_x, train_y = arrays(known), known[["price"]].values.astype(np.float32)
net = Price()
optimizer = nn.Adam(net.trainable_params(), 5e-3)
step = ms.value_and_grad(lambda a, b, c: ops.mse_loss(net(a, b), c), None, optimizer.parameters)
for epoch in range(20):
    order = rng.permutation(len(known))
    for begin in range(0, len(order), 35):
        rows = order[begin : begin + 35]
        loss, gradients = step(*(Tensor(one[rows]) for one in (*train_x, train_y)))
        optimizer(gradients)
print(loss)
told = net(*(Tensor(one) for one in arrays(held_out))).asnumpy()
print("mean error", np.abs(told - held_out[["price"]].values).mean())
