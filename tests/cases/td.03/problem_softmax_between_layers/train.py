import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(15)
rng = np.random.default_rng(15)
middles = rng.normal(size=(8, 12))
crop = rng.integers(0, 8, 1200).astype(np.int32)
leaves = (middles[crop] + 0.5 * rng.normal(size=(1200, 12))).astype(np.float32)

net = nn.SequentialCell(
    [
        nn.Dense(12, 48),
        nn.ReLU(),
        nn.Dense(48, 32),
        nn.Softmax(axis=-1),
        nn.Dense(32, 32),
        nn.Softmax(axis=-1),
        nn.Dense(32, 8),
    ]
)
optimizer = nn.Adam(net.trainable_params(), 0.001)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(12):
    for x, y in (
        NumpySlicesDataset((leaves, crop), ["leaves", "crop"], shuffle=True)
        .batch(40)
        .create_tuple_iterator(num_epochs=1)
    ):
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
