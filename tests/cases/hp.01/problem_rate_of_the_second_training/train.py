"""A body is trained for five classes and learns; the new head for three other ones is trained at a mistyped rate and does not."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(1)
rng = np.random.default_rng(1)


def classes(number):
    centres = 1.5 * rng.normal(size=(number, 10))
    labels = rng.integers(0, number, 640).astype(np.int32)
    points = (centres[labels] + rng.normal(size=(640, 10))).astype(np.float32)
    return ds.NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(20)


def fit(network, optimizer, data, epochs):
    loss_fn = nn.CrossEntropyLoss()
    step = ms.value_and_grad(lambda x, y: loss_fn(network(x), y), None, optimizer.parameters)
    network.set_train()
    batches = data.create_tuple_iterator(num_epochs=epochs)
    for epoch in range(epochs):
        for x, y in batches:
            loss, gradients = step(x, y)
            optimizer(gradients)
        print(epoch, loss)


body = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU())
before = nn.SequentialCell(body, nn.Dense(32, 5))
fit(before, nn.Adam(before.trainable_params(), learning_rate=0.01), classes(5), 3)

for parameter in body.get_parameters():
    parameter.requires_grad = False
after = nn.SequentialCell(body, nn.Dense(32, 3))
fit(after, nn.Momentum(after.trainable_params(), learning_rate=2e-6, momentum=0.9), classes(3), 4)
