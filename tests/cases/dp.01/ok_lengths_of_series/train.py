"""Series of standard scale, filled up in the batch, with their lengths in a column called n, for seq_length of a GRU."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(9)


class Series:
    def __init__(self):
        rng = np.random.default_rng(9)
        self.x = [rng.normal(size=(rng.integers(5, 25), 3)).astype(np.float32) for _ in range(120)]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], np.int32(len(self.x[i])), np.int32(self.x[i][:, 0].mean() > 0)


def fill(series, lengths, labels, _):
    filled = np.zeros((len(series), 24, 3), np.float32)
    for row, one in zip(filled, series):
        row[: len(one)] = one
    return filled, np.array(lengths, np.int32), np.array(labels, np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 8, batch_first=True)
        self.out = nn.Dense(8, 2)

    def construct(self, x, n):
        _, h = self.rnn(x, seq_length=n)
        return self.out(h[0])


data = ds.GeneratorDataset(Series(), ["x", "n", "y"], shuffle=True).batch(30, per_batch_map=fill)
net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
grad_fn = ms.value_and_grad(lambda x, n, y: loss_fn(net(x, n), y), None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=2)
for _ in range(2):
    for batch in batches:
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(loss)
