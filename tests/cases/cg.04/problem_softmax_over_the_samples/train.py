"""A functional loop whose last activation goes over the batch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
x = rng.normal(size=(256, 6)).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(16)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(6, 12)
        self.out = nn.Dense(12, 1)

    def construct(self, x):
        return ops.softmax(self.out(ops.relu(self.hidden(x))), axis=0)


net = Net()
mse = nn.MSELoss()
adam = nn.Adam(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: mse(net(x), y), None, adam.parameters)
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, target in batches:
        loss, grads = grad_fn(features, target)
        adam(grads)
    print(epoch, loss)
