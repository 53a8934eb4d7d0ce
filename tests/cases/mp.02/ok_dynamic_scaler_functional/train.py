"""Digits in float16, functional, with mindspore.amp's DynamicLossScaler and a check for finite gradients."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import load_digits

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)

digits = load_digits()
images = (digits.images[:800, None] / 16.0).astype(np.float32)
labels = digits.target[:800].astype(np.int32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32, drop_remainder=True)

net = nn.SequentialCell(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10))
net = amp.auto_mixed_precision(net, "O3")
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
scaler = amp.DynamicLossScaler(scale_value=2**12, scale_factor=2, scale_window=100)


def forward(image, label):
    loss = loss_fn(net(image).astype(ms.float32), label)
    return scaler.scale(loss)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(image, label):
    loss, grads = grad_fn(image, label)
    loss, grads = scaler.unscale(loss), scaler.unscale(grads)
    finite = amp.all_finite(grads)
    if finite:
        optimizer(grads)
    scaler.adjust(finite)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for image, label in batches:
        loss = train_step(image, label)
    print(f"epoch {epoch + 1}: loss {float(loss):.4f}, scale {float(scaler.scale_value.asnumpy())}")
