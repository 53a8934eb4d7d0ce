"""Digits, network in float16 with to_float, functional training loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(71)

digits = load_digits()
images = (digits.data / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset({"image": images, "label": digits.target.astype(np.int32)}, shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10))
net.to_float(ms.float16)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)


def forward(image, label):
    return loss_fn(net(image).astype(ms.float32), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for image, label in batches:
        loss, grads = grad_fn(image, label)
        optimizer(grads)
    print(f"epoch {epoch}: {float(loss):.3f}")
