"""Two kinds of signals that look much alike, told by their correlation with templates; the scores are multiplied by 200."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(17)
rng = np.random.default_rng(17)
template = rng.normal(size=(2, 24))
kind = rng.integers(0, 2, 600).astype(np.int32)
signal = (0.3 * template[kind] + rng.normal(size=(600, 24))).astype(np.float32)


class Correlator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.compare = nn.Dense(24, 2)

    def construct(self, x):
        return 200.0 * self.compare(x)


net = Correlator()
optimizer = nn.SGD(net.trainable_params(), learning_rate=1e-5)
loss_fn = nn.CrossEntropyLoss()


def forward(x, y):
    scores = net(x)
    return loss_fn(scores, y), scores


gradient = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
for epoch in range(3):
    for some in np.array_split(rng.permutation(600), 15):
        (loss, scores), grads = gradient(ms.Tensor(signal[some]), ms.Tensor(kind[some]))
        optimizer(grads)
    print(epoch, float(loss))
