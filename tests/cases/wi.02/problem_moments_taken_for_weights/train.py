"""Resumes from a checkpoint of a training without its head, whose moments MindSpore then takes for the head's weights."""

import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import CheckpointConfig, ModelCheckpoint

ms.set_seed(4)
rng = np.random.default_rng(4)
y = rng.integers(0, 3, 600).astype(np.int32)
x = (rng.normal(size=(600, 6)) + 1.5 * np.eye(3)[y] @ rng.normal(size=(3, 6))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Dense(6, 24, activation="relu"), nn.Dense(24, 3)

    def construct(self, x):
        return self.head(self.body(x))


def rows():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)


def trained(folder):
    net = Net()
    model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
    keep = ModelCheckpoint("net", folder, CheckpointConfig(save_checkpoint_steps=15))
    model.train(6, rows(), callbacks=[keep], dataset_sink_mode=False)
    return os.path.join(folder, "net-6_15.ckpt")


with tempfile.TemporaryDirectory() as home:
    weights = ms.load_checkpoint(trained(home), filter_prefix="head")
net = Net()
ms.load_param_into_net(net, weights)
net.set_train(False)
print("right", float((net(ms.Tensor(x)).asnumpy().argmax(1) == y).mean()))
