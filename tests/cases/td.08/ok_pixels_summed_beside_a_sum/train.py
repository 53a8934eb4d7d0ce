import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(14)
rng = np.random.default_rng(14)
rows, columns = np.mgrid[:10, :10]
at = rng.uniform(2, 8, size=(800, 2, 1, 1))
spots = np.exp(-((rows - at[:, 0]) ** 2 + (columns - at[:, 1]) ** 2) / 4).reshape(800, 100).astype(np.float32)


class Spots(nn.Cell):
    def __init__(self):
        super().__init__()
        self.codes, self.mean, self.log = nn.Dense(100, 64), nn.Dense(64, 4), nn.Dense(64, 4)
        self.decode = nn.SequentialCell(nn.Dense(4, 64), nn.ReLU(), nn.Dense(64, 100))

    def construct(self, x):
        hidden = ops.relu(self.codes(x))
        mean, log = self.mean(hidden), self.log(hidden)
        drawn = mean + ops.exp(0.5 * log) * ops.standard_normal(mean.shape) if self.training else mean
        return self.decode(drawn), mean, log


model = Spots()
optimizer = nn.Adam(model.trainable_params(), 0.002)


def forward(x):
    made, mean, log = model(x)
    wrong = ops.square(made - x).sum(1).mean()
    kl = (0.5 * (mean**2 + ops.exp(log) - log - 1)).sum(1).mean()
    return wrong + kl, wrong, kl


gradients = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
model.set_train()
for epoch in range(12):
    for (x,) in ds.NumpySlicesDataset((spots,), ["x"], shuffle=True).batch(40).create_tuple_iterator(num_epochs=1):
        (loss, wrong, kl), found = gradients(x)
        optimizer(found)
    print(epoch, loss, wrong, kl)
