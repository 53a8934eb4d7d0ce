"""Classes as unequal as letters, beside columns of codes with a distribution of their own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
words = ["the", "cat", "dog", "sees", "likes", "a", "tree", "house", "and", "then", "it", "sleeps", "quietly", "ox"]
text = " ".join(rng.choice(words, 500, p=np.arange(14, 0, -1) / 105))
letters = sorted(set(text))
ids = np.array([letters.index(one) for one in text], np.int32)
windows = np.stack([ids[at : at + 6] for at in range(len(ids) - 6)])
data = ds.NumpySlicesDataset(
    (rng.integers(0, len(letters), windows.shape).astype(np.int32), ids[6:]), ["x", "y"], shuffle=True
).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.letters, self.hidden = nn.Embedding(len(letters), 12), nn.Dense(72, 32)
        self.out = nn.Dense(32, len(letters))

    def construct(self, x):
        return self.out(ops.relu(self.hidden(self.letters(x).reshape(-1, 72))))


net = Net()
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.005)
).set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator():
        loss = step(*batch)
    print(epoch, float(loss))
