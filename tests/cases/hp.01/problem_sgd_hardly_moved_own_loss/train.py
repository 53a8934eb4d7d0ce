"""Flowers told apart by a softmax over the batch and a loss of the script's own: beside that fault, the rate moves nothing."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, ops
from sklearn.datasets import load_iris

ms.set_seed(2)
rng = np.random.default_rng(2)
flowers, kinds = load_iris(return_X_y=True)
flowers = ((flowers - flowers.mean(0)) / flowers.std(0)).astype(np.float32)
one_hot = np.eye(3, dtype=np.float32)[kinds]


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = mint.nn.Linear(4, 20)
        self.second = mint.nn.Linear(20, 3)

    def construct(self, x):
        return ops.softmax(self.second(ops.tanh(self.first(x))), 0)


classifier = Classifier()
momentum = nn.Momentum(classifier.trainable_params(), 5e-6, 0.9)


def cost(x, wanted):
    return -(wanted * ops.log(classifier(x) + 1e-7)).sum(1).mean()


gradient = ms.value_and_grad(cost, None, momentum.parameters)


@ms.jit
def update(x, wanted):
    value, gradients = gradient(x, wanted)
    momentum(gradients)
    return value


for epoch in range(40):
    order = rng.permutation(len(flowers))
    for start in range(0, len(order), 15):
        chosen = order[start : start + 15]
        value = update(Tensor(flowers[chosen]), Tensor(one_hot[chosen]))
    if epoch % 10 == 9:
        print(epoch + 1, float(value))
