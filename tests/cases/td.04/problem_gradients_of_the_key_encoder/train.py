"""Two encoders of one form; the gradients of the keys' encoder go to the optimizer of the queries'. A plain loop."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
query = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 6))
key = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 6))
key.update_parameters_name("key.")
optimizer = nn.SGD(query.trainable_params(), 0.1)
diagonal = Tensor(np.arange(16, dtype=np.int32))


def contrast(one, other):
    scores = ops.matmul(query(one), key(other).T)
    return ops.cross_entropy(scores, diagonal)


step = ms.value_and_grad(contrast, None, key.trainable_params())
for number in range(60):
    x = rng.normal(size=(16, 10)).astype(np.float32)
    views = [Tensor(x + 0.1 * rng.normal(size=x.shape).astype(np.float32)) for _ in range(2)]
    loss, grads = step(*views)
    optimizer(grads)  # here
    if number % 20 == 19:
        print(number, loss)
