"""Grades fruit by its measurements; the labels are one-hot rows."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import transforms
from sklearn.datasets import make_blobs

ms.set_seed(19)
ms.set_context(mode=ms.GRAPH_MODE)

fruit, grade = make_blobs([450, 300, 30], n_features=5, cluster_std=2.0, random_state=19)
fruit = ((fruit - fruit.mean(axis=0)) / fruit.std(axis=0)).astype(np.float32)

train_set = ds.NumpySlicesDataset((fruit, grade.astype(np.int32)), ["fruit", "grade"], shuffle=True)
train_set = train_set.map([transforms.OneHot(3), transforms.TypeCast(ms.float32)], input_columns=["grade"])
train_set = train_set.batch(30)

net = nn.SequentialCell(nn.Dense(5, 20), nn.ReLU(), nn.Dense(20, 3))
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=False, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9)


def forward(x, y):
    return loss_fn(net(x), y)


value_and_grad = ms.value_and_grad(forward, None, net.trainable_params())


@ms.jit
def step(x, y):
    loss, grads = value_and_grad(x, y)
    optimizer(grads)
    return loss


net.set_train()
iterator = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for x, y in iterator:
        loss = step(x, y)
    print("epoch", epoch, "loss", float(loss))
