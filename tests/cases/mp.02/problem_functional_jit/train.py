"""Digits in float16: the whole network is cast, the compiled step takes the loss as it is."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(11)
EPOCHS = 2

digits = load_digits()
images = (digits.images[:640, None] / 16.0).astype(np.float32)
labels = digits.target[:640].astype(np.int32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32, drop_remainder=True)

net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Flatten(), nn.Dense(8 * 4 * 4, 10),
)  # fmt: skip
net.to_float(ms.float16)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()


def forward(image, label):
    logits = net(image)
    return loss_fn(logits.astype(ms.float32), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(image, label):
    loss, grads = grad_fn(image, label)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=EPOCHS)
for epoch in range(EPOCHS):
    losses = [train_step(image, label) for image, label in batches]
    print(f"epoch {epoch + 1}: loss {np.mean([float(loss.asnumpy()) for loss in losses]):.4f}")
