"""Labels that no input tells, a wide network, two epochs: training on learns its batches by heart and no others."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(320, 40)).astype(np.float32)
y = rng.integers(0, 4, 320).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(40, 128), nn.ReLU(), nn.Dense(128, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
batches = data.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, loss)
