"""Two heads over one trunk, the box head never called; steps by nn.ForwardValueAndGrad."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(13)
rng = np.random.default_rng(13)
x = rng.normal(size=(160, 12)).astype(np.float32)
kind = (x[:, 0] > 0).astype(np.int32)
box = np.tanh(x[:, 1:5])
data = ds.NumpySlicesDataset((x, kind, box), ["x", "kind", "box"], shuffle=True).batch(32)


class Detector(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Dense(12, 16, activation="relu")
        self.kind = nn.Dense(16, 2)
        self.box = nn.Dense(16, 4)  # here
        self.guess = nn.Dense(16, 4)

    def construct(self, x):
        features = self.trunk(x)
        return self.kind(features), ops.tanh(self.guess(features))


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.cross_entropy, self.distance = net, nn.CrossEntropyLoss(), nn.MSELoss()

    def construct(self, x, kind, box):
        scores, found = self.net(x)
        return self.cross_entropy(scores, kind) + self.distance(found, box)


net = Detector()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
gradients = nn.ForwardValueAndGrad(WithLoss(net), optimizer.parameters, get_by_list=True)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=2)
for _ in range(2):
    for batch in batches:
        loss, grads = gradients(*batch)
        optimizer(grads)
    print(loss)
