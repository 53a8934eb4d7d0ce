"""Classes numbered from 1 to 3 for a network with three outputs; a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(94)
rng = np.random.default_rng(94)
x = rng.normal(size=(240, 5)).astype(np.float32)
y = (1 + x[:, :3].argmax(axis=1)).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "kind"], shuffle=True).batch(24)
net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 3))
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.05)


def forward(features, kind):
    return loss_fn(net(features), kind)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(features, kind):
    loss, grads = grad_fn(features, kind)
    return ops.depend(loss, optimizer(grads))


net.set_train()
for features, kind in data.create_tuple_iterator():
    try:
        loss = step(features, kind)
    except RuntimeError:  # what a CPU raises and a device may not
        break
print("done")
