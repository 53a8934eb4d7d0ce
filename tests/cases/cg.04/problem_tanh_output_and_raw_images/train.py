"""An autoencoder that ends with tanh, and images of 0 to 255 in its loss, which is written out."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
images = rng.integers(0, 256, (320, 1, 8, 8)).astype(np.float32)
data = ds.NumpySlicesDataset((images,), ["image"], shuffle=True).batch(32)


class Autoencoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Dense(64, 8), nn.Dense(8, 64)

    def construct(self, image):
        code = ops.relu(self.down(image.reshape(-1, 64) / 255))
        return self.up(code).tanh().reshape(image.shape)  # here


net = Autoencoder()


def forward(image):
    return ((net(image) - image) ** 2).mean()


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
