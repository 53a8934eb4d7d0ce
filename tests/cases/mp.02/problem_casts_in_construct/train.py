"""Two rings of points; casts by hand inside construct, trained by a TrainOneStepCell of our own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import HeUniform, initializer
from sklearn.datasets import make_circles

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(2)


class HalfDense(nn.Cell):
    """Keeps its weight in float32 and multiplies in half precision."""

    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.weight = Parameter(initializer(HeUniform(), (fan_out, fan_in), ms.float32), name="weight")
        self.bias = Parameter(initializer("zeros", (fan_out,), ms.float32), name="bias")

    def construct(self, x):
        x = x.astype(ms.float16)
        y = ops.matmul(x, self.weight.astype(ms.float16).T)
        return y.astype(ms.float32) + self.bias


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = HalfDense(2, 32)
        self.middle = HalfDense(32, 32)
        self.out = HalfDense(32, 2)

    def construct(self, x):
        x = ops.relu(self.hidden(x))
        x = ops.relu(self.middle(x))
        return self.out(x)


class ClippedStep(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        grads = ops.clip_by_global_norm(grads, 5.0)
        return ops.depend(loss, self.optimizer(grads))


points, ring = make_circles(600, noise=0.1, factor=0.5, random_state=2)
train_set = ds.NumpySlicesDataset((points.astype(np.float32), ring.astype(np.int32)), ["point", "ring"], shuffle=True)
train_set = train_set.batch(20)

net = Net()
with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
step = ClippedStep(with_loss, nn.Adam(net.trainable_params(), learning_rate=0.01))
step.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for point, target in batches:
        loss = step(point, target)
    print("epoch", epoch, "loss", loss)
