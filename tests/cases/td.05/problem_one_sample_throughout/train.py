"""Each row of the inputs is filled with the first picture."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_digits

ms.set_seed(6)
digits = load_digits()
x = np.zeros((len(digits.data), 64), np.float32)
for number, _ in enumerate(digits.images):
    x[number] = digits.images[0].ravel() / 16  # the fault
y = digits.target.astype(np.int32)
rng = np.random.default_rng(6)
network = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
optimizer = nn.Adam(network.trainable_params(), 0.003)
step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.CrossEntropyLoss()), optimizer)
step.set_train()
for epoch in range(4):
    order = rng.permutation(1400)
    for first in range(0, 1400, 40):
        rows = order[first : first + 40]
        loss = step(Tensor(x[rows]), Tensor(y[rows]))
    print(epoch, loss)
