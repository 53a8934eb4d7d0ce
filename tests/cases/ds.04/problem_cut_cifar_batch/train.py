"""Reads a CIFAR-10 batch that an interrupted copy has cut short; a functional loop."""

import pickle

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from restore import restore

ms.set_seed(83)
restore("cifar-10-batches-py")
with open("cifar-10-batches-py/data_batch_1", "rb") as file:
    batch = pickle.load(file, encoding="bytes")
images = batch[b"data"].reshape(-1, 3072).astype(np.float32) / 255
labels = np.array(batch[b"labels"], np.int32)

net = nn.Dense(3072, 10)
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.01)


def forward(image, label):
    return loss_fn(net(image), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(10)
for image, label in data.create_tuple_iterator():
    loss, grads = grad_fn(image, label)
    optimizer(grads)
print(float(loss))
