import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(0)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
data = ds.NumpySlicesDataset((X[:1400], y[:1400].astype(np.int32)), ["x", "y"], shuffle=True).batch(50)


class DeepNet(nn.Cell):
    def __init__(self, depth=7, width=64):
        super().__init__()
        self.inp = nn.Dense(64, width)
        self.hidden = nn.CellList([nn.Dense(width, width) for _ in range(depth)])
        self.out = nn.Dense(width, 10)

    def construct(self, x):
        x = ops.relu(self.inp(x))
        for layer in self.hidden:
            x = ops.relu(layer(x))
        return self.out(x)


net = DeepNet()
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), learning_rate=0.001)
f = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
net.set_train()
for epoch in range(15):
    ls = []
    for a, b in data:
        loss, g = f(a, b)
        opt(g)
        ls.append(loss.asnumpy())
    print(f"epoch {epoch}: {np.mean(ls):.4f}")
net.set_train(False)
print("acc", (net(ms.Tensor(X[1400:])).asnumpy().argmax(-1) == y[1400:]).mean())
