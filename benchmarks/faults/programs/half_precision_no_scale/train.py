import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(0)
X, y = load_digits(return_X_y=True)
X = (X / 16 - 0.3).astype(np.float32)
y = y.astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(64, 32)
        self.b = nn.Dense(32, 10)
        self.r = nn.ReLU()

    def construct(self, x):
        return self.b(self.r(self.a(x))).astype(ms.float32)


net = Net()
net.to_float(ms.float16)
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)
scale = 1024.0


def forward(x, t):
    return loss_fn(net(x), t) * scale


grad_fn = ms.value_and_grad(forward, None, opt.parameters)
data = ds.NumpySlicesDataset((X[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(35)
for epoch in range(6):
    for a, b in data.create_tuple_iterator():
        loss, g = grad_fn(a, b)
        opt(tuple(v / scale for v in g))
    print(epoch, float(loss) / scale, "accuracy", (net(ms.Tensor(X[1400:])).asnumpy().argmax(1) == y[1400:]).mean())
