"""Is a wine from the north, by a table as it was measured: sizes from 0.1 to 1500."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(4)
rng = np.random.default_rng(4)
north = (rng.random((400, 1)) < 0.45).astype(np.float32)
sizes = np.array([1500, 110, 25, 13, 5, 2, 0.4, 0.1])
table = (sizes * (1 + 0.25 * rng.normal(size=(400, 8)) + 0.3 * north)).astype(np.float32)

wines = ds.NumpySlicesDataset((table, north), ["table", "north"], shuffle=True).batch(20)
network = nn.SequentialCell(nn.Dense(8, 20), nn.ReLU(), nn.Dense(20, 1))
loss_fn = nn.BCEWithLogitsLoss()
optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.05, momentum=0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(network, loss_fn), optimizer)
step.set_train()
for epoch in range(12):
    for wine in wines.create_tuple_iterator(num_epochs=1):
        loss = step(*wine)
    print(epoch, float(loss))
