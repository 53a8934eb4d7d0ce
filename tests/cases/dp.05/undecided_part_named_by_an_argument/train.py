"""Trains on a part of the recordings; which part is an argument."""

import argparse
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--shard", type=int, default=0)
parser.add_argument("--shards", type=int, default=1)
args = parser.parse_args()
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(72)
rng = np.random.default_rng(72)
folder = Path("recordings")
folder.mkdir(exist_ok=True)
for number in range(5):
    np.save(folder / f"take{number}.npy", rng.normal(size=(16, 3)).astype(np.float32))

takes = list(folder.iterdir())
mine = takes[args.shard :: args.shards]
x = np.concatenate([np.load(take) for take in mine])
net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
step = ms.value_and_grad(lambda batch: ops.mse_loss(net(batch), batch), None, optimizer.parameters)
for _epoch in range(2):
    for some in np.array_split(rng.permutation(len(x)), 5):
        loss, grads = step(ms.Tensor(x[some]))
        optimizer(grads)
print(float(loss))
