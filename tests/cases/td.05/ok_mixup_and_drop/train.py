"""Mixup: the step takes the labels as delivered and in the order of the partners; the statistics take a pass of their own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
labels = np.tile(np.arange(4), 80).astype(np.int32)
inputs = (rng.normal(size=(320, 6)) + 3 * rng.normal(size=(4, 6))[labels]).astype(np.float32)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)
mean = np.mean([x.mean(0) for x, _ in data.create_tuple_iterator(output_numpy=True)], axis=0)

net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)


def forward(x, partner, label, other, share):
    scores = net((share * x + (1 - share) * partner) - Tensor(mean.astype(np.float32)))
    return share * loss_fn(scores, label) + (1 - share) * loss_fn(scores, other)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(2):
    for x, label in data.create_tuple_iterator():
        order = Tensor(rng.permutation(len(x)), ms.int32)
        loss, grads = grad_fn(x, x[order], label, label[order], float(rng.beta(0.4, 0.4)))
        optimizer(grads)
    print(epoch, float(loss))
