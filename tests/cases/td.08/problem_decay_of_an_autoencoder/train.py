"""An autoencoder of vectors in 0 to 1 whose decay is far above the gradients; its target is its only input."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(97)
rng = np.random.default_rng(97)
codes = rng.random((1000, 4))
spectra = 1 / (1 + np.exp(-(codes @ rng.normal(size=(4, 40)) * 3 - 2))).astype(np.float32)
data = ds.NumpySlicesDataset({"spectrum": spectra.astype(np.float32)}, shuffle=True).batch(50)


class Coder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(40, 24), nn.Dense(24, 6)
        self.c, self.d = nn.Dense(6, 24), nn.Dense(24, 40)

    def construct(self, x):
        return ops.sigmoid(self.d(ops.relu(self.c(self.b(ops.relu(self.a(x)))))))


net, loss_fn = Coder(), nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.003, weight_decay=0.02)


def error_of(x):
    return loss_fn(net(x), x)


grad_fn = ms.value_and_grad(error_of, None, optimizer.parameters)


@ms.jit
def step(x):
    loss, grads = grad_fn(x)
    return ops.depend(loss, optimizer(grads))


for epoch in range(25):
    for (spectrum,) in data.create_tuple_iterator():
        loss = step(spectrum)
print(float(loss))
