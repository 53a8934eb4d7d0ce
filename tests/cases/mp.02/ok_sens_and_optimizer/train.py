"""TrainOneStepCell scales the loss by its sens, and the optimizer divides by the same."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
y = rng.integers(0, 4, 256).astype(np.int32)
x = (rng.normal(size=(4, 12))[y] + 0.6 * rng.normal(size=(256, 12))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 4)).to_float(ms.float16)


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.ce = net, nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.ce(self.net(x).astype(ms.float32), y)


opt = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=1024.0)
step = nn.TrainOneStepCell(Loss(net), opt, sens=1024.0)
step.set_train()
it = data.create_tuple_iterator(num_epochs=4)
for e in range(4):
    for b in it:
        loss = step(*b)
    print(e, float(loss))
