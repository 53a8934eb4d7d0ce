"""Trains the two-headed net with a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from model import TwoHeads

ms.set_seed(13)
ms.set_context(mode=ms.GRAPH_MODE)

rng = np.random.default_rng(13)
x = rng.normal(size=(1000, 6)).astype(np.float32)
main = np.sin(x[:, :1] + x[:, 1:2]).astype(np.float32)
side = np.tanh(x[:, 2:3] * x[:, 3:4]).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "main": main, "side": side}, shuffle=True).batch(32)

net = TwoHeads()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=3e-3)


def forward(x, main, side):
    first, second = net(x)
    return loss_fn(first, main) + 0.3 * loss_fn(second, side)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, main, side):
    loss, grads = grad_fn(x, main, side)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    losses = [float(train_step(*columns)) for columns in batches]
    print(f"epoch {epoch}: {np.mean(losses):.4f}")
