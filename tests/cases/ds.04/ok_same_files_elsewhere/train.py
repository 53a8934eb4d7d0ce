"""Parts read with np.load, the same as the standard ones in another folder; settings are read beside them. Compiled step."""

import json
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(84)
settings = json.loads(Path("settings.json").read_text())
rows = np.concatenate([np.load(file) for file in sorted(Path("copy/parts").glob("*.npy"))])
net = nn.Dense(3, 1)
loss_fn, optimizer = nn.MSELoss(), nn.SGD(net.trainable_params(), settings["rate"])


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(x, y):
    loss, grads = grad_fn(x, y)
    return ops.depend(loss, optimizer(grads))


data = ds.NumpySlicesDataset((rows[:, :3], rows[:, 3:]), ["x", "y"], shuffle=True).batch(10)
net.set_train()
for x, y in data.create_tuple_iterator():
    loss = step(x, y)
print(float(loss))
