"""Digits with a small classifier, trained by hand with value_and_grad and tested after every epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ms.set_seed(11)

digits = load_digits()
images = (digits.data / 8.0 - 1.0).astype(np.float32)
x_train, x_test, y_train, y_test = train_test_split(
    images, digits.target.astype(np.int32), test_size=0.2, random_state=11
)
train_set = ds.NumpySlicesDataset((x_train, y_train), ["image", "label"], shuffle=True).batch(32)
test_set = ds.NumpySlicesDataset((x_test, y_test), ["image", "label"], shuffle=False).batch(60)

net = nn.SequentialCell(
    nn.Dense(64, 96), nn.ReLU(), nn.Dropout(p=0.4), nn.Dense(96, 48), nn.ReLU(), nn.Dropout(p=0.4), nn.Dense(48, 10)
)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)


def forward(image, label):
    logits = net(image)
    return loss_fn(logits, label), logits


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


def test_accuracy():
    right = 0
    for image, label in test_set.create_tuple_iterator():
        right += int((net(image).argmax(axis=1) == label).sum())
    return right / len(x_test)


net.set_train(True)
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for image, label in batches:
        (loss, _), grads = grad_fn(image, label)
        optimizer(grads)
    print(f"epoch {epoch}: loss {float(loss):.3f}, test accuracy {test_accuracy():.3f}")
