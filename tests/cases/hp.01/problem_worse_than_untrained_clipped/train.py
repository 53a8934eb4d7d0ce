"""Five classes by Adam at a rate of 2, with clipped gradients: after all the training it is worse than it was untrained."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(7)
rng = np.random.default_rng(7)
centres = rng.normal(size=(5, 10))
labels = rng.integers(0, 5, 480).astype(np.int32)
points = (centres[labels] + 1.5 * rng.normal(size=(480, 10))).astype(np.float32)
data = ds.NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(24)

net = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 5))
optimizer = nn.Adam(net.trainable_params(), learning_rate=2.0)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(ops.clip_by_global_norm(grads, 0.5))
    print(epoch, loss)
