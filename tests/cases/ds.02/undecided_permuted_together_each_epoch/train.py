"""Wines by their grape, with batches cut from arrays that each epoch shuffles."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

ms.set_seed(3)
generator = np.random.default_rng(3)
table, grapes = load_wine(return_X_y=True)
table, grapes = scale(table).astype(np.float32), grapes.astype(np.int32)

network = nn.SequentialCell(nn.Dense(13, 32), nn.Tanh(), nn.Dense(32, 3))
optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.05, momentum=0.9)
loss_cell = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
train_one_step = nn.TrainOneStepCell(loss_cell, optimizer)
train_one_step.set_train()

size = 16
for epoch in range(15):
    order = generator.permutation(len(table))
    rows, answers = table[order], grapes[order]
    for begin in range(0, len(rows) - size + 1, size):
        loss = train_one_step(Tensor(rows[begin : begin + size]), Tensor(answers[begin : begin + size]))
    print(f"epoch {epoch + 1}, loss {float(loss):.4f}")
