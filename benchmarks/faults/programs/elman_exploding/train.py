import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(0)
rng = np.random.RandomState(0)
T = 40
X = rng.randn(640, T, 2).astype(np.float32)
y = X[:, :, 0].mean(1, keepdims=True) * 3


class RNN(nn.Cell):
    def __init__(self, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.wx = nn.Dense(2, hidden)
        self.wh = nn.Dense(hidden, hidden)
        self.out = nn.Dense(hidden, 1)

    def construct(self, x):
        h = ops.zeros((x.shape[0], self.hidden), ms.float32)
        for t in range(x.shape[1]):
            h = ops.relu(self.wx(x[:, t]) + self.wh(h))
        return self.out(h)


net = RNN()
loss_fn = nn.MSELoss()
opt = nn.SGD(net.trainable_params(), 0.05)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
for epoch in range(4):
    for i in range(0, 640, 64):
        loss, g = grad_fn(ms.Tensor(X[i : i + 64]), ms.Tensor(y[i : i + 64]))
        opt(g)
    print(epoch, loss)
print("final", loss, "var", y.var())
