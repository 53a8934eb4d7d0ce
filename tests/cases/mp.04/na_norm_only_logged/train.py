"""Three classes in float16; logs a norm."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops

ms.set_seed(48)
rng = np.random.default_rng(48)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 3))
net = amp.auto_mixed_precision(net, "O3")
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=50)


def forward(x, y):
    loss = loss_fn(net(x).astype(ms.float32), y)
    return scaler.scale(loss), loss


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


def train_step(x, y):
    (_, loss), grads = grad_fn(x, y)
    excess = ops.sqrt(sum(ops.square(g.astype(ms.float32)).sum() for g in grads)) - 1.0
    print(float(excess))
    grads = scaler.unscale(grads)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss = train_step(x, y)
    print(epoch, float(loss))
