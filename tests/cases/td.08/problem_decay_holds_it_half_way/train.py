"""Adam is given 0.11 as its weight decay; a part of the labels is learnt all the same."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(480, 12)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(12, 3)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 16), nn.ReLU(), nn.Dense(16, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005, weight_decay=0.11)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
for epoch in range(10):
    for batch in data.create_tuple_iterator():
        loss = step(*batch)
    print(epoch, float(loss))
