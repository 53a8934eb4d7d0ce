"""Spectra of 120 wavelengths, each standardised by itself; the tails of the lamp are a thousand times weaker than its middle."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
wavelength = np.linspace(-1, 1, 120)
lamp = np.exp(-((wavelength / 0.35) ** 2))
share = rng.uniform(0.1, 0.9, (300, 1))
ripples = np.cos(6 * wavelength * (1 + 0.3 * rng.normal(size=(300, 1))) + rng.uniform(0, 6, (300, 1)))
spectra = lamp * (share * np.exp(-((wavelength - 0.1) ** 2) * 20) + 0.4 * ripples)
spectra = (spectra / spectra.std(axis=1, keepdims=True)).astype(np.float32)
share = share.astype(np.float32)

net = nn.SequentialCell(nn.Dense(120, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)
value_and_grad = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
for _epoch in range(3):
    order = rng.permutation(300)
    for begin in range(0, 300, 30):
        some = order[begin : begin + 30]
        loss, grads = value_and_grad(ms.Tensor(spectra[some]), ms.Tensor(share[some]))
        optimizer(grads)
print(float(loss))
