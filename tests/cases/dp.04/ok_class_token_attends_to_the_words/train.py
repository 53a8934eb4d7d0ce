"""A class token before the words attends to the words alone; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import Normal, initializer
from mindspore.train import Model

PAD, WORDS, LENGTH, DIM = 0, 40, 12, 16
ms.set_seed(8)
rng = np.random.default_rng(8)
ids = np.full((320, LENGTH), PAD, np.int32)
labels = np.zeros(320, np.int32)
for row, text in enumerate(ids):
    words = rng.integers(1, WORDS, rng.integers(4, LENGTH + 1))
    text[: len(words)] = words
    labels[row] = (words < WORDS // 2).mean() > 0.5


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, DIM)
        self.first = Parameter(initializer(Normal(0.5), (1, 1, DIM)), name="first")
        self.query, self.key, self.value = (nn.Dense(DIM, DIM) for _ in range(3))
        self.head = nn.Dense(DIM, 2)

    def construct(self, ids):
        first = self.first.broadcast_to((ids.shape[0], 1, DIM))
        x = ops.cat((first, self.embedding(ids)), axis=1)
        real = ops.cat((ops.ones((ids.shape[0], 1), ms.float32), (ids != PAD).astype(ms.float32)), axis=1)
        hidden = 1 - real
        scores = ops.matmul(self.query(x), self.key(x).swapaxes(1, 2)) / DIM**0.5
        scores = scores + hidden.expand_dims(1) * -1e9
        x = x + ops.matmul(ops.softmax(scores, axis=-1), self.value(x))
        return self.head(x[:, 0])


net = Classifier()
data = ds.NumpySlicesDataset((ids, labels), ["ids", "label"], shuffle=True).batch(32)
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005)).train(4, data, dataset_sink_mode=False)
