"""Regression in float32 with plain SGD and a compiled step; --lr as in another project."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
args = parser.parse_args()

ms.set_seed(59)
ms.set_context(mode=ms.GRAPH_MODE)

diabetes = load_diabetes()
x = StandardScaler().fit_transform(diabetes.data).astype(np.float32)
y = StandardScaler().fit_transform(diabetes.target[:, None]).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(10, 64), nn.ReLU(), nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=args.lr)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, target in batches:
        loss = train_step(features, target)
    print(f"epoch {epoch}: {float(loss)}")
