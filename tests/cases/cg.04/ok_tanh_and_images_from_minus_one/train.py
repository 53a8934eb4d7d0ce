"""Images scaled to [-1, 1] and an autoencoder that ends with tanh."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
images = (rng.integers(0, 256, (320, 1, 8, 8)) / 127.5 - 1).astype(np.float32)
data = ds.NumpySlicesDataset((images,), ["image"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 8), nn.ReLU(), nn.Dense(8, 64), nn.Tanh())


def forward(image):
    return ops.square(net(image) - image.reshape(-1, 64)).mean()


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
