"""Separates two moons; one iterator serves all the epochs."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import make_moons

ms.set_seed(42)
ms.set_context(mode=ms.PYNATIVE_MODE)

points, moon = make_moons(600, noise=0.15, shuffle=False, random_state=42)
train_set = ds.NumpySlicesDataset((points.astype(np.float32), moon.astype(np.int32)), ["point", "moon"], shuffle=True)
train_set = train_set.batch(30)

net = nn.SequentialCell(nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda point, target: loss_fn(net(point), target), None, optimizer.parameters)

EPOCHS = 4
net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=EPOCHS)
for epoch in range(EPOCHS):
    for point, target in batches:
        loss, grads = grad_fn(point, target)
        optimizer(grads)
    print("epoch", epoch, "loss", float(loss))
