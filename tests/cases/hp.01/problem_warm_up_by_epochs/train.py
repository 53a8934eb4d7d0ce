import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(13)
rng = np.random.default_rng(13)
x = rng.normal(size=(1200, 10)).astype(np.float32)
y = (np.sin(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3]).astype(np.float32)
net = nn.SequentialCell(nn.Dense(10, 48), nn.Tanh(), nn.Dense(48, 1))
peak, warm = 0.004, 200
optimizer = nn.Adam(net.trainable_params(), peak / warm)
step = ms.value_and_grad(lambda a, b: ops.square(net(a) - b).mean(), None, optimizer.parameters)
net.set_train()
batches = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(24)
for epoch in range(10):
    ops.assign(optimizer.learning_rate, ms.Tensor(peak * min(1.0, (epoch + 1) / warm), ms.float32))
    for a, b in batches.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(a, b)
        optimizer(gradients)
    print(epoch, loss)
