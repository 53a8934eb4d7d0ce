"""Weights that fit already are loaded, and trained a little further: the loss does not fall."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(600, 5)).astype(np.float32)
w = rng.normal(size=(1, 5)).astype(np.float32)
y = (x @ w.T + 0.2 * rng.normal(size=(600, 1))).astype(np.float32)
ms.save_checkpoint(
    [{"name": "weight", "data": ms.Tensor(w)}, {"name": "bias", "data": ms.Tensor([0.0], ms.float32)}], "good.ckpt"
)
net = nn.Dense(5, 1)
ms.load_param_into_net(net, ms.load_checkpoint("good.ckpt"))
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)
optimizer = nn.SGD(net.trainable_params(), 0.001)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(8):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
