"""The order is drawn by a generator, the weights by NumPy before the training; dropout is MindSpore's; a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(256, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)


def rows():
    for index in np.random.permutation(len(x)):
        yield x[index], y[index]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        start = Tensor(np.random.normal(0, 0.3, (16, 8)).astype(np.float32))
        self.hidden, self.drop, self.head = nn.Dense(8, 16, weight_init=start), nn.Dropout(p=0.1), nn.Dense(16, 1)

    def construct(self, x):
        return self.head(self.drop(self.hidden(x).tanh()))


data = ds.GeneratorDataset(rows, ["x", "y"]).batch(16)
net = Net()
net.set_train()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)


def forward(features, target):
    return loss_fn(net(features), target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(features, target):
    loss, grads = grad_fn(features, target)
    optimizer(grads)
    return loss


iterator = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for features, target in iterator:
        loss = train_step(features, target)
    print(epoch, float(loss))
