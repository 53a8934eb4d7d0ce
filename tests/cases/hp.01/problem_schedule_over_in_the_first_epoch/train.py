"""A polynomial decay whose steps are epochs; half of what there is to learn is learnt before it is over."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(53)
rng = np.random.default_rng(53)
angle = rng.uniform(0, 2 * np.pi, 2000)
radius = rng.uniform(0, 2, 2000)
x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
y = (2 * (radius % 1 > 0.5) + (x[:, 1] > 0)).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Dense(2, 64), nn.Dense(64, 64), nn.Dense(64, 4)
        self.act = nn.ReLU()

    def construct(self, point):
        return self.c(self.act(self.b(self.act(self.a(point)))))


net, epochs, batch = Net(), 40, 100
schedule = nn.PolynomialDecayLR(learning_rate=0.1, end_learning_rate=1e-5, decay_steps=epochs, power=1.0)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=schedule, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(epochs):
    order = rng.permutation(len(x))
    for start in range(0, len(x), batch):
        rows = order[start : start + batch]
        loss, grads = grad_fn(Tensor(x[rows]), Tensor(y[rows]))
        optimizer(grads)
print(float(loss))
