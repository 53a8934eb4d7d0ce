"""Reads handwritten digits (8 x 8 pixels)."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(9)

digits = load_digits()
images = digits.images.astype(np.uint8)[:1200]
labels = digits.target.astype(np.int32)[:1200]


class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.hidden = nn.Dense(64, 48)
        self.out = nn.Dense(48, 10)

    def construct(self, x):
        x = ops.cast(x, ms.float32)
        x = self.flatten(x)
        return self.out(ops.relu(self.hidden(x)))


net = Reader()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)
data = ds.NumpySlicesDataset((images, labels), ["image", "digit"], shuffle=True).batch(40)


def forward_fn(image, digit):
    return ops.cross_entropy(net(image), digit)


grad_fn = ms.value_and_grad(forward_fn, None, net.trainable_params())


@ms.jit
def train_step(image, digit):
    loss, grads = grad_fn(image, digit)
    optimizer(grads)
    return loss


net.set_train()
iterator = data.create_dict_iterator(num_epochs=2)
for epoch in range(2):
    for batch in iterator:
        loss = train_step(batch["image"], batch["digit"])
    print("epoch", epoch, "loss", float(loss))
