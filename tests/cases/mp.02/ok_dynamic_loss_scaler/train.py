"""Trains in mixed precision with a DynamicLossScaler and a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import make_classification

ms.set_seed(89)
ms.set_context(mode=ms.GRAPH_MODE)

x, y = make_classification(n_samples=1200, n_features=16, n_informative=10, n_classes=3, random_state=89)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y.astype(np.int32)}, shuffle=True).batch(40)

net = nn.SequentialCell(nn.Dense(16, 64), nn.ReLU(), nn.Dense(64, 3))
net = amp.auto_mixed_precision(net, "O2")
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
scaler = amp.DynamicLossScaler(2**14, 2, 200)


def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    finite = amp.all_finite(grads)
    if finite:
        optimizer(grads)
    scaler.adjust(finite)
    return scaler.unscale(loss)


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    losses = [float(train_step(features, label)) for features, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
