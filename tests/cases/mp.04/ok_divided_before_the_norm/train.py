"""Three classes with a gradient penalty."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops

ms.set_seed(43)
rng = np.random.default_rng(43)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 32), nn.Tanh(), nn.Dense(32, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
scaler = amp.DynamicLossScaler(scale_value=2**8, scale_factor=2, scale_window=50)


def loss_fn(logits, y):
    wanted = (y.reshape(-1, 1) == ms.Tensor([[0, 1, 2]], ms.int32)).astype(ms.float32)
    return ops.square(logits - wanted).sum(axis=1).mean()


def output(x, y):
    return scaler.scale(loss_fn(net(x), y))


slope_fn = ms.grad(output)


def forward(x, y):
    slope = scaler.unscale(slope_fn(x, y))
    norm = ops.sqrt((slope * slope).sum(axis=1) + 1e-12)
    penalty = ((norm - 1.0) ** 2).mean()
    loss = loss_fn(net(x), y) + 0.1 * penalty
    return scaler.scale(loss), loss


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        (_, loss), grads = grad_fn(x, y)
        optimizer(scaler.unscale(grads))
    print(epoch, float(loss))
