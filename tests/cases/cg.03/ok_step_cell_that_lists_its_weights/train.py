"""Three classes in float16; a training cell of one's own lists its weights, scales, divides and clips."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(71)
rng = np.random.default_rng(71)
y = rng.integers(0, 3, 256).astype(np.int32)
x = (rng.normal(size=(3, 12))[y] + 0.5 * rng.normal(size=(256, 12))).astype(np.float32)
_div = ops.MultitypeFuncGraph("div")


@_div.register("Tensor", "Tensor")
def _divide(s, g):
    return g * ops.cast(ops.reciprocal(s), g.dtype)


class Step(nn.Cell):
    def __init__(self, net, optimizer, scale):
        super().__init__(auto_prefix=False)
        self.net = net
        self.net.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.scale = Tensor(scale, ms.float32)
        self.map = ops.HyperMap()

    def construct(self, x, y):
        loss = self.net(x, y)
        grads = self.grad(self.net, self.weights)(x, y, ops.ones_like(loss) * self.scale)
        grads = self.map(ops.partial(_div, self.scale), grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
        self.optimizer(grads)
        return loss


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.ce = net, nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.ce(self.net(x).astype(ms.float32), y)


net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 3)).to_float(ms.float16)
opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
step = Step(WithLoss(net), opt, 1024.0)
step.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(2):
    for b in d.create_tuple_iterator(num_epochs=1):
        loss = step(*b)
    print(e, float(loss))
