"""The map of a convolution is viewed as (samples, places, channels) without moving the channels; a loop of its own."""

import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops
from sklearn.datasets import load_digits

ms.set_seed(5)
digits = load_digits()
images = (digits.images[:1024, None] / 16).astype(np.float32)
images = (images - images.mean()) / images.std()
labels = digits.target[:1024].astype(np.int32)


class Mixer(nn.Cell):
    """Patches of 2 x 2, a layer over the places and one over the channels."""

    def __init__(self, channels=24):
        super().__init__()
        self.channels = channels
        self.patches = nn.Conv2d(1, channels, 2, stride=2, pad_mode="valid", has_bias=True)
        self.places, self.features = mint.nn.Linear(16, 16), mint.nn.Linear(channels, channels)
        self.norm, self.head = nn.LayerNorm((channels,)), mint.nn.Linear(channels, 10)

    def construct(self, x):
        x = self.patches(x)
        tokens = x.view(x.shape[0], -1, self.channels)
        mixed = tokens + ops.gelu(self.places(tokens.swapaxes(1, 2))).swapaxes(1, 2)
        mixed = mixed + ops.gelu(self.features(self.norm(mixed)))
        return self.head(mixed.mean(1))


net = Mixer()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 3e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
order = np.random.default_rng(0)
for epoch in range(3):
    losses = []
    for rows in order.permutation(1024).reshape(-1, 32):
        loss, grads = grad_fn(ms.Tensor(images[rows]), ms.Tensor(labels[rows]))
        optimizer(grads)
        losses.append(float(loss))
    print(f"epoch {epoch}: {np.mean(losses):.4f}")
