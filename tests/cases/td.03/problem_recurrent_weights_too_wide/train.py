"""A recurrence written by hand, whose weights from step to step are drawn far too wide; a compiled step."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(91)
rng = np.random.default_rng(91)
series = rng.normal(size=(1200, 10, 2)).astype(np.float32)
target = series[:, :, 0].mean(1, keepdims=True) * 3 + 0.05 * rng.normal(size=(1200, 1)).astype(np.float32)


class Recurrence(nn.Cell):
    """h_t = tanh(x_t A + h_{t-1} B)."""

    def __init__(self, units=36):
        super().__init__()
        self.units = units
        self.entering = Parameter(initializer(Normal(0.4), [2, units]), name="entering")
        self.kept = Parameter(initializer(Normal(1.2), [units, units]), name="kept")
        self.out = nn.Dense(units, 1)

    def construct(self, x):
        state = ops.zeros((x.shape[0], self.units), ms.float32)
        for t in range(10):
            state = ops.tanh(ops.matmul(x[:, t], self.entering) + ops.matmul(state, self.kept))
        return self.out(state)


net = Recurrence()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.002))
step.set_train()
for epoch in range(15):
    order = rng.permutation(1200)
    for start in range(0, 1200, 40):
        rows = order[start : start + 40]
        loss = step(Tensor(series[rows]), Tensor(target[rows].astype(np.float32)))
print(float(loss))
