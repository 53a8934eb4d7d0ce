"""Two heads: a rating from a sigmoid scaled to 1 to 5, and logits of a click; both losses added in a loss cell; amp."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.amp import auto_mixed_precision

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
user, item = rng.integers(0, 50, 640).astype(np.int32), rng.integers(0, 80, 640).astype(np.int32)
rating = rng.integers(1, 6, 640).astype(np.float32)
click = (rating > 3).astype(np.float32)
columns = ["user", "item", "rating", "click"]
data = ds.NumpySlicesDataset((user, item, rating, click), columns, shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(50, 8), nn.Embedding(80, 8)
        self.hidden, self.rating, self.click = nn.Dense(16, 16), nn.Dense(16, 1), nn.Dense(16, 1)

    def construct(self, user, item):
        x = ops.relu(self.hidden(ops.cat((self.users(user), self.items(item)), 1)))
        return 1 + 4 * ops.sigmoid(self.rating(x)).reshape(-1), self.click(x).reshape(-1)


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.mse, self.bce = net, nn.MSELoss(), nn.BCEWithLogitsLoss()

    def construct(self, user, item, rating, click):
        rated, clicked = self.net(user, item)
        return self.mse(rated.astype(ms.float32), rating) + self.bce(clicked.astype(ms.float32), click)


net = auto_mixed_precision(Net(), "O2")
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
train = nn.TrainOneStepCell(WithLoss(net), optimizer)
train.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = train(*batch)
    print(epoch, float(loss.asnumpy()))
