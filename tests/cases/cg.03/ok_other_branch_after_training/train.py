"""Two heads in training, one afterwards; the script ends in inference mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(191)
rng = np.random.default_rng(191)
y = rng.integers(0, 3, 256).astype(np.int32)
x = (rng.normal(size=(3, 12))[y] + 0.5 * rng.normal(size=(256, 12))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Dense(12, 24)
        self.mid = nn.Dense(24, 24)
        self.aux = nn.Dense(24, 3)
        self.head = nn.Dense(24, 3)
        self.probs = nn.Softmax(-1)
        self.act = nn.ReLU()

    def construct(self, x):
        a = self.act(self.stem(x))
        b = self.act(self.mid(a))
        if self.training:
            return self.head(b), self.aux(a)
        return self.probs(self.head(b))


net = Net()
ce = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 5e-3)


def fwd(a, b):
    main, aux = net(a)
    return ce(main, b) + 0.4 * ce(aux, b)


vg = ms.value_and_grad(fwd, None, opt.parameters)
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(2):
    net.set_train()
    for a, b in d.create_tuple_iterator(num_epochs=1):
        loss, g = vg(a, b)
        opt(g)
    net.set_train(False)
    print(e, float(loss), net(a)[0].asnumpy().round(3))
