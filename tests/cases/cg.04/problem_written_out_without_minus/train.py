"""The log-likelihood is written out in the forward function, without its minus."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
features = rng.normal(size=(64, 6)).astype(np.float32)
classes = features[:, :3].argmax(1).astype(np.int32)
data = ds.NumpySlicesDataset((features, classes), ["x", "y"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(8, 3))
optimizer = nn.Adam(net.trainable_params(), 1e-3)


def forward(x, y):
    logits = net(x)
    wanted = ops.one_hot(y, 3, ms.Tensor(1.0, ms.float32), ms.Tensor(0.0, ms.float32))
    return ops.mean((wanted * ops.log_softmax(logits, -1)).sum(-1)), logits


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for epoch in range(3):
    for x, y in data.create_tuple_iterator(num_epochs=1):
        (loss, _), grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
