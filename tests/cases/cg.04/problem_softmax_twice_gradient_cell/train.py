"""A cell of the script's own gives the gradients by GradOperation; the network ends with a softmax all the same."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Gradients(nn.Cell):
    def __init__(self, network, weights):
        super().__init__(auto_prefix=False)
        self.network, self.weights = network, weights
        self.operation = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        return self.operation(self.network, self.weights)(x, y)


net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4), nn.Softmax())
with_loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
optimizer = nn.Adam(net.trainable_params(), 1e-2)
gradients = Gradients(with_loss, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=3)
for _ in range(3):
    for x, y in batches:
        loss = with_loss(x, y)
        optimizer(gradients(x, y))
    print(loss)
