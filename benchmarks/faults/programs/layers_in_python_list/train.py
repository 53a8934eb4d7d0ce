import mindspore as ms
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import make_moons

ms.set_seed(2)
X, y = make_moons(600, noise=0.15, random_state=1)
X, y = X.astype(np.float32), y.astype(np.int32)


class MLP(nn.Cell):
    def __init__(self, sizes):
        super().__init__()
        blocks = []
        for i in range(len(sizes) - 1):
            blocks.append(nn.Dense(sizes[i], sizes[i + 1]))
        self.blocks = nn.CellList(blocks)
        self.last = nn.Dense(sizes[-1], 2)

    def construct(self, x):
        for layer in self.blocks:
            x = ops.tanh(layer(x))
        return self.last(x)


net = MLP([2, 8, 8])
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)

for epoch in range(150):
    pick = np.random.choice(600, 100, replace=False)
    loss, grads = grad_fn(ms.Tensor(X[pick]), ms.Tensor(y[pick]))
    optimizer(grads)
    if epoch % 30 == 0:
        print(epoch, loss)
print("accuracy", (net(ms.Tensor(X)).asnumpy().argmax(1) == y).mean())
