"""Kinds of leaves, judged by an average of the weights over the last ten updates."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

SETTINGS = {"rate": 3e-3, "average_decay": 0.9, "epochs": 10}
ms.set_seed(3)
rng = np.random.default_rng(3)
kinds = rng.integers(0, 4, 600).astype(np.int32)
leaves = (rng.normal(0, 0.5, (600, 10)) + np.eye(4)[kinds].repeat(3, 1)[:, :10]).astype(np.float32)


def network():
    return nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 4))


class Averaged:
    def __init__(self, trained, decay):
        self.trained, self.decay, self.net = trained, decay, network()
        for own, one in zip(self.net.get_parameters(), trained.get_parameters()):
            own.set_data(Tensor(one.asnumpy()))
        self.net.set_train(False)

    def update(self):
        for own, one in zip(self.net.get_parameters(), self.trained.get_parameters()):
            own.set_data(self.decay * own + (1 - self.decay) * one)


net = network()
averaged = Averaged(net, SETTINGS["average_decay"])
loss_of = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=SETTINGS["rate"])
step = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(SETTINGS["epochs"]):
    order = rng.permutation(500)
    for begin in range(0, 500, 25):
        part = order[begin : begin + 25]
        loss, gradients = step(Tensor(leaves[part]), Tensor(kinds[part]))
        optimizer(gradients)
        averaged.update()
    print(epoch, loss)
found = averaged.net(Tensor(leaves[500:])).asnumpy().argmax(1)
print("right:", (found == kinds[500:]).mean())
