"""Nine layers with ops.sigmoid under Adam, whose updates do not depend on the size of a gradient; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
x = rng.normal(size=(800, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)


class Tall(nn.Cell):
    def __init__(self, depth=8, width=24):
        super().__init__()
        self.first = nn.Dense(10, width)
        self.rest = nn.CellList([nn.Dense(width, width) for _ in range(depth)])
        self.last = nn.Dense(width, 4)

    def construct(self, features):
        features = ops.sigmoid(self.first(features))
        for layer in self.rest:
            features = ops.sigmoid(layer(features))
        return self.last(features)


net = Tall()
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.001)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for _ in range(10):
    for features, target in data.create_tuple_iterator():
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(float(loss))
