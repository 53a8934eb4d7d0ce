"""Three classes with a fixed loss scale, all by hand."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from gradients import divide, shrink
from mindspore import nn

ms.set_seed(34)
rng = np.random.default_rng(34)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

parser = argparse.ArgumentParser()
parser.add_argument("--loss-scale", type=float, default=512.0)
parser.add_argument("--limit", type=float, default=1.0)
args = parser.parse_args()

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 3)).to_float(ms.float16)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)


def forward(x, y):
    return loss_fn(net(x).astype(ms.float32), y) * args.loss_scale


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        grads = shrink(grads, args.limit)
        grads = divide(grads, args.loss_scale)
        optimizer(grads)
    print(epoch, float(loss) / args.loss_scale)
