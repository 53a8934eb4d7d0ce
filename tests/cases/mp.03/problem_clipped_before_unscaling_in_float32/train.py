"""Digits with a training cell that carries a static scale, computed in float32 here."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(9)
ms.set_context(mode=ms.GRAPH_MODE)
images, digits = load_digits(return_X_y=True)
columns = ((images[:640] / 16).astype(np.float32), digits[:640].astype(np.int32))
data = ds.NumpySlicesDataset(columns, ["image", "digit"], shuffle=True).batch(32)


class Step(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, factor, limit):
        super().__init__(network, optimizer, sens=factor)
        self.factor, self.limit = factor, limit

    def construct(self, image, digit):
        loss = self.network(image, digit)
        gradients = self.grad(self.network, self.weights)(image, digit, ops.ones_like(loss) * self.sens)
        gradients = ops.clip_by_global_norm(gradients, self.limit)
        scaled = ()
        for one in gradients:
            scaled += (one / self.factor,)
        return ops.depend(loss, self.optimizer(scaled))


network = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.1, momentum=0.9)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(Step(nn.WithLossCell(network, loss), optimizer, factor=512.0, limit=1.0))
model.train(3, data, callbacks=[LossMonitor(20)], dataset_sink_mode=False)
