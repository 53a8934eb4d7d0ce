import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(10)
centres = np.random.default_rng(0).normal(size=(6, 20))
kind = np.random.default_rng(1).integers(0, 6, 768)
signals = (centres[kind] + 0.4 * np.random.default_rng(2).normal(size=(768, 20))).astype(np.float32)


def views(epoch):
    """Batches of two noisy copies of the same signals."""
    order = np.random.RandomState(epoch).permutation(len(signals))
    first = np.random.RandomState(50 + epoch)
    second = np.random.RandomState(500 + epoch)
    for start in range(0, len(order), 64):
        taken = signals[order[start : start + 64]]
        yield [Tensor((taken + 0.3 * draws.randn(*taken.shape)).astype(np.float32)) for draws in (first, second)]


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(20, 48), nn.ReLU(), nn.Dense(48, 16))

    def construct(self, x):
        code = self.body(x)
        return code / ops.sqrt(ops.square(code).sum(1, keepdims=True) + 1e-6)


encoder = Encoder()
optimizer = nn.Adam(encoder.trainable_params(), 0.002)
same = Tensor(np.arange(64), ms.int32)


def contrast(left, right):
    scores = ops.matmul(encoder(left), encoder(right).T) / 0.2
    return ops.cross_entropy(scores, same) + ops.cross_entropy(scores.T, same)


gradients = ms.value_and_grad(contrast, None, optimizer.parameters)
encoder.set_train()
for epoch in range(8):
    for left, right in views(epoch):
        loss, found = gradients(left, right)
        optimizer(found)
    print(epoch, loss)
