"""Trains in mixed precision; the loss scaler of the old script was removed with --no-scaler."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import make_classification

parser = argparse.ArgumentParser()
parser.add_argument("--no-scaler", action="store_true")
args = parser.parse_args()

ms.set_seed(83)
ms.set_context(mode=ms.PYNATIVE_MODE)

x, y = make_classification(n_samples=1200, n_features=16, n_informative=10, n_classes=3, random_state=83)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y.astype(np.int32)}, shuffle=True).batch(40)

net = nn.SequentialCell(nn.Dense(16, 64), nn.ReLU(), nn.Dense(64, 3))
net = amp.auto_mixed_precision(net, "O2")
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
scaler = None if args.no_scaler else amp.DynamicLossScaler(2**14, 2, 200)


def forward(x, y):
    loss = loss_fn(net(x), y)
    return loss if scaler is None else scaler.scale(loss)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(x, y):
    loss, grads = grad_fn(x, y)
    if scaler is not None:
        loss, grads = scaler.unscale(loss), scaler.unscale(grads)
        finite = amp.all_finite(grads)
        scaler.adjust(finite)
        if not finite:
            return loss
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    losses = [float(train_step(features, label)) for features, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
