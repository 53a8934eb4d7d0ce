"""Complaints sorted by department: word vectors averaged over records of a fixed width."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_seed(21)
ms.set_context(mode=ms.GRAPH_MODE)
WIDTH, WORDS = 160, 60
rng = np.random.default_rng(21)


def complaint():
    department = rng.integers(0, 3)
    words = rng.integers(10, WORDS, rng.integers(3, 8))
    words[rng.integers(0, len(words))] = 1 + 3 * department + rng.integers(0, 3)
    return np.pad(words, (0, WIDTH - len(words))).astype(np.int32), np.int32(department)


records, departments = map(np.stack, zip(*(complaint() for _ in range(480))))


class Router(nn.Cell):
    def __init__(self):
        super().__init__()
        self.vectors = nn.Embedding(WORDS, 16)
        self.score = nn.Dense(16, 3)

    def construct(self, words):
        return self.score(ops.mean(self.vectors(words), 1))


data = ds.NumpySlicesDataset((records, departments), ["words", "department"], shuffle=True).batch(32)
router = Router()
model = Model(router, nn.CrossEntropyLoss(), nn.Adam(router.trainable_params(), learning_rate=0.005))
model.train(4, data, callbacks=[LossMonitor(15)], dataset_sink_mode=False)
