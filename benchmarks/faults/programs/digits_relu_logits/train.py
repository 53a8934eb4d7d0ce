import argparse

import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--lr", type=float, default=0.002)
parser.add_argument("--batch_size", type=int, default=32)
args = parser.parse_args()

x, y = load_digits(return_X_y=True)
x = (x / 16).astype(np.float32)
y = y.astype(np.int32)
train = ds.NumpySlicesDataset((x[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(
    args.batch_size, drop_remainder=True
)
test = ds.NumpySlicesDataset((x[1400:], y[1400:]), ["x", "y"], shuffle=False).batch(args.batch_size)

layers = []
sizes = [64, 64, 32, 10]
for i in range(3):
    layers.append(nn.Dense(sizes[i], sizes[i + 1]))
    if i < 2:
        layers.append(nn.ReLU())
net = nn.SequentialCell(layers)

model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), args.lr), metrics={"accuracy": Accuracy()})
model.train(args.epochs, train, callbacks=[LossMonitor()])
print(model.eval(test))
