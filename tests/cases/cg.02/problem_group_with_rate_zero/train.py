"""Layer-wise learning rates: the deeper a layer lies, the smaller its rate."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--layers", type=int, default=3)
args = parser.parse_args()

ms.set_seed(6)
ms.set_context(mode=ms.PYNATIVE_MODE)

rng = np.random.default_rng(6)
x = rng.normal(size=(1200, 8)).astype(np.float32)
y = (np.abs(x[:, 0]) + x[:, 1] > 0.8).astype(np.int32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(40)

net = nn.SequentialCell()
for number in range(args.layers):
    net.append(nn.Dense(8 if number == 0 else 32, 32))
    net.append(nn.ReLU())
net.append(nn.Dense(32, 2))

dense = [cell for cell in net.cells() if isinstance(cell, nn.Dense)]
# the last layer gets args.lr, the others their share of it
groups = [
    {"params": cell.trainable_params(), "lr": args.lr * (depth / (len(dense) - 1))} for depth, cell in enumerate(dense)
]
optimizer = nn.Momentum(groups, learning_rate=args.lr, momentum=0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()

batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, label in batches:
        loss = step(features, label)
    print(f"epoch {epoch}: {float(loss):.3f}")
