import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import LossMonitor

READERS, BOOKS = 60, 80
ms.set_seed(5)
rng = np.random.default_rng(5)
taste, style = rng.normal(size=(READERS, 3)), rng.normal(size=(BOOKS, 3))
a, b = rng.integers(0, READERS, 4000).astype(np.int32), rng.integers(0, BOOKS, 4000).astype(np.int32)
liked = ((taste[a] * style[b]).sum(1) > 0).astype(np.float32)


class Factors(nn.Cell):
    def __init__(self, rows, size=8):
        super().__init__()
        self.reader_vectors = nn.Embedding(rows, size)
        self.book_vectors = self.reader_vectors

    def construct(self, first, second):
        return (self.reader_vectors(first) * self.book_vectors(second)).sum(-1)


class Likes(nn.Cell):
    def __init__(self, factors):
        super().__init__()
        self.factors, self.loss = factors, nn.BCEWithLogitsLoss()

    def construct(self, first, second, liked):
        return self.loss(self.factors(first, second), liked)


table = ds.NumpySlicesDataset({"a": a, "b": b, "liked": liked}, shuffle=True).batch(50)
factors = Factors(max(READERS, BOOKS))
model = Model(Likes(factors), optimizer=nn.Adam(factors.trainable_params(), 0.01))
model.train(8, table, callbacks=[LossMonitor(80)], dataset_sink_mode=False)
