"""A set put together from two annotations of the same pictures, which do not agree everywhere; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(92)
rng = np.random.default_rng(92)
pictures = rng.random((300, 1, 8, 8)).astype(np.float32)
first = (pictures.mean(axis=(1, 2, 3)) > 0.5).astype(np.int32)
second = first.copy()
second[rng.choice(300, 24, replace=False)] ^= 1
pictures, labels = np.concatenate([pictures, pictures]), np.concatenate([first, second])
data = ds.NumpySlicesDataset((pictures, labels), ["picture", "label"], shuffle=True).batch(30)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 2))
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1)


def forward(picture, label):
    return loss_fn(net(picture), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for picture, label in data.create_tuple_iterator():
    loss, grads = grad_fn(picture, label)
    optimizer(grads)
print(float(loss))
