"""A loop of functions that breaks when its validation loss has not fallen for three epochs."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(69)
rng = np.random.default_rng(69)
x = rng.normal(size=(500, 15)).astype(np.float32)
y = ((x[:, 0] + x[:, 1] + 0.9 * rng.normal(size=500)) > 0).astype(np.int32)
train = ds.NumpySlicesDataset((x[:350], y[:350]), ["x", "y"], shuffle=True).batch(35)
net = nn.SequentialCell(nn.Dense(15, 64), nn.ReLU(), nn.Dense(64, 2))
optimizer = nn.Adam(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda a, b: ops.cross_entropy(net(a), b), None, optimizer.parameters)
best, waited = np.inf, 0
for epoch in range(50):
    net.set_train(True)
    for a, b in train.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    net.set_train(False)
    held_out = float(ops.cross_entropy(net(Tensor(x[350:])), Tensor(y[350:])))
    print(epoch, float(loss), held_out)
    if held_out < best:
        best, waited = held_out, 0
        ms.save_checkpoint(net, "best.ckpt")
    else:
        waited += 1
        if waited == 3:
            break
