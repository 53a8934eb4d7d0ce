"""Inputs and labels are shuffled in place from one seed and stay together; a GeneratorDataset, a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(12)
np.random.seed(12)


def load():
    x = np.random.normal(size=(240, 5)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] > 0).astype(np.int32)
    return x, y


def rows():
    features, classes = load()
    np.random.seed(3)
    np.random.shuffle(features)
    np.random.seed(3)
    np.random.shuffle(classes)
    return list(zip(features, classes))


train_set = ds.GeneratorDataset(rows(), ["features", "classes"], shuffle=True).batch(20)
net = nn.SequentialCell(nn.Dense(5, 12), nn.ReLU(), nn.Dense(12, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for _ in range(4):
    for features, classes in train_set.create_tuple_iterator():
        loss, grads = grad_fn(features, classes)
        optimizer(grads)
    print(float(loss))
