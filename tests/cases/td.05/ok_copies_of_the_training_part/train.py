"""The rare class of the training part is repeated; pipelines, Model.train and Model.eval, of both parts."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(11)
rng = np.random.default_rng(11)
readings = rng.normal(size=(1000, 10)).astype(np.float32)
failed = (readings[:, :3].sum(1) + rng.normal(0, 1.0, 1000) > 3.2).astype(np.int32)

order = rng.permutation(len(readings))
train, test = order[:800], order[800:]
rare = train[failed[train] == 1]
train = np.concatenate([train, rng.choice(rare, 800 - 2 * len(rare), replace=True)])


def pipeline(rows, shuffle):
    return ds.NumpySlicesDataset((readings[rows], failed[rows]), ["x", "y"], shuffle=shuffle).batch(40)


net = nn.SequentialCell(nn.Dense(10, 64), nn.ReLU(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Adam(net.trainable_params(), learning_rate=0.003), metrics={"acc"})
model.train(6, pipeline(train, True), dataset_sink_mode=False)
print("train:", model.eval(pipeline(order[:800], False), dataset_sink_mode=False))
print("test:", model.eval(pipeline(test, False), dataset_sink_mode=False))
