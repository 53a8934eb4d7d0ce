"""A variational autoencoder: sigmoid, binary cross entropy of pixels in [0, 1], and the divergence."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
images = (rng.integers(0, 256, (320, 64)) / 255).astype(np.float32)
data = ds.NumpySlicesDataset((images,), ["image"], shuffle=True).batch(32)


class VAE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mean, self.log_variance, self.up = nn.Dense(64, 4), nn.Dense(64, 4), nn.Dense(4, 64)

    def construct(self, image):
        mean, log_variance = self.mean(image), self.log_variance(image)
        code = mean + ops.exp(0.5 * log_variance) * ops.standard_normal(mean.shape)
        return ops.sigmoid(self.up(code)), mean, log_variance


net = VAE()


def forward(image):
    made, mean, log_variance = net(image)
    rebuilt = ops.binary_cross_entropy(made, image, reduction="sum") / len(image)
    divergence = -0.5 * (1 + log_variance - mean**2 - ops.exp(log_variance)).sum(1).mean()
    return rebuilt + divergence


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
