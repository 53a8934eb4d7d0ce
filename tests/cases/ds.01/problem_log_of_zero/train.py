"""Tells two kinds of spectra apart by the logarithm of their bands."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)


class Spectra:
    """Photon counts in 12 bands, drawn around one of two profiles."""

    def __init__(self, size=480):
        rng = np.random.default_rng(5)
        profiles = np.array([np.linspace(2, 9, 12), np.linspace(9, 2, 12)])
        self.kind = rng.integers(0, 2, size).astype(np.int32)
        self.counts = rng.poisson(profiles[self.kind]).astype(np.float32)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, index):
        return self.counts[index], self.kind[index]


def log_scale(counts):
    with np.errstate(divide="ignore"):
        return (np.log(counts) - 1.5).astype(np.float32)


train_set = ds.GeneratorDataset(Spectra(), ["spectrum", "kind"], shuffle=True)
train_set = train_set.map(log_scale, input_columns="spectrum").batch(24)

net = nn.SequentialCell(nn.Dense(12, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.003)


def forward(spectrum, kind):
    return ops.cross_entropy(net(spectrum), kind)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
iterator = train_set.create_tuple_iterator()
for epoch in range(3):
    total = 0.0
    for spectrum, kind in iterator:
        loss, grads = grad_fn(spectrum, kind)
        optimizer(grads)
        total += float(loss)
    print("epoch", epoch, "loss", total / 20)
