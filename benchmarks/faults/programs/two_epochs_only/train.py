import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

rng = np.random.default_rng(0)
x = rng.uniform(-3, 3, (1000, 2)).astype(np.float32)
y = (np.sin(x[:, :1]) * np.cos(x[:, 1:]) + 0.05 * rng.normal(size=(1000, 1))).astype(np.float32)
train = ds.NumpySlicesDataset((x[:800], y[:800]), ["x", "y"], shuffle=True).batch(16)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(2, 64)
        self.b = nn.Dense(64, 64)
        self.c = nn.Dense(64, 1)

    def construct(self, x):
        return self.c(ops.tanh(self.b(ops.tanh(self.a(x)))))


net = Net()
loss_fn = nn.MSELoss()
opt = nn.Adam(net.trainable_params(), 0.001)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
EPOCHS = 60
for epoch in range(EPOCHS):
    net.set_train()
    for a, b in train.create_tuple_iterator():
        loss, g = grad_fn(a, b)
        opt(g)
    net.set_train(False)
    val = loss_fn(net(ms.Tensor(x[800:])), ms.Tensor(y[800:]))
    print(epoch, "train", float(loss), "val", float(val))
