"""A wide network on eighty noisy points; each epoch goes through the data set by a new iterator."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import make_moons

ms.set_seed(7)
ms.set_context(mode=ms.GRAPH_MODE)

points, moon = make_moons(480, noise=0.6, random_state=7)
points, moon = points.astype(np.float32), moon.astype(np.int32)
train_set = ds.NumpySlicesDataset((points[:80], moon[:80]), ["point", "moon"], shuffle=True).batch(16)
test_set = ds.NumpySlicesDataset((points[80:], moon[80:]), ["point", "moon"], shuffle=False).batch(80)

net = nn.SequentialCell(nn.Dense(2, 256), nn.ReLU(), nn.Dense(256, 256), nn.ReLU(), nn.Dense(256, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
loss_fn = nn.CrossEntropyLoss()
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)


def evaluate(data):
    net.set_train(False)
    losses = [float(loss_fn(net(point), target)) for point, target in data.create_tuple_iterator(num_epochs=1)]
    return sum(losses) / len(losses)


for epoch in range(60):
    step.set_train(True)
    for point, target in train_set.create_tuple_iterator(num_epochs=1):
        loss = step(point, target)
    if epoch % 3 == 2:
        val_loss = evaluate(test_set)
        print(f"epoch {epoch} loss {float(loss):.3f} val_loss {val_loss:.3f}")
