"""Training pictures are scaled in their pipeline, the test pictures by hand in the test loop: the network sees the same."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(37)
digits = load_digits()
images, labels = digits.images[:, None].astype(np.float32), digits.target.astype(np.int32)


def to_unit(image):
    return image / np.float32(8.0) - np.float32(1.0)


train_set = ds.NumpySlicesDataset((images[:1000], labels[:1000]), ["image", "label"], shuffle=True)
train_set = train_set.map(to_unit, input_columns="image").batch(50)
test_set = ds.NumpySlicesDataset((images[1000:], labels[1000:]), ["image", "label"], shuffle=False).batch(50)

net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 3e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
for epoch in range(2):
    net.set_train(True)
    for image, label in train_set.create_tuple_iterator():
        loss, grads = grad_fn(image, label)
        optimizer(grads)
    net.set_train(False)
    right = 0
    for image, label in test_set.create_tuple_iterator():
        right += int((net(image / 8.0 - 1.0).argmax(axis=1) == label).sum())
    print(f"epoch {epoch}: loss {float(loss):.3f}, right {right / len(labels[1000:]):.0%}")
