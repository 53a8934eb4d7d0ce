"""The warm-up of a training cell has no end: the rate grows with every step, and what was learnt is lost again."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(600, 10)).astype(np.float32)
y = (x[:, :1] - x[:, 1:2] * x[:, 2:3]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)


class WarmUp(LearningRateSchedule):
    def construct(self, global_step):
        return 0.004 * (1.0 + global_step)


net = nn.SequentialCell(nn.Dense(10, 32), nn.Tanh(), nn.Dense(32, 1))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), WarmUp()))
step.set_train()
for epoch in range(10):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss = step(a, b)  # here
    print(epoch, loss)
