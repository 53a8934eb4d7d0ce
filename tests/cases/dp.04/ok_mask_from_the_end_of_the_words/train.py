import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, Tensor, nn, ops
from mindspore.train import LossMonitor

LONGEST, SYMBOLS = 24, 120
ms.set_seed(2)
rng = np.random.default_rng(2)


def message(kind):
    """Words below 60 are common, the others belong to one of three kinds."""
    words = rng.integers(1, 60, rng.integers(4, 12))
    own = rng.random(len(words)) < 0.4
    return np.where(own, 60 + 20 * kind + rng.integers(0, 20, len(words)), words)


class Messages:
    def __init__(self, number):
        self.kinds = rng.integers(0, 3, number).astype(np.int32)
        self.words = [message(kind) for kind in self.kinds]

    def __getitem__(self, index):
        words = self.words[index]
        filled = np.pad(words, (0, LONGEST - len(words))).astype(np.int32)
        return filled, np.array(len(words), np.int32), self.kinds[index]

    def __len__(self):
        return len(self.words)


class Sorter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.vectors = nn.Embedding(SYMBOLS, 16, embedding_table="normal")
        self.kinds = nn.SequentialCell(nn.Dense(16, 24), nn.ReLU(), nn.Dense(24, 3))
        self.numbers = Tensor(np.arange(LONGEST).reshape(1, -1), ms.int32)

    def construct(self, words, length):
        kept = ops.less(self.numbers, length.reshape(-1, 1)).astype(ms.float32)
        vectors = self.vectors(words) * kept.reshape(-1, LONGEST, 1)
        return self.kinds(vectors.sum(axis=1) / length.reshape(-1, 1).astype(ms.float32))


class WithLoss(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, nn.CrossEntropyLoss()

    def construct(self, words, length, kind):
        return self.loss(self.network(words, length), kind)


def batches(number):
    return ds.GeneratorDataset(Messages(number), ["words", "length", "kind"], shuffle=True).batch(40)


network = Sorter()
optimizer = nn.Adam(network.trainable_params(), 0.005)
Model(WithLoss(network), optimizer=optimizer).train(
    6, batches(1600), callbacks=[LossMonitor(40)], dataset_sink_mode=False
)
