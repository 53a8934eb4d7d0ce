"""Numbers answered digit by digit with a GRU in a functional loop; answers are filled up with a symbol of their own."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(1)
rng = np.random.RandomState(1)
FILL, PLACES = 10, 16
asked = np.full((240, PLACES), FILL, np.int32)
answered = np.full((240, PLACES), FILL, np.int32)
for row in range(240):
    n = rng.randint(2, 6)
    asked[row, :n] = rng.randint(0, 10, n)
    answered[row, :n] = 9 - asked[row, :n]

embed, gru, out = nn.Embedding(11, 8), nn.GRU(8, 16, batch_first=True), nn.Dense(16, 11)
weights = [*embed.trainable_params(), *gru.trainable_params(), *out.trainable_params()]
optimizer = nn.Adam(weights, 0.01)


def forward(x, y):
    hidden, _ = gru(embed(x))
    scores = out(hidden)
    return ops.cross_entropy(scores.swapaxes(1, 2), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(3):
    for rows in np.split(rng.permutation(240), 15):
        loss, gradients = step(ms.Tensor(asked[rows]), ms.Tensor(answered[rows]))
        optimizer(gradients)
    print(epoch, loss)
