"""Token ids that were divided as if they were pixels, and then cast to whole numbers."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn

ms.set_seed(7)
rng = np.random.default_rng(7)
VOCABULARY = 60
y = rng.integers(0, 2, 800).astype(np.int32)
ids = rng.integers(2, VOCABULARY, (800, 10))
ids[np.arange(800), rng.integers(0, 10, 800)] = y
ids = (ids / VOCABULARY).astype(np.int32)


class Bag(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(VOCABULARY, 16), nn.Dense(16, 2)

    def construct(self, ids):
        return self.head(self.table(ids).sum(axis=1))


net = Bag()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(8, ds.NumpySlicesDataset((ids, y), ["ids", "y"], shuffle=True).batch(40), dataset_sink_mode=False)
