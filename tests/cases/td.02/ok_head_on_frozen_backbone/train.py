"""Fine-tuning: a backbone trained before is loaded and frozen, a new head is trained on it by Model.train."""

from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_seed(66)
rng = np.random.default_rng(66)
x = rng.normal(size=(600, 12)).astype(np.float32)
y = (x[:, 0] + np.abs(x[:, 1]) > 0.6).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = nn.SequentialCell(nn.Dense(12, 48), nn.ReLU(), nn.Dense(48, 32), nn.ReLU())
        self.head = nn.Dense(32, 2)

    def construct(self, x):
        return self.head(self.backbone(x))


def pretrain(path):
    first = Net()
    optimizer = nn.Adam(first.trainable_params(), 5e-3)
    grad_fn = ms.value_and_grad(lambda a, b: ops.cross_entropy(first(a), b), None, optimizer.parameters)
    other = (np.abs(x[:, 1]) > 0.7).astype(np.int32)
    for number in range(60):
        at = rng.integers(0, 600, 40)
        _, grads = grad_fn(ms.Tensor(x[at]), ms.Tensor(other[at]))
        optimizer(grads)
    ms.save_checkpoint(first, str(path))


path = Path("backbone.ckpt")
pretrain(path)
net = Net()
weights = {k: v for k, v in ms.load_checkpoint(str(path)).items() if k.startswith("backbone")}
ms.load_param_into_net(net, weights)
for parameter in net.backbone.get_parameters():
    parameter.requires_grad = False
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.head.trainable_params(), 0.01))
model.train(4, data, callbacks=[LossMonitor(20)])
