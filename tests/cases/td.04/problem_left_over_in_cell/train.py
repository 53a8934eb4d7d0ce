"""A training cell of the user's adds each gradient to a sum that nothing sets back; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import ParameterTuple, nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
y = np.tile(np.arange(3), 128).astype(np.int32)
x = (rng.normal(size=(384, 6)) + 2 * rng.normal(size=(3, 6))[y]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(24)


class SummingStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.sums = ParameterTuple(self.weights).clone(prefix="sum", init="zeros")

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss))
        for total, grad in zip(self.sums, grads):
            loss = ops.depend(loss, ops.assign_add(total, grad))
        return ops.depend(loss, self.optimizer(self.sums))


net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 3))
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.005)
Model(SummingStep(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)).train(2, data, dataset_sink_mode=False)
