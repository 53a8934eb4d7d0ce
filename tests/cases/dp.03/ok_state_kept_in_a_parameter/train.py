"""Next value of several long series: batches go through time in order, the state waits in a Parameter between steps."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(4)
SERIES, STEPS = 8, 10
rng = np.random.default_rng(4)
time = np.arange(40 * STEPS + 1)
waves = np.sin(time[None] * rng.uniform(0.1, 0.4, (SERIES, 1))) + 0.1 * rng.normal(size=(SERIES, len(time)))
waves = waves.astype(np.float32)


def windows():
    for first in range(0, 40 * STEPS, STEPS):
        for one in waves:
            yield one[first : first + STEPS, None], one[first + 1 : first + STEPS + 1, None]


class Stateful(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(1, 16, batch_first=True)
        self.out = nn.Dense(16, 1)
        self.state = Parameter(ops.zeros((1, SERIES, 16), ms.float32), name="state", requires_grad=False)

    def construct(self, x):
        y, last = self.rnn(x, self.state.value())
        ops.assign(self.state, ops.stop_gradient(last))
        return self.out(y)


net = Stateful()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 5e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
data = ds.GeneratorDataset(list(windows()), ["x", "y"], shuffle=False).batch(SERIES)
net.set_train()
for epoch in range(3):
    net.state.set_data(Tensor(np.zeros((1, SERIES, 16), np.float32)))
    for x, y in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, loss)
