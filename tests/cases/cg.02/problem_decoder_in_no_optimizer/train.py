import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
codes = rng.normal(size=(640, 3))
rows = np.tanh(codes @ rng.normal(size=(3, 20))).astype(np.float32)


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(20, 16, activation="tanh")
        self.last = nn.Dense(16, 3)

    def construct(self, x):
        return self.last(self.first(x))


class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, 16, activation="tanh")
        self.last = nn.Dense(16, 20)

    def construct(self, code):
        return self.last(self.first(code))


encoder, decoder = Encoder(), Decoder()
optimizer = nn.Adam(encoder.trainable_params(), 0.005)


def forward(x):
    return ops.mse_loss(decoder(encoder(x)), x)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(10):
    for batch in rng.permutation(640).reshape(-1, 32):
        loss, grads = grad_fn(Tensor(rows[batch]))
        optimizer(grads)
    print(epoch, float(loss))
