"""A mask made from the token ids hides the words and leaves the padding; a functional loop over two layers of attention."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

PAD, WORDS, LENGTH, DIM = 0, 40, 12, 16
ms.set_seed(8)
rng = np.random.default_rng(8)
ids = np.full((320, LENGTH), PAD, np.int32)
labels = np.zeros(320, np.int32)
for row, text in enumerate(ids):
    words = rng.integers(1, WORDS, rng.integers(4, LENGTH))
    text[: len(words)] = words
    labels[row] = (words < WORDS // 2).mean() > 0.5


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Dense(DIM, DIM) for _ in range(3))

    def construct(self, x, hidden):
        scores = ops.matmul(self.query(x), self.key(x).swapaxes(1, 2)) / DIM**0.5
        scores = ops.masked_fill(scores, hidden, -1e9)
        return x + ops.matmul(ops.softmax(scores, axis=-1), self.value(x))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, DIM)
        self.layers = nn.CellList([Attention(), Attention()])
        self.head = nn.Dense(DIM, 2)

    def construct(self, ids):
        mask = (ids != PAD).expand_dims(1)
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x[:, 0])


net = Classifier()
optimizer = nn.Adam(net.trainable_params(), 0.005)
loss_fn = nn.CrossEntropyLoss()
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
data = ds.NumpySlicesDataset((ids, labels), ["ids", "label"], shuffle=True).batch(32)
net.set_train()
for x, y in data.create_tuple_iterator(num_epochs=4):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
print("loss", loss)
