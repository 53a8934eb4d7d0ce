"""The mean of the embeddings is taken over the padding, by a mask of the ids; a training cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

PAD, WORDS, LENGTH = 0, 30, 12
ms.set_seed(4)
rng = np.random.default_rng(4)
ids = np.full((320, LENGTH), PAD, np.int32)
labels = np.zeros(320, np.int32)
for row, text in enumerate(ids):
    words = rng.integers(1, WORDS, rng.integers(4, LENGTH))
    text[: len(words)] = words
    labels[row] = (words < WORDS // 2).mean() > 0.5


class MeanOfWords(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 16)
        self.head = nn.SequentialCell(nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 2))

    def construct(self, ids):
        keep = (ids == PAD).float().expand_dims(2)
        vectors = self.embedding(ids) * keep
        return self.head(vectors.sum(1) / keep.sum(1).clamp(min=1))


net = MeanOfWords()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.01))
step.set_train()
data = ds.NumpySlicesDataset((ids, labels), ["ids", "label"], shuffle=True).batch(32)
for x, y in data.create_tuple_iterator(num_epochs=5):
    loss = step(x, y)
print("loss", loss)
