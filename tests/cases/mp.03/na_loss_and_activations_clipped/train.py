"""Three classes in float16; clips activations and the loss."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops

ms.set_seed(37)
rng = np.random.default_rng(37)
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
    logits = ops.clip_by_value(net(x).astype(ms.float32), -20.0, 20.0)
    loss = ops.clamp(loss_fn(logits, y), 0.0, 30.0)
    return scaler.scale(loss), loss


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


@ms.jit
def train_step(x, y):
    (_, loss), grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss = train_step(x, y)
    print(epoch, float(loss))
