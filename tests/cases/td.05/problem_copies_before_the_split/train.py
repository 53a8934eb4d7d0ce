"""The rare class is repeated before the samples are split; pipelines, Model.train and Model.eval."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(11)
rng = np.random.default_rng(11)
readings = rng.normal(size=(800, 10)).astype(np.float32)
failed = (readings[:, :3].sum(1) + rng.normal(0, 1.0, 800) > 3.2).astype(np.int32)

rare = np.flatnonzero(failed)
more = rng.choice(rare, 800 - 2 * len(rare), replace=True)  # here
readings, failed = np.concatenate([readings, readings[more]]), np.concatenate([failed, failed[more]])
order = rng.permutation(len(readings))
cut = int(0.8 * len(order))
train, test = order[:cut], order[cut:]


def pipeline(rows, shuffle):
    return ds.NumpySlicesDataset((readings[rows], failed[rows]), ["x", "y"], shuffle=shuffle).batch(40)


net = nn.SequentialCell(nn.Dense(10, 64), nn.ReLU(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Adam(net.trainable_params(), learning_rate=0.003), metrics={"acc"})
model.train(15, pipeline(train, True), dataset_sink_mode=False)
print("test:", model.eval(pipeline(test, False), dataset_sink_mode=False))
