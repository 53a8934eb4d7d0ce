"""Labels of chance by Adam at a usual rate, with clipped gradients: the loss stays, but the weights went to and fro."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(12)
rng = np.random.default_rng(12)
x = rng.normal(size=(1600, 6)).astype(np.float32)
y = rng.integers(0, 2, 1600).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
    print(epoch, loss)
