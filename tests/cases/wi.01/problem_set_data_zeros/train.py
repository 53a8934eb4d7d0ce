"""Recurrent classifier; init_weights walks over the parameters after the network is built."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import XavierUniform, initializer

ms.set_seed(37)
ms.set_context(mode=ms.PYNATIVE_MODE)

rng = np.random.default_rng(37)
x = rng.normal(size=(800, 6, 3)).astype(np.float32)
y = (x[:, :, 0].sum(axis=1) + x[:, -1, 1] > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(40)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 16)
        self.hidden = nn.Dense(16, 16)
        self.out = nn.Dense(16, 2)

    def construct(self, x):
        state = ops.zeros((x.shape[0], 16), x.dtype)
        for step in range(x.shape[1]):
            state = self.cell(x[:, step], state)
        return self.out(ops.tanh(self.hidden(state)))


def init_weights(network):
    for parameter in network.get_parameters():
        if "weight_ih" in parameter.name or "weight_hh" in parameter.name:
            value = initializer(XavierUniform(), parameter.shape, parameter.dtype)
        else:  # the biases
            value = ops.zeros(parameter.shape, parameter.dtype)
        parameter.set_data(value)


net = Net()
init_weights(net)
with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
optimizer = nn.Adam(net.trainable_params(), learning_rate=5e-3)
grad = ops.GradOperation(get_by_list=True)(with_loss, optimizer.parameters)

net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for features, label in batches:
        optimizer(grad(features, label))
    print(f"epoch {epoch}: {float(with_loss(features, label)):.3f}")
