"""The loop permutes inputs and labels together, and passes over a last batch that is not full; a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
labels = np.tile(np.arange(4), 81).astype(np.int32)
inputs = (rng.normal(size=(324, 6)) + 3 * rng.normal(size=(4, 6))[labels]).astype(np.float32)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)


def forward(x, label):
    return loss_fn(net(x), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, label):
    loss, grads = grad_fn(x, label)
    optimizer(grads)
    return loss


for epoch in range(2):
    for x, label in data.create_tuple_iterator():
        if len(x) < 32:
            continue
        order = Tensor(rng.permutation(32), ms.int32)
        loss = train_step(x[order], label[order])
    print(epoch, float(loss))
