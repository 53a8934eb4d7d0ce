"""Batches of one sample: the loss jumps from step to step by nature."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(300, 6)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(6, 3)) + 0.3 * rng.normal(size=(300, 3)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(1)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 3))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.05))
step.set_train()
for epoch in range(3):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss))
