"""The second LayerNorm of each layer is built, initialised and never called; the first one is called twice."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal, initializer

ms.set_seed(181)
rng = np.random.default_rng(181)
x = rng.normal(size=(256, 6, 16)).astype(np.float32)
y = (x[:, 0, 0] * x[:, 1, 0] > 0).astype(np.int32)


class Layer(nn.Cell):
    def __init__(self, d=16):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, 4, batch_first=True)
        self.norm1 = nn.LayerNorm((d,))
        self.norm2 = nn.LayerNorm((d,))  # here
        self.mlp = nn.SequentialCell(nn.Dense(d, 32), nn.ReLU(), nn.Dense(32, d))

    def construct(self, x):
        x = self.norm1(x + self.attn(x, x, x)[0])
        x = self.norm1(x + self.mlp(x))
        return x


class Pool(nn.Cell):
    def __init__(self, d=16):
        super().__init__()
        self.norm2 = nn.LayerNorm((d,))

    def construct(self, x):
        return self.norm2(x).mean(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([Layer(), Layer()])
        self.pool = Pool()
        self.head = nn.Dense(16, 2)
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Dense):
                cell.weight.set_data(initializer(Normal(0.1), cell.weight.shape))
        for layer in self.layers:
            layer.norm2.gamma.set_data(initializer("ones", layer.norm2.gamma.shape))

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(self.pool(x))


net = Net()
opt = nn.Adam(net.trainable_params(), 2e-3)
ce = nn.CrossEntropyLoss()
vg = ms.value_and_grad(lambda a, b: ce(net(a), b), None, opt.parameters)
net.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(3):
    for a, b in d.create_tuple_iterator(num_epochs=1):
        loss, g = vg(a, b)
        opt(g)
    print(e, float(loss))
