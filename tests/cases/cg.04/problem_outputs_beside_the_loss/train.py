"""The forward function returns its loss and the scores, and has_aux is not set: the sum of both is differentiated."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(1)
rng = np.random.default_rng(0)
features = rng.normal(size=(96, 8)).astype(np.float32)
classes = features[:, :3].argmax(1).astype(np.int32)
data = ds.NumpySlicesDataset((features, classes), ["x", "y"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 3))
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2)


def forward(x, y):
    scores = net(x)
    return loss_fn(scores, y), scores


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for x, y in data.create_tuple_iterator(num_epochs=1):
        (loss, _), grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
