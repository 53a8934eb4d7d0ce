"""The first layers are frozen although nothing was ever loaded into them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(2)
digits = load_digits()
rows = (digits.data / 16.0).astype(np.float32)
train_set = ds.NumpySlicesDataset({"image": rows, "label": digits.target.astype(np.int32)}, shuffle=True).batch(64)

body = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 32), nn.ReLU())
net = nn.SequentialCell(body, nn.Dense(32, 10))
for parameter in body.trainable_params():
    parameter.requires_grad = False
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for image, label in batches:
        loss, grads = grad_fn(image, label)
        optimizer(grads)
    print(epoch, loss)
