"""The weights are arguments of the function that is differentiated, and its only input is a vector of ones."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
np.random.seed(9)
x, y = ops.ones(6, ms.float32), ops.zeros(4, ms.float32)
w = Parameter(Tensor(np.random.randn(6, 4), ms.float32), name="w")
b = Parameter(Tensor(np.random.randn(4), ms.float32), name="b")


def loss_of(x, y, w, b):
    z = ops.matmul(x, w) + b
    return ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))


gradients = ms.value_and_grad(loss_of, (2, 3))
for step in range(40):
    loss, found = gradients(x, y, w, b)
    for weight, gradient in zip((w, b), found):
        weight.set_data(weight - 0.5 * gradient)
print(f"loss {float(loss.asnumpy()):.4f}")
