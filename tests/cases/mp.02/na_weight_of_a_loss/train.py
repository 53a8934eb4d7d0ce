"""Wines in float32; the loss is multiplied by how much it matters."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

ms.set_seed(6)
wines, grapes = load_wine(return_X_y=True)
wines, grapes = scale(wines).astype(np.float32), grapes.astype(np.int32)
network = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.001)
importance = 40.0


def forward(x, y):
    return ops.cross_entropy(network(x), y) * importance


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
network.set_train()
rng = np.random.default_rng(6)
for epoch in range(8):
    order = rng.permutation(len(wines))
    for begin in range(0, 160, 16):
        rows = order[begin : begin + 16]
        loss, grads = gradient(Tensor(wines[rows]), Tensor(grapes[rows]))
        optimizer(grads)
    print(f"epoch {epoch}: loss {float(loss) / importance:.4f}")
