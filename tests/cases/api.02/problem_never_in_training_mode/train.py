"""Two spirals with a BatchNorm net and a compiled training step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
ms.set_context(mode=ms.GRAPH_MODE)

rng = np.random.default_rng(3)
turn = rng.uniform(0.5, 3.0, size=900)
label = rng.integers(0, 2, size=900)
angle = turn * 2.5 + label * np.pi
points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1) / 1.8
points += rng.normal(scale=0.03, size=points.shape)
data = ds.NumpySlicesDataset({"xy": points.astype(np.float32), "arm": label.astype(np.int32)}, shuffle=True).batch(50)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(2, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dense(48, 48), nn.BatchNorm1d(48), nn.ReLU()
        )
        self.head = nn.Dense(48, 2)

    def construct(self, xy):
        return self.head(self.layers(xy))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)


def forward(xy, arm):
    return loss_fn(net(xy), arm)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(xy, arm):
    loss, grads = grad_fn(xy, arm)
    optimizer(grads)
    return loss


batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    losses = [float(train_step(xy, arm)) for xy, arm in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
