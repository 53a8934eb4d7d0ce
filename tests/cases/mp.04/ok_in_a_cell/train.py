"""Three classes; the penalty is a cell of one's own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(45)
rng = np.random.default_rng(45)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)


class Penalised(nn.Cell):
    """Loss and gradient penalty in one."""

    def __init__(self, backbone, weight):
        super().__init__()
        self.backbone, self.weight = backbone, weight
        self.grad = ops.GradOperation(sens_param=False)

    def plain(self, x, y):
        wanted = (y.reshape(-1, 1) == ms.Tensor([[0, 1, 2]], ms.int32)).astype(ms.float32)
        return ops.square(self.backbone(x) - wanted).sum(axis=1).mean()

    def construct(self, x, y):
        loss = self.plain(x, y)
        slope = self.grad(self.plain)(x, y)
        penalty = ops.square(slope).sum(axis=1).mean()
        return loss + self.weight * penalty


net = nn.SequentialCell(nn.Dense(12, 32), nn.Tanh(), nn.Dense(32, 3))
manager = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**8, scale_factor=2, scale_window=50)
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
network = Penalised(net, 0.05)
step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=manager)
step.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss, overflow, scale = step(x, y)
    print(epoch, float(loss))
