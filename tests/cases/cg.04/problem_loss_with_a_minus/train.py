"""A minus before the mean squared error: the training drives it up."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(320, 3)).astype(np.float32)
y = (x @ np.array([[1.0], [-2.0], [0.5]], np.float32)).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(32)

net = nn.Dense(3, 1)
criterion = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.001)


def forward(x, y):
    prediction = net(x)
    return -criterion(prediction, y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
batches = train_set.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for features, target in batches:
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(epoch, loss)
