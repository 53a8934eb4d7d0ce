import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

rng = np.random.RandomState(9)
n_users, n_items = 60, 80
P, Q = rng.randn(n_users, 3), rng.randn(n_items, 3)
u = rng.randint(0, n_users, 5000).astype(np.int32)
v = rng.randint(0, n_items, 5000).astype(np.int32)
score = (P[u] * Q[v]).sum(1)
rating = np.clip(np.round(3 + score), 1, 5).astype(np.float32)


class MF(nn.Cell):
    def __init__(self, dim=8):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.mlp = nn.Dense(dim, 1)
        self.sigmoid = nn.Sigmoid()

    def construct(self, user, item):
        x = self.mlp(self.user(user) * self.item(item)) + self.user_bias(user) + self.item_bias(item)
        return (1 + 4 * self.sigmoid(x)).squeeze(-1)


class NetWithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.loss = nn.MSELoss()

    def construct(self, user, item, rating):
        return self.loss(self.net(user, item), rating)


net = MF()
train = ds.NumpySlicesDataset((u[:4000], v[:4000], rating[:4000]), ["u", "v", "r"], shuffle=True).batch(100)
step = nn.TrainOneStepCell(NetWithLoss(net), nn.Adam(net.trainable_params(), 0.02))
step.set_train()
for epoch in range(10):
    total = 0
    for a, b, c in train.create_tuple_iterator():
        total += step(a, b, c).asnumpy()
    print(epoch, total / 40)
p = net(ms.Tensor(u[4000:]), ms.Tensor(v[4000:])).asnumpy()
print("rmse", np.sqrt(((p - rating[4000:]) ** 2).mean()), "std", rating.std())
