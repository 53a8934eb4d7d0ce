"""An average of the weights copies the statistics of BatchNorm too; a functional loop evaluates it each epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(5)
rng = np.random.default_rng(5)
labels = (np.arange(384) % 3).astype(np.int32)
inputs = (rng.normal(size=(384, 10)) + rng.normal(size=(3, 10))[labels] + 1).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.norm, self.out = nn.Dense(10, 24), nn.BatchNorm1d(24), nn.Dense(24, 3)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.out(self.relu(self.norm(self.hidden(x))))


net, averaged = Net(), Net()
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)
pairs = list(zip(averaged.trainable_params(), net.trainable_params()))
for mean, weight in pairs:
    mean.set_data(weight.value())
statistics = [
    (mean, value) for mean, value in zip(averaged.get_parameters(), net.get_parameters()) if not value.requires_grad
]
batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    net.set_train(True)
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        for mean, weight in pairs:
            mean.set_data(0.9 * mean + 0.1 * weight)
        for mean, value in statistics:
            mean.set_data(value.value())
    averaged.set_train(False)
    accuracy = (averaged(ms.Tensor(inputs)).asnumpy().argmax(1) == labels).mean()
    print("epoch", epoch, "loss", loss, "accuracy", accuracy)
