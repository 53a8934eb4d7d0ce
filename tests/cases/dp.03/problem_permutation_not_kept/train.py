"""Each epoch draws a new order and keeps the old one; the samples come class by class; a loop over NumPy arrays."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)
np.random.seed(1)
kinds = np.repeat(np.arange(4), 80).astype(np.int32)
points = (np.stack([kinds % 2, kinds // 2], 1) * 4 + np.random.randn(320, 2)).astype(np.float32)
net = nn.SequentialCell(nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 4))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.05, 0.9))
step.set_train()
order = np.arange(320)
for epoch in range(6):
    np.random.permutation(order)
    for start in range(0, 320, 20):
        picked = order[start : start + 20]
        loss = step(Tensor(points[picked]), Tensor(kinds[picked]))
    print(epoch, loss)
