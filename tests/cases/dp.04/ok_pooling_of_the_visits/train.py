"""Risk of patients from the codes of their visits, of which each has a few: two learnt queries pool them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
VISITS, CODES = 12, 40


def patients(count):
    codes = np.zeros((count, VISITS), np.int32)
    risk = rng.integers(0, 2, count).astype(np.int32)
    for row in range(count):
        number = rng.integers(3, VISITS)
        codes[row, :number] = rng.integers(3, CODES, number)
        codes[row, rng.integers(number)] = 1 + risk[row]
    return codes, risk


class Pooling(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter, self.score, self.leave = nn.Embedding(CODES, 24), nn.Dense(24, 2), nn.Dense(48, 2)

    def construct(self, codes):
        empty = (codes == 0).expand_dims(-1)
        states = self.enter(codes)
        scores = self.score(states)
        scores = ops.select(empty.broadcast_to(scores.shape), ops.full_like(scores, -1e9), scores)
        weights = ops.softmax(scores, axis=1)
        pooled = ops.matmul(weights.swapaxes(1, 2), states)
        return self.leave(pooled.reshape((-1, 48)))


source = ds.NumpySlicesDataset(patients(1600), ["codes", "risk"], shuffle=True).batch(32)
network = Pooling()
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.005), metrics={"accuracy"})
model.train(6, source, dataset_sink_mode=False)
held_out = ds.NumpySlicesDataset(patients(500), ["codes", "risk"], shuffle=False).batch(100)
print(model.eval(held_out, dataset_sink_mode=False))
